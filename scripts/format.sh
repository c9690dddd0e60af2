#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Writes the C++ of the repository as .clang-format says; with --check says what differs, as one test does.
# tests/fail is left alone: its programs name the line on which the first error must stand.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=$(command -v clang-format-19 || command -v clang-format) || { echo "format.sh: expected clang-format 19, found none" >&2; exit 2; }
[[ $("$tool" --version) =~ version\ 19\. ]] || { echo "format.sh: expected clang-format 19, found $("$tool" --version)" >&2; exit 2; }
case ${1:-} in
    '') how=(-i) ;;
    --check) how=(--dry-run --Werror) ;;
    *) echo "format.sh: expected --check or nothing, found '$1'" >&2; exit 2 ;;
esac
find include cuda xsimd monitor machines exchange scripts tests examples benchmarks -path tests/fail -prune -o -regex '.*\.\(hpp\|ipp\|cpp\|cu\|cuh\)' -print0 |
    xargs -0 -P "$(nproc)" -n 40 "$tool" "${how[@]}"
