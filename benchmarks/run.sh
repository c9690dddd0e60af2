#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Measures this machine: installs the libraries to compare with, builds the benchmarks, runs them, and writes a report.
#   run.sh [--quick] [--only SECTION,...] [--output FOLDER] [--sigma PREFIX] [--no-install]    or: run.sh --list
# --quick        fewer and shorter rounds: about three minutes after the build
# --only         measures only these sections of the report
# --list         lists the sections, and does nothing else
# --output       folder of the report (default: build/report): report.html, report.md, report.json and plots
# --sigma        measures the Sigma that is installed in PREFIX, and builds only the benchmarks
# --no-install   installs nothing: sections whose libraries are missing are left out
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
        --help) sed -n '3,11s/^# \{0,1\}//p' "$0"; exit ;;
        *) echo "$0: unknown option '$1'" >&2; exit 2 ;;
    esac
    shift
done
if [[ " ${options[*]} " == *" --list "* ]]; then exec "$root/benchmarks/report.py" --list; fi

if [ $install = yes ] && command -v apt-get >/dev/null; then
    "$root/scripts/install-dependencies.sh" build benchmarks
    "$root/scripts/install-dependencies.sh" onnx || echo "cannot install ONNX: predictions are not measured" >&2
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
