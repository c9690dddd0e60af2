#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Times predictions of Sigma, libtorch, ONNX Runtime and RTNeural on the same networks and prints a table with ratios.

As compare.py: contenders take turns, case by case, and a time is the smallest over the rounds of each round's median of
processor time. Sigma runs twice, with networks that are types and with the same from files. Those of "latency" are the
clock on the wall for one record, median and 99th percentile; reading that clock is part of them.

    scripts/install-dependencies.sh oracle runtime
    cmake -B build/bench -DSIGMA_BUILD_BENCHMARKS=ON && cmake --build build/bench
    benchmarks/run/compare_inference.py build/bench/benchmarks --output benchmarks/run/results/inference.json
"""
import argparse
import datetime
import glob
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

from compare import Contender, find, processor

BATCHES = {"mlp": (1, 8, 64, 256, 1024), "wide": (1, 8, 64, 256, 1024), "lenet": (1, 8, 64, 256, 1024),
           "transformer": (1, 8, 64)}
WORK = {"mlp": "784-128-64-10", "wide": "784-1024-1024-10", "lenet": "LeNet",
        "transformer": "transformer block 128, 4 heads, hidden 512, length 64", "step": "LSTM 64-128 and 64 outputs, a step",
        "dense-8": "1-8-8-1, tanh, a sample", "conv1d": "convolution 8 to 8 over 7, 64 samples",
        **{f"{cell}-{n}": f"{cell.upper()} 1-{n} and one output, a sample" for cell in ("lstm", "gru") for n in (8, 16, 24, 32)}}
SAMPLES = ("dense-8", "lstm-8", "lstm-16", "lstm-24", "lstm-32", "gru-8", "gru-16", "gru-24", "gru-32", "conv1d")
ROWS = [(f"{n}-{b}", f"{WORK[n]}, batch {b}") for n, batches in BATCHES.items() for b in batches]
ROWS += [("step", f"{WORK['step']}, 1 stream"), ("step-64", f"{WORK['step']}, 64 streams")]
ROWS += [(n + "-1" if n in ("dense-8", "conv1d") else n, WORK[n]) for n in SAMPLES]
LATENCIES = ("mlp", "wide", "lenet", "transformer", "step", "lstm-32")
SIGMA = ("sigma", "file")


def contenders(arguments, models):
    sigma = find(arguments.programs, "inference_sigma") or sys.exit("no contender inference_sigma")
    subprocess.run([sigma, "--write", models], check=True)
    all = {"sigma": Contender(sigma), "file": Contender([sigma, "--loaded"])}
    if torch := find(arguments.programs, "inference_torch"):
        subprocess.run([torch, "--write", models], check=True)
        all["torch"] = Contender(torch)
    onnx = find(arguments.programs, "inference_onnx")
    if onnx and arguments.onnxruntime:
        all["onnx"] = Contender([onnx, arguments.onnxruntime, models])
    for name in ("rtneural", "rtneural_dynamic"):
        if program := find(arguments.programs, "inference_" + name):
            all[name] = Contender(program)
    return all


def once(command):
    """Milliseconds on the wall and peak megabytes of a process that loads a model and predicts one record."""
    began = time.monotonic()
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    return (1e3 * (time.monotonic() - began), used.ru_maxrss / 1e3) if status == 0 else None


def cell(x, form):
    return "" if x is None else format(x, form)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=pathlib.Path, help="folder of the contenders' programs")
    parser.add_argument("--onnxruntime", help="libonnxruntime.so.1; else that of npm's package in ~/.cache/sigma",
                        default=next(iter(glob.glob(os.path.expanduser("~/.cache/sigma/onnxruntime-node-*/bin/*/linux/x64/libonnxruntime.so.1"))), None))
    parser.add_argument("--output", type=pathlib.Path, help="where to write JSON")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1, help="for each case, contender and round")
    parser.add_argument("--only", default="", help="only cases that begin so")
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory() as models:
        compare(arguments, models)


def compare(arguments, models):
    peers = contenders(arguments, models)
    for name, contender in peers.items():
        print(f"{name}: {contender.about}")
    others = [name for name in peers if name not in SIGMA]
    rows = [row for row in ROWS if row[0].startswith(arguments.only)]
    latencies = [name for name in LATENCIES if name.startswith(arguments.only)]
    found = {}  # case: contender: [median, wall, heap] of each round
    for turn in range(arguments.rounds):
        for case in [r[0] for r in rows] + ["latency-" + n for n in latencies]:
            for name, contender in peers.items():
                if case in contender.cases:
                    found.setdefault(case, {}).setdefault(name, []).append(contender.measure(case, arguments.seconds))
        print(f"round {turn + 1} of {arguments.rounds}", file=sys.stderr)
    least = lambda case, name, i: min(x[i] for x in found[case][name]) if name in found.get(case, {}) else None

    behind = 0
    print("\n| work | Sigma us | from a file | " + " | ".join(f"{n} us" for n in others) + " | best peer / Sigma, from a file | heap calls | |")
    print("|---|" + "---|" * (len(others) + 5))
    for case, work in rows:
        us = {name: least(case, name, 0) for name in peers}
        best = min(us[name] for name in others if us[name] is not None) if others else None
        ratios = [best / us[name] for name in SIGMA] if best else []
        behind += any(r < 1 for r in ratios[:1])
        print(f"| {work} | " + " | ".join(cell(us[n], ".4g") for n in peers) + " | " + ", ".join(f"{r:.2f}" for r in ratios) +
              f" | {max(least(case, n, 2) for n in SIGMA):g} | {'BEHIND' if ratios and ratios[0] < 1 else ''} |")
    print(f"\n{behind} of {len(rows)} rows are behind a peer")

    print("\n| one record, us: median, 99 of 100 | " + " | ".join(peers) + " |\n|---|" + "---|" * len(peers))
    for name in latencies:
        case = "latency-" + name
        print(f"| {WORK[name]} | " + " | ".join(
            f"{least(case, p, 0):.3g}, {least(case, p, 1):.3g}" if p in found[case] else "" for p in peers) + " |")

    commands = {"file": lambda n: [peers["file"].process.args[0], "--once", f"{models}/{n}.sigma"],
                "torch": lambda n: [peers["torch"].process.args[0], "--once", f"{models}/{n}.pt"],
                "onnx": lambda n: [*peers["onnx"].process.args[:2], "--once", f"{models}/{n}.onnx"]}
    commands = {n: c for n, c in commands.items() if n in peers}
    files = {"file": "sigma", "torch": "pt", "onnx": "onnx"}
    loads = {}
    print("\n| a process that loads a model and predicts once: ms, MB of memory, MB of the file | " + " | ".join(commands) +
          " |\n|---|" + "---|" * len(commands))
    for name in [n for n in BATCHES if n.startswith(arguments.only)]:
        for _ in range(5):
            for peer, command in commands.items():
                loads.setdefault(name, {}).setdefault(peer, []).append(once(command(name)))
        print(f"| {WORK[name]} | " + " | ".join(
            f"{min(t for t, _ in loads[name][p]):.3g}, {min(m for _, m in loads[name][p]):.3g}, "
            f"{os.path.getsize(f'{models}/{name}.{files[p]}') / 1e6:.3g}" for p in commands) + " |")
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        about = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                 "processor": processor().get("model name", platform.processor()), "cores": os.cpu_count(),
                 "contenders": {n: c.about for n, c in peers.items()}, "rounds": arguments.rounds}
        arguments.output.write_text(json.dumps({"about": about, "cases": found, "loads": loads}, indent=1) + "\n")


if __name__ == "__main__":
    main()
