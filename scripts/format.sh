#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Formats the C++ of the repository by .clang-format. With --check, prints the differences and changes nothing.
# Excludes tests/fail: its programs contain the number of the line of the first error. Excludes a header that export_cpp wrote.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=$(command -v clang-format-19 || command -v clang-format) || { echo "format.sh: clang-format 19 is not installed" >&2; exit 2; }
[[ $("$tool" --version) =~ version\ 19\. ]] || { echo "format.sh: expected clang-format 19, found $("$tool" --version)" >&2; exit 2; }
case ${1:-} in
    '') how=(-i) ;;
    --check) how=(--dry-run --Werror) ;;
    *) echo "format.sh: expected --check or no argument, found '$1'" >&2; exit 2 ;;
esac
find include cuda components scripts tests examples benchmarks -path tests/fail -prune -o -path examples/57-web-page/page/digits.hpp -prune -o -regex '.*\.\(hpp\|ipp\|cpp\|cu\|cuh\)' -print0 |
    xargs -0 -P "$(nproc)" -n 40 "$tool" "${how[@]}"
