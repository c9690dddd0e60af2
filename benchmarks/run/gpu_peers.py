#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Times Sigma and PyTorch (eager, CUDA graphs, torch.compile) on the same steps of one GPU, and prints a table with the
floor of each: bytes over the measured copy bandwidth, or operations over the measured rate of cuBLAS, or launches.

All take turns, case by case, within a round; a time is the smallest over the rounds of each round's median. Records stay
on the device in both, unless the case is to stream them; a step of PyTorch gathers its minibatch and sums its loss, as
Sigma's does. PyTorch is used as its own guides say: gradients are set to None, within a graph once before the capture, so
that backward writes them instead of adding; optimizers are fused; torch.compile is of mode "reduce-overhead", which
captures graphs. gpu.sh builds the program and calls this.

    benchmarks/run/gpu_peers.py build/bench/benchmarks/benchmark_gpu --output benchmarks/run/results/gpu.json
    benchmarks/run/gpu_peers.py --kernels mlp100-sgd        kernels of a step of PyTorch, eager and as a graph
    benchmarks/run/gpu_peers.py --try                       each case of PyTorch takes steps on the processor: no times
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
CASES = {  # case: what it is, network, records of a step, optimizer, TF32 in products and convolutions, where records are
    "mlp100-sgd": ("784-128-64-10, batch 100, SGD", SMALL, 100, "sgd", False, "kept"),
    "mlp100-adam": ("784-128-64-10, batch 100, Adam", SMALL, 100, "adam", False, "kept"),
    "mlp1024-sgd": ("784-128-64-10, batch 1024, SGD", SMALL, 1024, "sgd", False, "kept"),
    "mlp1024-adam": ("784-128-64-10, batch 1024, Adam", SMALL, 1024, "adam", False, "kept"),
    "mlp16384-sgd": ("784-128-64-10, batch 16384, SGD", SMALL, 16_384, "sgd", False, "kept"),
    "wide1024-sgd": ("784-4096-4096-10, batch 1024, SGD", WIDE, 1024, "sgd", False, "kept"),
    "wide1024-sgd-tf32": ("the same, TF32", WIDE, 1024, "sgd", True, "kept"),
    "lenet64-adam": ("LeNet, batch 64, Adam", "lenet", 64, "adam", False, "kept"),
    "lenet64-adam-tf32": ("the same, TF32 (of Sigma products alone)", "lenet", 64, "adam", True, "kept"),
    "lstm16-adam": ("LSTM 128, sequence 64, batch 16, Adam", "lstm", 16, "adam", False, "kept"),
    "attention32-adam": ("transformer block 128, 4 heads, sequence 64, batch 32, Adam", "attention", 32, "adam", False, "kept"),
    "embedding256-sgd": ("mean of 32 of 50000 rows of 64, batch 256, SGD", "embedding", 256, "sgd", False, "kept"),
    "stream1024-sgd": ("784-128-64-10, batch 1024, SGD, records copied from the host", SMALL, 1024, "sgd", False, "streamed"),
    "score10000": ("loss and accuracy of 784-128-64-10 over 10000 records", SMALL, 10_000, "sgd", False, "scored"),
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


def captured(torch, step, before=lambda: None):
    """`step` as a CUDA graph that is replayed; `before` is called before each step that is not, and before the capture."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        for _ in range(3):
            before()
            step()
    torch.cuda.current_stream().wait_stream(aside)
    before()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def network(torch, of, device):
    """A network and the shape of its inputs, how many ids they are numbers of (0: they are from 0 to 1), its classes."""
    nn = torch.nn

    class Last(nn.Module):  # of an LSTM the outputs alone, as logits: classes on axis 1
        def __init__(self):
            super().__init__()
            self.embedding, self.lstm, self.linear = nn.Embedding(65, 24), nn.LSTM(24, 128, batch_first=True), nn.Linear(128, 65)

        def forward(self, x):
            return self.linear(self.lstm(self.embedding(x))[0]).transpose(1, 2)

    class Mean(nn.Module):
        def forward(self, x):
            return x.mean(1)

    if of == "lenet":
        model = nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
                              nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
        shape, ids, targets, classes = (1, 28, 28), 0, (), 10
    elif of == "lstm":
        model, shape, ids, targets, classes = Last(), (64,), 65, (64,), 65
    elif of == "attention":
        block = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True, norm_first=True)
        model, shape, ids, targets, classes = nn.Sequential(block, Mean(), nn.Linear(128, 10)), (64, 128), 0, (), 10
    elif of == "embedding":
        model = nn.Sequential(nn.EmbeddingBag(50_000, 64, mode="mean"), nn.Linear(64, 2))
        shape, ids, targets, classes = (32,), 50_000, (), 2
    else:
        layers = []
        for i, (rows, columns) in enumerate(zip(of, of[1:])):
            layers += [nn.Linear(rows, columns)] + ([nn.ReLU()] if i + 2 < len(of) else [])
        model, shape, ids, targets, classes = nn.Sequential(*layers), (of[0],), 0, (), of[-1]
    return model.to(device), shape, ids, targets, classes


def fused(torch, make, parameters, device, **options):
    """An optimizer whose update is one kernel, where this PyTorch has that."""
    if device == "cuda":
        try:
            return make(parameters, fused=True, **options)
        except (TypeError, RuntimeError):
            pass
    return make(parameters, **options)


def training(torch, form, of, records, optimizer, tf32, place, device="cuda"):
    """A step of a form of PyTorch: gathers a minibatch, forward, backward, update; or scores all records."""
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = tf32
    model, shape, ids, targets, classes = network(torch, of, device)
    if optimizer == "adam":
        update = fused(torch, torch.optim.Adam, model.parameters(), device, lr=1e-5, capturable=device == "cuda")
    else:
        update = fused(torch, torch.optim.SGD, model.parameters(), device, lr=1e-3)
    all_records = records if place == "scored" else 20 * records
    there = "cpu" if place == "streamed" else device
    x = torch.randint(ids, (all_records, *shape), device=there) if ids else torch.rand(all_records, *shape, device=there)
    y = torch.randint(classes, (all_records, *targets), device=there)
    order = torch.randperm(all_records, device=there)
    total = torch.zeros((), device=device)
    forward = torch.compile(model, mode="reduce-overhead") if form == "compile" else model
    forget = lambda: update.zero_grad(set_to_none=True)

    def learn(x_now, y_now):
        if form == "compile":
            torch.compiler.cudagraph_mark_step_begin()
        loss = torch.nn.functional.cross_entropy(forward(x_now), y_now)
        if form != "graphs":
            forget()
        loss.backward()
        update.step()
        total.add_(loss.detach())

    if place == "scored":
        def score():
            with torch.no_grad():
                out = forward(x)
                return torch.nn.functional.cross_entropy(out, y), (out.argmax(1) == y).float().mean()
        if form != "graphs":
            return lambda: [value.item() for value in score()]
        results = []
        replay = captured(torch, lambda: results.append(score()))

        def scored():
            replay()
            return [value.item() for value in results[-1]]
        return scored

    if place == "streamed":
        # Two batches in pinned memory take turns: one is filled while the other is copied.
        pin = device == "cuda"
        slots = [(torch.empty(records, *shape, pin_memory=pin), torch.empty(records, *targets, dtype=torch.long, pin_memory=pin),
                  torch.cuda.Event() if pin else None) for _ in range(2)]
        x_now, y_now = torch.empty(records, *shape, device=device), torch.empty(records, *targets, dtype=torch.long, device=device)
        at = [0]
        x_now.copy_(x[:records]), y_now.copy_(y[:records])
        work = captured(torch, lambda: learn(x_now, y_now), forget) if form == "graphs" else lambda: learn(x_now, y_now)

        def step():
            host_x, host_y, copied = slots[at[0] % 2]
            first = at[0] * records % all_records
            at[0] += 1
            chosen = order[first:first + records]
            if copied:
                copied.synchronize()
            torch.index_select(x, 0, chosen, out=host_x), torch.index_select(y, 0, chosen, out=host_y)
            x_now.copy_(host_x, non_blocking=True), y_now.copy_(host_y, non_blocking=True)
            if copied:
                copied.record()
            work()
        return step

    first = torch.zeros(1, dtype=torch.long, device=device)
    row = torch.arange(records, device=device)

    def step():
        chosen = order[first + row]
        learn(x[chosen], y[chosen])
        first.add_(records).remainder_(all_records)
    return captured(torch, step, forget) if form == "graphs" else step


def try_cases(torch):
    """Each case of PyTorch takes three steps on the processor: that this file is right, no times."""
    for case, (_, *how) in CASES.items():
        how[1] = min(how[1], 64)
        step = training(torch, "eager", *how, device="cpu")
        for _ in range(3):
            step()
        print(f"{case}: runs")


def kernels(torch, case):
    """Kernels of one step, eager and as a graph."""
    for form in ("eager", "graphs"):
        step = training(torch, form, *CASES[case][1:])
        for _ in range(5):
            step()
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
            for _ in range(10):
                step()
            torch.cuda.synchronize()
        table = seen.key_averages()
        print(f"{form}: {sum(e.count for e in table) / 10:g} kernels a step")
        print(table.table(sort_by="count", row_limit=40))


def arrays(torch, form, case):
    if case == "chain-1e7":
        a, b, c = (torch.rand(10_000_000, device="cuda") for _ in range(3))
        function = lambda: a * b + c * torch.exp(-a)
    else:
        x = torch.rand(16_384, 1000, device="cuda")
        function = lambda: torch.softmax(x, -1)
    if form == "graphs":
        return captured(torch, function)
    return torch.compile(function, mode="reduce-overhead") if form == "compile" else function


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
    parser.add_argument("program", nargs="?", help="benchmark_gpu")
    parser.add_argument("--kernels", metavar="CASE", help="kernels of a step of PyTorch, instead of times")
    parser.add_argument("--try", dest="tries", action="store_true", help="steps on the processor, instead of times")
    parser.add_argument("--output", type=pathlib.Path, help="where to write JSON")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.2, help="for each case, contender and round")
    parser.add_argument("--only", default="", help="only cases that begin so")
    parser.add_argument("--forms", default="eager,graphs,compile", help="of PyTorch; the last takes most of the time")
    arguments = parser.parse_args()

    if arguments.tries or arguments.kernels:
        import torch
        kernels(torch, arguments.kernels) if arguments.kernels else try_cases(torch)
        return 0
    if not arguments.program:
        parser.error("expected benchmark_gpu, found no program")
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
        for form in arguments.forms.split(","):
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
        if there and case in CASES and not isinstance(CASES[case][1], str) and CASES[case][5] == "kept":
            floor = operations(CASES[case][1], CASES[case][2]) / rate[CASES[case][4]]
        elif there and case in ARRAYS:
            floor = max(ARRAYS[case][1] / copy, launches[case] * launch)
        elif there and case == "copy-1e8":
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
