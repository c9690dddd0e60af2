#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Times Sigma and PyTorch (eager, CUDA graphs, torch.compile) on the same steps of one GPU, and prints a table with the
floor of each: bytes over the measured copy bandwidth, or operations over the measured rate of cuBLAS, or launches.

All take turns, case by case, within a round; a time is the smallest over the rounds of each round's median. Records stay
on the device in both; a step of PyTorch gathers its minibatch and sums its loss, as Sigma's does. gpu.sh builds the program and calls this.

    benchmarks/run/gpu_peers.py build/bench/benchmarks/benchmark_gpu --output benchmarks/run/results/gpu.json
"""
import argparse
import datetime
import json
import math
import pathlib
import statistics
import subprocess
import sys
import time

SMALL, WIDE = (784, 128, 64, 10), (784, 4096, 4096, 10)
CASES = {  # case: what it is, layers, records of a step, optimizer, TF32
    "mlp100-sgd": ("784-128-64-10, batch 100, SGD", SMALL, 100, "sgd", False),
    "mlp100-adam": ("784-128-64-10, batch 100, Adam", SMALL, 100, "adam", False),
    "mlp1024-sgd": ("784-128-64-10, batch 1024, SGD", SMALL, 1024, "sgd", False),
    "mlp1024-adam": ("784-128-64-10, batch 1024, Adam", SMALL, 1024, "adam", False),
    "wide1024-sgd": ("784-4096-4096-10, batch 1024, SGD", WIDE, 1024, "sgd", False),
    "wide1024-sgd-tf32": ("the same, TF32", WIDE, 1024, "sgd", True),
}
ARRAYS = {  # case: what it is, bytes that must move
    "chain-1e7": ("d = a*b + c*exp(-a), n = 1e7", 4 * 4 * 10_000_000),
    "softmax-1000": ("softmax over 1000 columns, 16384 rows", 2 * 4 * 16_384_000),
}
TARGETS = {  # case: (text, test of the row)
    "mlp100-sgd": ("eager >= 5, graphs >= 1.5", lambda r: r["eager"] >= 5 and r["graphs"] >= 1.5),
    "mlp100-adam": ("eager >= 5, graphs >= 1.5", lambda r: r["eager"] >= 5 and r["graphs"] >= 1.5),
    "wide1024-sgd": ("floor >= 0.95", lambda r: r["floor"] >= 0.95),
    "wide1024-sgd-tf32": ("floor >= 0.95", lambda r: r["floor"] >= 0.95),
    "chain-1e7": ("floor >= 0.85", lambda r: r["floor"] >= 0.85),
}


class Sigma:
    def __init__(self, program):
        self.process = subprocess.Popen([program], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.about = self.process.stdout.readline().strip()
        self.cases = self.process.stdout.readline().split()
        if not self.cases:
            sys.exit(self.process.wait() or 1)

    def measure(self, case, seconds):
        self.process.stdin.write(f"{case} {seconds}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if len(answer) != 4:
            sys.exit(f"{self.process.args[0]} ended at {case}")
        return float(answer[1]), int(answer[3])


def microseconds(torch, step, seconds):
    """The median time of one call of `step`, many of them between two synchronizations."""
    def timed(times):
        torch.cuda.synchronize()
        began = time.perf_counter()
        for _ in range(times):
            step()
        torch.cuda.synchronize()
        return time.perf_counter() - began
    timed(10)
    times = 1
    while timed(times) < 0.02:
        times *= 2
    samples, spent = [], 0
    while spent < seconds or len(samples) < 5:
        samples.append(timed(times))
        spent += samples[-1]
    return statistics.median(samples) / times * 1e6


def captured(torch, step):
    """`step` as a CUDA graph that is replayed."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def network(torch, widths):
    layers = []
    for i, (rows, columns) in enumerate(zip(widths, widths[1:])):
        layers += [torch.nn.Linear(rows, columns)] + ([torch.nn.ReLU()] if i + 2 < len(widths) else [])
    return torch.nn.Sequential(*layers).cuda()


def training(torch, form, widths, records, optimizer, tf32):
    """A step of a form of PyTorch: gathers a minibatch, forward, backward, update."""
    torch.backends.cuda.matmul.allow_tf32 = tf32
    model = network(torch, widths)
    make = {"sgd": lambda p: torch.optim.SGD(p, lr=1e-3), "adam": lambda p: torch.optim.Adam(p, lr=1e-5, capturable=True)}[optimizer]
    update = make(model.parameters())
    all_records = 20 * records
    x = torch.rand(all_records, widths[0], device="cuda")
    y = torch.randint(widths[-1], (all_records,), device="cuda")
    order = torch.randperm(all_records, device="cuda")
    first = torch.zeros(1, dtype=torch.long, device="cuda")
    row = torch.arange(records, device="cuda")
    total = torch.zeros((), device="cuda")
    forward = torch.compile(model) if form == "compile" else model

    def step():
        chosen = order[first + row]
        loss = torch.nn.functional.cross_entropy(forward(x[chosen]), y[chosen])
        update.zero_grad(set_to_none=form != "graphs")
        loss.backward()
        update.step()
        total.add_(loss.detach())
        first.add_(records).remainder_(all_records)
    return captured(torch, step) if form == "graphs" else step


def arrays(torch, form, case):
    if case == "chain-1e7":
        a, b, c = (torch.rand(10_000_000, device="cuda") for _ in range(3))
        function = lambda: a * b + c * torch.exp(-a)
    else:
        x = torch.rand(16_384, 1000, device="cuda")
        function = lambda: torch.softmax(x, -1)
    if form == "graphs":
        return captured(torch, function)
    return torch.compile(function) if form == "compile" else function


def operations(widths, records):
    """Of the products of a step: forward, and both gradients but that of the records."""
    products = [2 * records * a * b for a, b in zip(widths, widths[1:])]
    return 3 * sum(products) - products[0]


def limits(torch, seconds):
    """Bytes a microsecond of a copy (read and written), operations a microsecond of cuBLAS, microseconds of a launch in a graph."""
    x, y = (torch.rand(25_000_000, device="cuda") for _ in range(2))
    copy = 2 * 4 * x.numel() / microseconds(torch, lambda: y.copy_(x), seconds)
    rate = {}
    for tf32 in (False, True):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        a, b, c = torch.rand(1024, 4096, device="cuda"), torch.rand(4096, 4096, device="cuda"), torch.empty(1024, 4096, device="cuda")
        rate[tf32] = 2 * 1024 * 4096 * 4096 / microseconds(torch, lambda: torch.mm(a, b, out=c), seconds)
    small = torch.zeros(32, device="cuda")

    def launches():
        for _ in range(100):
            small.add_(1)
    return copy, rate, microseconds(torch, captured(torch, launches), seconds) / 100


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="benchmark_gpu")
    parser.add_argument("--output", type=pathlib.Path, help="where to write JSON")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.2, help="for each case, contender and round")
    parser.add_argument("--only", default="", help="only cases that begin so")
    arguments = parser.parse_args()

    sigma = Sigma(arguments.program)
    print(sigma.about)
    try:
        import torch
        there = torch.cuda.is_available()
        print(f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}: " + (torch.cuda.get_device_name() if there else "no device"))
    except ImportError:
        there = False
        print("PyTorch is not installed: Sigma is measured alone")

    names = [case for case in [*CASES, *ARRAYS, "copy-1e8"] if case.startswith(arguments.only) and case in sigma.cases]
    times, launches, failed = {case: {} for case in names}, {}, {}
    if there:
        torch.set_float32_matmul_precision("highest")
        copy, rate, launch = limits(torch, arguments.seconds)
        print(f"copy {copy / 1e3:.0f} GB/s; cuBLAS {rate[False] / 1e6:.1f} TFLOP/s, TF32 {rate[True] / 1e6:.1f}; "
              f"a launch in a graph {launch:.2f} us")
    for case in names:
        for turn in range(arguments.rounds):
            median, launches[case] = sigma.measure(case, arguments.seconds)
            times[case].setdefault("sigma", []).append(median)
        if not there or case == "copy-1e8":
            continue
        for form in ("eager", "graphs", "compile"):
            try:
                if form == "compile":
                    torch._dynamo.reset()
                step = training(torch, form, *CASES[case][1:]) if case in CASES else arrays(torch, form, case)
                for turn in range(arguments.rounds):
                    times[case].setdefault(form, []).append(microseconds(torch, step, arguments.seconds))
                    times[case]["sigma"].append(sigma.measure(case, arguments.seconds)[0])
            except Exception as problem:  # a form that this installation does not have must not hide the others
                failed[f"{case} {form}"] = str(problem).splitlines()[:1]
            step = None
            torch.cuda.empty_cache()

    print("\n| work | Sigma us | eager us | graphs us | compile us | floor us | eager / Sigma | graphs / Sigma | compile / Sigma | floor / Sigma | target | |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")
    results = []
    for case in names:
        us = {who: min(list_) for who, list_ in times[case].items()}
        floor = math.nan
        if there and case in CASES:
            floor = operations(CASES[case][1], CASES[case][2]) / rate[CASES[case][4]]
        elif there and case in ARRAYS:
            floor = max(ARRAYS[case][1] / copy, launches[case] * launch)
        elif there:
            floor = 2e8 / copy
        us["floor"] = floor
        row = {who: us.get(who, math.nan) / us["sigma"] for who in ("eager", "graphs", "compile", "floor")}
        text, test = TARGETS.get(case, ("", None))
        verdict = "" if test is None or not there else "ok" if test(row) else "MISSED"
        shown = lambda x, form: "" if math.isnan(x) else format(x, form)
        what = CASES[case][0] if case in CASES else ARRAYS[case][0] if case in ARRAYS else "copy of 1e8 bytes"
        print(f"| {what} | " + " | ".join(shown(us.get(who, math.nan), ".4g") for who in ("sigma", "eager", "graphs", "compile", "floor")) + " | " +
              " | ".join(shown(row[who], ".2f") for who in ("eager", "graphs", "compile", "floor")) + f" | {text} | {verdict} |")
        results.append({"case": case, "us": us, "all_us": times[case], "launches": launches[case], "ratios": row, "target": text, "verdict": verdict})
    for what, why in failed.items():
        print(f"{what} was not measured: {why}")
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        arguments.output.write_text(json.dumps({"sigma": sigma.about, "date": datetime.date.today().isoformat(), "rows": results}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
