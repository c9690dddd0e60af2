#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Measures this machine: installs the libraries to compare with, builds the benchmarks, runs them, and writes a report.
#   run.sh [--quick] [--only SECTION,...] [--list] [--output FOLDER] [--sigma PREFIX] [--no-install]
# --quick        fewer and shorter rounds: under five minutes after the build
# --only         sections of the report, by name; --list lists them
# --output       folder of the report (default: build/report): report.html, report.md, report.json and plots
# --sigma        uses Sigma as installed there, and does not build the library
# --no-install   compares only with libraries that are installed
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
output=$root/build/report prefix='' install=yes options=()
while (($#)); do
    case $1 in
        --quick | --list) options+=("$1") ;;
        --only) options+=("$1" "${2:?--only needs names of sections}"); shift ;;
        --output) output=${2:?--output needs a folder}; shift ;;
        --sigma) prefix=${2:?--sigma needs the folder of an installed Sigma}; shift ;;
        --no-install) install=no ;;
        *) echo "$0: unknown option '$1'" >&2; exit 2 ;;
    esac
    shift
done
if [[ " ${options[*]} " == *" --list "* ]]; then exec "$root/benchmarks/report.py" --list; fi

if [ $install = yes ] && command -v apt-get >/dev/null; then
    "$root/scripts/install-dependencies.sh" build benchmarks
    "$root/scripts/install-dependencies.sh" oracle || echo "cannot install libtorch: it is not compared" >&2
    "$root/scripts/install-dependencies.sh" runtime || echo "cannot install ONNX Runtime: it is not compared" >&2
fi

programs=$root/build/bench
source=$root
settings=(-DCMAKE_BUILD_TYPE=Release -DSIGMA_BUILD_BENCHMARKS=ON -DSIGMA_BUILD_TESTS=OFF -DSIGMA_BUILD_EXAMPLES=OFF)
if [ -n "$prefix" ]; then
    programs=$root/build/bench-installed
    source=$root/benchmarks
    settings=(-DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=$(cd "$prefix" && pwd)")
fi
log=$programs/build.log
mkdir -p "$programs"
echo "builds the benchmarks in $programs (the first time takes minutes; see $log)"
generator=()
if command -v ninja >/dev/null && [ ! -f "$programs/CMakeCache.txt" ]; then generator=(-G Ninja); fi
if ! { cmake -S "$source" -B "$programs" "${generator[@]}" "${settings[@]}" &&
    cmake --build "$programs" --parallel "$(nproc)" --target sigma_report_benchmarks; } >"$log" 2>&1; then
    tail -30 "$log" >&2
    exit 1
fi
folder=$programs/benchmarks
[ -n "$prefix" ] && folder=$programs
exec "$root/benchmarks/report.py" "$folder" --output "$output" ${options[@]+"${options[@]}"}
