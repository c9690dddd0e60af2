#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Makes the packages of other package managers, each if its tool is installed and reaches what it downloads.
set -euo pipefail
cd "$(dirname "$0")/../.."

if command -v conan >/dev/null; then
    conan create packaging/conan -s compiler.cppstd=20 --build=missing
else
    echo "skipped: conan is not installed"
fi
if command -v vcpkg >/dev/null; then
    vcpkg install sigma --overlay-ports=packaging/vcpkg
else
    echo "skipped: vcpkg is not installed"
fi
tool=
for name in podman docker; do
    if command -v "$name" >/dev/null && "$name" info >/dev/null 2>&1; then tool=$name; fi
done
if [ -n "$tool" ]; then
    "$tool" build -f packaging/container/Containerfile -t sigma-test .
    "$tool" run --rm -v "$PWD/packaging/conan/test_package:/program:ro" sigma-test \
        sh -c 'cmake -S /program -B /tmp/build -DCMAKE_BUILD_TYPE=Release && cmake --build /tmp/build && /tmp/build/learn_xor'
else
    echo "skipped: neither podman nor docker can run"
fi
