#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Makes the files of a release in build/package/release: four Debian packages, the archive of headers, and SHA256SUMS.
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
cd "$to"
sha256sum -- *.deb *.tar.xz > SHA256SUMS
cat SHA256SUMS
