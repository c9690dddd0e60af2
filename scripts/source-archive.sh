#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Writes sigma-VERSION.tar.xz with the sources of the last commit, and prints its SHA-256 digest. The same commit and the
# same version of xz give the same bytes in any clone, folder, time zone and umask.
#   source-archive.sh [FOLDER]     writes it to FOLDER (default: build)
# Fails if tracked files differ from the commit, because the archive would not have the changes.
set -euo pipefail
cd "$(dirname "$0")/.."
to=${1:-build}
version=$(sed -nE 's/^#define SIGMA_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+)$/\2/p' include/sigma/core/version.hpp | paste -sd .)
if ! git diff --quiet HEAD --; then
    echo "$0: tracked files differ from the last commit: commit or restore them" >&2
    exit 1
fi
mkdir -p "$to"
name=sigma-$version.tar.xz
export LC_ALL=C XZ_OPT= XZ_DEFAULTS=
# All files have the time of the commit. Settings of the user's git must not change modes or ends of lines.
git -c tar.umask=0022 -c core.autocrlf=false -c core.eol=lf archive --format=tar --prefix="sigma-$version/" HEAD |
    xz -3 --threads=1 --stdout > "$to/$name"
(cd "$to" && sha256sum -- "$name")
