#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
#   bare_root.sh FOLDER     installs the Debian packages of FOLDER in a new root, which has nothing else but a compiler and
#                           CMake, and builds and runs programs there. Needs root and mmdebstrap, downloads 200 MB.
# The project is tests/install/project, by CMake. A program in C is built by pkg-config.
set -euo pipefail
packages=$(realpath "$1")
tests=$(realpath "$(dirname "$0")/..")
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT

# apt of the new root installs the packages with what they depend on and recommend.
shopt -s nullglob
all=("$packages"/*.deb)
[[ ${#all[@]} -eq 4 ]] || { echo "$0: expected four packages in $packages, found ${#all[@]}" >&2; exit 2; }
include=$(IFS=,; echo "${all[*]}")
mmdebstrap --quiet --mode=root --variant=apt --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount \
    --include="g++,cmake,make,pkg-config,libncurses-dev,libopenmpi-dev,libprotobuf-dev,$include" \
    "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root"

# Not /work or another folder that the path of the packages may begin with: it was mounted in the root.
here=$root/opt/bare-root-test
mkdir -p "$here/project"
cp "$tests"/install/project/* "$tests/c_abi/flower.c" "$here/project/"
cat > "$here/run.sh" <<'END'
set -euo pipefail
cd /opt/bare-root-test
dpkg --audit
cmake -S project -B build -DCMAKE_BUILD_TYPE=Release -DEXPECT_CUDA=OFF
cmake --build build --target outside outside_monitor outside_machines
./build/outside
./build/outside_monitor
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ./build/outside_machines
g++ project/outside.cpp -o by_pkg_config $(pkg-config --cflags --libs sigma-images)
./by_pkg_config
gcc project/flower.c -o flower $(pkg-config --cflags --libs sigma-c)
./flower missing.sigma && exit 1
sigma-model --help > /dev/null
sigma-runs --help > /dev/null
dpkg --remove libsigma-dev libsigma-c0 sigma-tools sigma-data
test -z "$(find /usr -name '*sigma*' -path '*/sigma*' -not -path '/usr/share/perl*' | grep -E 'include/sigma|libsigma|share/sigma' || true)"
END
mount -t proc proc "$root/proc"
trap 'umount "$root/proc"; rm -rf --one-file-system "$root"' EXIT
chroot "$root" /usr/bin/env -i PATH=/usr/bin:/usr/sbin:/bin HOME=/tmp SIGMA_OFFLINE=1 bash /opt/bare-root-test/run.sh
echo "the packages work in a bare root"
