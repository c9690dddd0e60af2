#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Makes the files of a release in build/package/release: the archive of sources, four Debian packages, the archive of
# headers, the list of the software in them (SPDX), and SHA256SUMS. Without git, the archive of sources is left out.
# Run scripts/install-dependencies.sh build monitor machines onnx before, so that the packages have all components.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset package
cmake --build --preset package
cmake --build --preset package --target headers_archive
to=$PWD/build/package/release
rm -rf "$to"
mkdir "$to"
(cd build/package && cpack -G DEB -B "$to")
rm -rf "$to/_CPack_Packages"
mv build/package/sigma-headers-*.tar.xz "$to/"
version=$(sed -nE 's/^#define SIGMA_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/sigma/core/version.hpp | paste -sd .)
scripts/sbom.py build/package "$to/sigma-$version.spdx.json"
if git rev-parse HEAD >/dev/null 2>&1; then
    scripts/source-archive.sh "$to"
else
    echo "the archive of sources is left out: this folder is no clone" >&2
fi
cd "$to"
sha256sum -- *.deb *.tar.xz *.spdx.json > SHA256SUMS
cat SHA256SUMS
