#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Installs, on Debian 12, the packages that Sigma, its tests and its examples need. Does nothing where all are there.
#   install-dependencies.sh [build] [test] [oracle] [benchmarks]     default: build and test. What oracle needs, libtorch
#   and PyTorch, is a download of 152 MB and takes 680 MB of disk. benchmarks are OpenBLAS and xsimd, for peers of theirs.
set -euo pipefail

build=(cmake ninja-build g++ pkg-config libxtensor-dev
       zlib1g-dev libarchive-dev libcurl4-openssl-dev libssl-dev libpng-dev libturbojpeg0-dev)
test=(python3 catch2 clang clang-19 clang-format-19 libclang-rt-19-dev)  # clang-19 alone has no sanitizers to link
oracle=(libtorch-dev python3-torch python3-numpy)
benchmarks=(libopenblas-serial-dev libxsimd-dev)

wanted=()
for group in "${@:-build test}"; do
    for name in $group; do
        case $name in
            build) wanted+=("${build[@]}") ;;
            test) wanted+=("${test[@]}") ;;
            oracle) wanted+=("${oracle[@]}") ;;
            benchmarks) wanted+=("${benchmarks[@]}") ;;
            *) echo "$0: expected build, test, oracle or benchmarks, found '$name'" >&2; exit 2 ;;
        esac
    done
done

installed() {
    dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed
}

missing=()
for package in "${wanted[@]}"; do
    installed "$package" && continue
    # Any variant of OpenBLAS serves: the benchmarks hold it to one thread.
    if [[ $package == libopenblas-serial-dev ]] && pkg-config --exists openblas 2>/dev/null; then continue; fi
    missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

root=()
if [[ $(id -u) -ne 0 ]]; then root=(sudo); fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${root[@]}" apt-get update -qq
"${root[@]}" apt-get install -qq -y --no-install-recommends "${missing[@]}"
