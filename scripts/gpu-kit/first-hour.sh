#!/usr/bin/env bash
# SPDX-License-Identifier: BSL-1.0
# Tests and measures a new kind of GPU in steps. Each step has a time limit and adds a line to one table: step, result,
# seconds, figures. A failing step does not stop the others.
#   first-hour.sh               all steps in order
#   first-hour.sh 1 mlp100      some steps, by number or name
#   first-hour.sh list          prints the steps with their time limits in seconds
# Borrowed machines may limit the time of a call: choose steps that fit. The table in $FIRST_HOUR_WORK grows with each
# call. $OUT (or results/ next to this file) receives the table, the log, and results.tar.gz with the files of the steps.
# A step without a device or a tool that it needs is "skipped". Exits with 1 if a step failed.
set -uo pipefail
kit=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${OUT:-$kit/results}
cuda=${CUDA_HOME:-/usr/local/cuda}
work=${FIRST_HOUR_WORK:-${TMPDIR:-/tmp}/sigma-first-hour}  # files that later steps read
export OUT=$work/results
mkdir -p "$out" "$OUT"
export SIGMA_CUDA_CACHE=${SIGMA_CUDA_CACHE:-$work/kernels} SIGMA_OFFLINE=1
PATH=$PATH:$cuda/bin
table=$work/table.tsv log=$work/log.txt
[[ -f $table ]] || printf 'step\tresult\tseconds\tfigures\n' >"$table"

# ---- the steps: number, name, seconds ----
steps="
1 device 30
1 live 150
1 probe 240
2 tests 300
2 tests_of_layers 200
3 mlp100 150
3 chain 90
3 softmax 90
3 wide 180
3 mlp1024 150
4 counters 300
4 machine_code 120
5 sanitizer 560
6 starts 120
6 faults 60
6 kernels_of_peers 100
7 lenet 100
7 lstm 120
7 attention 100
7 embedding 100
7 score 100
7 stream 100
7 mlp16384 100
"

has_device() { nvidia-smi -L >/dev/null 2>&1; }
# skip REASON: ends a step that cannot run here.
skip() { echo "figures: $*"; exit 77; }
needs() {
    has_device || skip "no device"
    local tool
    for tool in "$@"; do command -v "$tool" >/dev/null || [[ -e $tool ]] || skip "no ${tool##*/}"; done
}
figures() { echo "figures: $(tr '\n\t' '; ' | sed 's/; *$//')"; }
unpack() {
    [[ -d $work/bin ]] || { needs "$kit/programs.tar.gz" && tar -xzf "$kit/programs.tar.gz" -C "$work"; } || exit 1
    local folders=$work/lib folder
    for folder in "$cuda"/{lib64,targets/x86_64-linux/lib}; do [[ -d $folder ]] && folders+=:$folder; done
    export LD_LIBRARY_PATH=$folders${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    ldd "$work/bin/sigma_gpu_tests" 2>&1 | grep -q 'GLIBCXX_.*not found' && LD_LIBRARY_PATH+=:$work/lib-compiler
    return 0
}
some_tests() {
    needs "$kit/run.sh"
    SIGMA_TEST_CUDA_ALONE=1 bash "$kit/run.sh" tests "$@"
    local rc=$?
    { grep -E '^(All tests passed|test cases:|assertions:)' "$OUT/tests.txt"; grep -c 'skipped: no CUDA' "$OUT/tests.txt" | sed 's/$/ tests without a device/'; } | figures
    cp "$OUT/tests.txt" "$work/tests-$name.txt"
    return $rc
}
# timed PREFIX: runs the cases of the benchmark that begin with it.
timed() {
    needs "$kit/run.sh"
    bash "$kit/run.sh" benchmark --rounds "${ROUNDS:-2}" --seconds 0.1 --only "$1"
    local rc=$?
    cp "$OUT/gpu.json" "$work/$1.json" 2>/dev/null
    python3 - "$work/$1.json" <<'END' | figures
import json, math, sys
for row in json.load(open(sys.argv[1]))["rows"]:
    us = ", ".join(f"{who} {x:.4g}" for who, x in row["us"].items() if not math.isnan(x))
    print(f"{row['case']}: us {us} {row['verdict']}")
END
    return $rc
}

step_device() {
    needs nvidia-smi
    nvidia-smi
    nvcc --version | tail -n 2
    python3 -c 'import torch; print("PyTorch", torch.__version__, "CUDA", torch.version.cuda)'
    date -u +%F
    nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,clocks.mem --format=csv,noheader | figures
}
step_live() { some_tests cuda_backend_test cuda_product_test cuda_launches_test gpu_test; }
# Measures what the design depends on: nodes of graphs, barriers, epilogues and NaN, algorithms, copies.
step_probe() {
    needs nvcc "$kit/probe.cu"
    nvcc -O3 -std=c++17 "-arch=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)" \
        "$kit/probe.cu" -lcublasLt -o "$work/probe" || return
    timeout 180 "$work/probe" | tee "$OUT/probe.txt"
    local rc=${PIPESTATUS[0]}
    grep -E '^empty|between graphs|NaN kept|^grid of 132|^copy |down to' "$OUT/probe.txt" | figures
    return "$rc"
}
step_tests() {
    some_tests laws_test operations_test generate_fused_test generate_image_test generate_lookup_test \
        generate_movement_test generate_product_test batch_kernels_test program_test random_programs_test sorting_test
}
step_tests_of_layers() {
    some_tests layers_test training_test training_failures_test examples_dense_test examples_image_test examples_sequence_test
}
# Measures time, bandwidth and registers of each kernel of some training steps.
step_counters() {
    needs ncu
    unpack
    local case rc=0
    for case in mlp100-sgd chain-1e7 softmax-1000; do
        echo "$case 0.05" | timeout 95 ncu --clock-control none --graph-profiling node --launch-skip 40 --launch-count 60 --kill yes \
            --metrics gpu__time_duration.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,launch__registers_per_thread \
            "$work/bin/benchmark_gpu" >"$OUT/ncu-$case.txt" 2>&1
        grep -q gpu__time_duration "$OUT/ncu-$case.txt" || { echo "$case: no counters"; tail -n 5 "$OUT/ncu-$case.txt"; rc=1; }
        tail -n 40 "$OUT/ncu-$case.txt"
        { echo "$case"; awk '/gpu__time_duration.sum/ {n++; t += $3} /dram__throughput/ {d = $3 > d ? $3 : d} END {print n " kernels, " t " in total, at most " d " % of bandwidth"}' "$OUT/ncu-$case.txt"; } | tr '\n' ' '
        echo
    done | tee "$work/counters.txt"
    grep 'kernels,' "$work/counters.txt" | figures
    ! grep -q 'no counters' "$work/counters.txt"
}
# Counts registers, spills and wide loads in the kernels that NVRTC compiled.
step_machine_code() {
    needs cuobjdump
    local file at
    for file in "$SIGMA_CUDA_CACHE"/*.kernels; do
        [[ -f $file ]] || continue
        # A file of KernelCache has a line before the code, which begins with the magic number of ELF.
        at=$(LC_ALL=C grep -abo $'\x7fELF' "$file" | head -n 1 | cut -d: -f1)
        tail -c "+$((${at:-0} + 1))" "$file" >"$work/kernels.cubin"
        echo "== ${file##*/}"
        cuobjdump -res-usage "$work/kernels.cubin" 2>&1 | tail -n 60
        cuobjdump -sass "$work/kernels.cubin" 2>/dev/null | grep -o 'LDG\.E[.0-9A-Z]*\|LDL\|STL' | sort | uniq -c
    done >"$OUT/machine-code.txt"
    [[ -s $OUT/machine-code.txt ]] || skip "no kernels in the cache: run steps 1 to 3 first"
    { echo "$(grep -c '^==' "$OUT/machine-code.txt") files"; grep -o 'REG:[0-9]*' "$OUT/machine-code.txt" | cut -d: -f2 | sort -n | tail -n 1 | sed 's/^/registers at most /'
      awk '/LDG.E.128/ {w += $1} /LDG.E/ {l += $1} /LDL|STL/ {s += $1} END {print w+0 " of " l+0 " loads are of 16 bytes, " s+0 " spills"}' "$OUT/machine-code.txt"; } | figures
}
step_sanitizer() {
    needs compute-sanitizer "$kit/run.sh"
    SECONDS_A_TOOL=${SECONDS_A_TOOL:-170} bash "$kit/run.sh" sanitizer | tee "$work/sanitizer.txt"
    local rc=${PIPESTATUS[0]}
    grep -E '^(memcheck|racecheck|synccheck):' "$work/sanitizer.txt" | figures
    return "$rc"
}
# Times the first step of a process without a cache, with an empty cache, and with a filled cache.
step_starts() {
    needs nvidia-smi
    unpack
    local how began
    for how in off "$work/empty-cache" "$work/empty-cache"; do
        began=$(date +%s.%N)
        echo "mlp100-sgd 0" | SIGMA_CUDA_CACHE=$how timeout 60 "$work/bin/benchmark_gpu" >/dev/null || return
        echo "cache ${how##*/}: $(awk "BEGIN {print $(date +%s.%N) - $began}") s"
    done | tee "$work/starts.txt"
    local rc=${PIPESTATUS[0]}
    figures <"$work/starts.txt"
    return "$rc"
}
step_faults() {
    needs nvidia-smi
    unpack
    timeout 50 "$work/bin/sigma_gpu_tests" '[.fault]' 2>&1 | tee "$work/faults.txt"
    local rc=${PIPESTATUS[0]}
    tail -n 3 "$work/faults.txt" | figures
    return "$rc"
}
step_kernels_of_peers() {
    needs python3
    python3 -c 'import torch' 2>/dev/null || skip "no PyTorch"
    unpack
    python3 "$work/benchmarks/run/gpu_peers.py" --kernels mlp100-sgd | tee "$OUT/kernels-of-peers.txt"
    local rc=${PIPESTATUS[0]}
    grep 'kernels a step' "$OUT/kernels-of-peers.txt" | figures
    return "$rc"
}
for name in mlp100 chain softmax wide mlp1024 lenet lstm attention embedding score stream mlp16384; do
    eval "step_$name() { timed $name; }"
done

# ---- run the steps in order ----

if [[ ${1:-} = list ]]; then
    echo "$steps" | sed '/^$/d'
    exit 0
fi
for wanted in "$@"; do
    grep -qE "^$wanted | $wanted " <<<"$steps" ||
        { echo "$0: expected numbers or names of steps, found '$wanted'" >&2; exit 2; }
done
failed=0
while read -r number name limit; do
    [[ -n $number ]] || continue
    [[ $# = 0 || " $* " = *" $number "* || " $* " = *" $name "* ]] || continue
    began=$SECONDS
    echo "== $number $name, at most $limit s" | tee -a "$log"
    export name kit work cuda
    timeout --kill-after=10 "$limit" bash -c "$(declare -f); set -uo pipefail; step_$name" >"$work/step.txt" 2>&1 </dev/null
    code=$?
    case $code in
        0) result="done" ;;
        77) result=skipped ;;
        124|137) result="stopped at $limit s" ;;
        *) result="FAILED ($code)" ;;
    esac
    [[ $code = 0 || $code = 77 ]] || failed=1
    cat "$work/step.txt" >>"$log"
    [[ $code = 0 ]] || tail -n 15 "$work/step.txt"
    printf '%s %s\t%s\t%s\t%s\n' "$number" "$name" "$result" $((SECONDS - began)) \
        "$(sed -n 's/^figures: //p' "$work/step.txt" | tail -n 1)" >>"$table"
done <<<"$steps"
cp "$table" "$out/table.tsv"
gzip -c "$log" >"$out/log.txt.gz"
find "$OUT" -type f -size -32M -printf '%P\0' | tar -C "$OUT" --null -czf "$out/results.tar.gz" -T -
cat "$table"
exit $failed
