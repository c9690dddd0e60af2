#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Times Sigma, a plain BLAS program and libtorch on the same steps and prints a table with ratios.

The contenders run side by side and take turns, case by case, so that a busy machine hurts all alike. A time is the
smallest over the rounds of each round's median of processor time, which other programs hardly lengthen; ratios come
from these. Rows of two threads compare the least time on the wall with that of one thread.

    cmake -B build/bench -DSIGMA_BUILD_BENCHMARKS=ON && cmake --build build/bench
    benchmarks/run/compare.py build/bench/benchmarks --output benchmarks/run/results/run.json
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys

ROWS = [  # case, what it is, target (text, and a test of the row's numbers)
    ("iris-sgd", "Iris 4-12-12-3, batch 10, SGD", "torch >= 80", lambda r: r["torch"] >= 80),
    ("iris-adam", "Iris 4-12-12-3, batch 10, Adam", "torch >= 80", lambda r: r["torch"] >= 80),
    ("mlp32-sgd", "784-128-64-10, batch 32, SGD", "torch >= 3", lambda r: r["torch"] >= 3),
    ("mlp100-sgd", "784-128-64-10, batch 100, SGD", "torch >= 2", lambda r: r["torch"] >= 2),
    ("mlp100-adam", "784-128-64-10, batch 100, Adam", "torch >= 3.2", lambda r: r["torch"] >= 3.2),
    ("mlp100-sgd-2threads", "784-128-64-10, batch 100, SGD, 2 threads", "1 thread >= 1.6", lambda r: r["threads"] >= 1.6),
    ("mlp100-adam-2threads", "784-128-64-10, batch 100, Adam, 2 threads", "1 thread >= 1.6", lambda r: r["threads"] >= 1.6),
    ("wide-sgd", "784-1024-1024-10, batch 100, SGD", "torch >= 1.35", lambda r: r["torch"] >= 1.35),
    ("wide-adam", "784-1024-1024-10, batch 100, Adam", "torch >= 2", lambda r: r["torch"] >= 2),
    ("lenet-sgd", "LeNet, batch 64, SGD", "torch >= 4", lambda r: r["torch"] >= 4),
    ("lenet-adam", "LeNet, batch 64, Adam", "torch >= 4", lambda r: r["torch"] >= 4),
    ("lenet-sgd-2threads", "LeNet, batch 64, SGD, 2 threads", "1 thread >= 1.6", lambda r: r["threads"] >= 1.6),
    ("lstm-sgd", "LSTM 64-128 and 64 classes, length 32, batch 32, SGD", "torch >= 2.4", lambda r: r["torch"] >= 2.4),
    ("lstm-adam", "LSTM 64-128 and 64 classes, length 32, batch 32, Adam", "", None),
    ("lstm-sgd-2threads", "LSTM 64-128 and 64 classes, length 32, batch 32, SGD, 2 threads", "1 thread >= 1.6", lambda r: r["threads"] >= 1.6),
    ("value-1e3", "sum tanh(ax+b)exp(-xx), n = 1e3", "", None),
    ("gradient-1e3", "value and gradient of sum tanh(ax+b)exp(-xx), n = 1e3", "torch >= 50, value <= 1.3",
     lambda r: r["torch"] >= 50 and r["value"] <= 1.3),
    ("value-1e5", "sum tanh(ax+b)exp(-xx), n = 1e5", "", None),
    ("gradient-1e5", "value and gradient of sum tanh(ax+b)exp(-xx), n = 1e5", "torch >= 10, value <= 1.3",
     lambda r: r["torch"] >= 10 and r["value"] <= 1.3),
    ("chain-1e3", "d = a*b + c*exp(-a), n = 1e3, new d", "", None),
    ("chain-into-1e3", "d = a*b + c*exp(-a), n = 1e3, old d", "plain >= 0.91", lambda r: r["plain"] >= 1 / 1.1),
    ("chain-1e5", "d = a*b + c*exp(-a), n = 1e5, new d", "", None),
    ("chain-into-1e5", "d = a*b + c*exp(-a), n = 1e5, old d", "plain >= 0.91", lambda r: r["plain"] >= 1 / 1.1),
    ("chain-1e7", "d = a*b + c*exp(-a), n = 1e7, new d", "", None),
    ("chain-into-1e7", "d = a*b + c*exp(-a), n = 1e7, old d", "plain >= 0.91", lambda r: r["plain"] >= 1 / 1.1),
    ("predict-iris", "prediction of one record, Iris", "<= 0.3 us", lambda r: r["us"]["sigma"] <= 0.3),
    ("predict-mlp", "prediction of one record, 784-128-64-10", "torch >= 3", lambda r: r["torch"] >= 3),
]
NO_HEAP = ("iris", "mlp", "wide", "lenet", "lstm", "predict", "chain-into")  # cases whose steps must not allocate


class Contender:
    def __init__(self, command, extra=None):
        environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1",
                           OPENBLAS_CORETYPE=os.environ.get("OPENBLAS_CORETYPE", core_type()), **(extra or {}))
        self.process = subprocess.Popen(command if isinstance(command, list) else [command], env=environment, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.about = self.process.stdout.readline().strip()
        self.cases = self.process.stdout.readline().split()

    def measure(self, case, seconds):
        self.process.stdin.write(f"{case} {seconds}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if len(answer) != 4:
            sys.exit(f"{self.process.args} ended at {case}")
        return [float(x) for x in answer[1:]]


def processor():
    with open("/proc/cpuinfo") as f:
        lines = [line.split(":", 1) for line in f if ":" in line]
    return {k.strip(): v.strip() for k, v in reversed(lines)}


def core_type():
    """The kernels that OpenBLAS should take; what it takes by itself is wrong on processors newer than it."""
    cpu = processor()
    flags = cpu.get("flags", "").split()
    if {"avx512f", "avx512bw", "avx512vl", "avx512dq"} <= set(flags):
        return "SkylakeX"
    return "Zen" if "AMD" in cpu.get("vendor_id", "") else "Haswell"


def find(folder, name):
    for path in (folder / f"benchmark_contender_{name}", folder / name):
        if path.exists():
            return str(path)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=pathlib.Path, help="folder of the contenders' programs")
    parser.add_argument("--output", type=pathlib.Path, help="where to write JSON")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1, help="for each case, contender and round")
    parser.add_argument("--only", default="", help="only cases that begin so")
    arguments = parser.parse_args()

    contenders = {}
    for name in ("sigma", "plain"):
        contenders[name] = Contender(find(arguments.programs, name) or sys.exit(f"no contender {name}"))
    torch = find(arguments.programs, "torch")
    if torch:
        contenders["torch"] = Contender(torch)
        contenders["torch-avx2"] = Contender(torch, {"ATEN_CPU_CAPABILITY": "avx2"})
    for name, contender in contenders.items():
        print(f"{name}: {contender.about}")

    rows = [row for row in ROWS if row[0].startswith(arguments.only)]
    times, walls, heap = {}, {}, {}
    for turn in range(arguments.rounds):
        for case, *_ in rows:
            for name, contender in contenders.items():
                if case in contender.cases:
                    median, wall, allocations = contender.measure(case, arguments.seconds)
                    times.setdefault(case, {}).setdefault(name, []).append(median)
                    walls.setdefault(case, {}).setdefault(name, []).append(wall)
                    heap.setdefault(case, {})[name] = allocations
        print(f"round {turn + 1} of {arguments.rounds}", file=sys.stderr)

    best = {case: {name: min(t) for name, t in by.items()} for case, by in times.items()}
    least = {case: min(by["sigma"]) for case, by in walls.items()}
    for by in best.values():
        if "torch-avx2" in by:
            by["torch"] = min(by["torch"], by.pop("torch-avx2"))
    print("\n| work | sigma us | plain us | torch us | plain / sigma | torch / sigma | heap calls | target | |")
    print("|---|---|---|---|---|---|---|---|---|")
    results, missed = [], 0
    nan = float("nan")
    for case, work, target, test in rows:
        us = best[case]
        row = {"case": case, "work": work, "target": target, "us": us, "all_us": times[case],
               "wall_us": walls[case], "heap": heap[case],
               "plain": us.get("plain", nan) / us["sigma"], "torch": us.get("torch", nan) / us["sigma"]}
        note = ""
        if case.endswith("-2threads"):
            us["sigma"] = least[case]
            row["threads"] = least.get(case.removesuffix("-2threads"), nan) / least[case]
            note = f" ({row['threads']:.2f} x 1 thread)"
        if case.startswith("gradient"):
            row["value"] = us["sigma"] / best.get(case.replace("gradient", "value"), {}).get("sigma", nan)
            note = f" ({row['value']:.2f} x value)"
        met = (test is None or test(row)) and not (case.startswith(NO_HEAP) and heap[case]["sigma"] > 0)
        row["met"] = bool(met)
        missed += not met
        results.append(row)
        cell = lambda x, form: "" if x != x else format(x, form)
        print(f"| {work} | {us['sigma']:.4g}{note} | {cell(us.get('plain', nan), '.4g')} | "
              f"{cell(us.get('torch', nan), '.4g')} | {cell(row['plain'], '.2f')} | {cell(row['torch'], '.2f')} | "
              f"{heap[case]['sigma']:g} | {target} | {'MISSED' if not met else 'ok' if target else ''} |")
    print(f"\n{missed} of {len(rows)} rows miss their target")
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        cpu = processor()
        about = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                 "processor": cpu.get("model name", platform.processor()), "cores": os.cpu_count(),
                 "contenders": {n: c.about for n, c in contenders.items()}, "rounds": arguments.rounds}
        arguments.output.write_text(json.dumps({"about": about, "rows": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
