#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Times training by several processes of this machine beside one process, and prints tables.

    machines.py build/bench/benchmarks/benchmark_machines --output benchmarks/run/results/machines.json [--rounds 5]
    machines.py --tables benchmarks/run/results/machines.json

Configurations take turns within a round, each when other programs are quiet or 4 seconds later. The time of a step is the least
of all rounds; what is in the file already counts, too. Processes are bound to no core (`--bind-to
none`): mpirun binds each of one or two to a core of its own, where its threads share that core; `--bind-to core` shows what that
costs. machines_model.py reads the file.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import time

NETWORKS = {"small": ("784-32-10", 25_450), "large": ("784-1024-1024-10", 1_863_690), "lenet": ("LeNet", 61_706)}
CONFIGURATIONS = [(1, 1), (1, 2), (2, 1), (2, 2), (4, 1)]  # ranks, threads of each
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "SIGMA_OFFLINE": "1"}


def used():
    """Seconds in which processors computed, and did not."""
    numbers = [int(x) for x in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    return sum(numbers[:3]), sum(numbers)


def wait_for_quiet(seconds=4):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        busy, all_of_it = used()
        time.sleep(0.2)
        busy_then, all_then = used()
        if busy_then - busy < 0.15 * (all_then - all_of_it):
            return


def lines(ranks, program, *words, bind="none"):
    wait_for_quiet()
    command = ["mpirun", "--bind-to", bind, "-n", str(ranks), program, *map(str, words)]
    text = subprocess.run(command, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def measured(program, rounds, batch, bind):
    for _ in range(rounds):
        for network in NETWORKS:
            for ranks, threads in CONFIGURATIONS:
                yield from lines(ranks, program, "steps", network, threads, batch, bind=bind)
        for network, (_, floats) in NETWORKS.items():
            for ranks in (2, 4):
                yield from lines(ranks, program, "sums", floats, bind=bind)
        for network in NETWORKS:
            for records in (8, 32, 128, 512, 2048):
                yield from lines(1, program, "profile", network, 1, records, 4, bind=bind)
        yield from lines(2, program, "ping", bind=bind)


KEYS = ("what", "network", "how", "ranks", "threads", "batch", "floats", "bucket", "bytes", "parts")


def least(all_lines):
    """Of lines that measure the same, each number that is a time at its least; of `hidden` the line of the shortest sums."""
    groups = collections.defaultdict(list)
    for line in all_lines:
        groups[tuple(line.get(k) for k in KEYS)].append(line)
    for same in groups.values():
        best = dict(same[0])
        for key, value in best.items():
            if isinstance(value, float):
                best[key] = min(line[key] for line in same)
        if best["what"] == "hidden":
            best = min(same, key=lambda line: line["busy"] + line["waited"])
        if best["what"] == "profile":
            best["buckets"] = [[min(line["buckets"][i][0] for line in same), b[1]] for i, b in enumerate(best["buckets"])]
        yield best


def tables(results):
    of = collections.defaultdict(list)
    for line in results:
        of[line["what"]].append(line)
    hidden = {(x["network"], x["ranks"], x["threads"]): x for x in of["hidden"]}
    print("| network | how | processes × threads | step, ms | epoch, ms | sums, ms | waited, ms | hidden | sent, kB | 2(n-1)/n, kB |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for x in sorted(of["step"], key=lambda x: (list(NETWORKS).index(x["network"]), x["how"] == "machines", x["ranks"], x["threads"])):
        more = ["", "", "", "", ""]
        h = hidden.get((x["network"], x["ranks"], x["threads"]))
        if x["how"] == "machines" and h:
            share = f"{100 * max(0, 1 - h['waited'] / h['busy']):.0f} %" if h["ranks"] > 1 else ""
            more = [f"{1e3 * h['busy']:.3f}", f"{1e3 * h['waited']:.3f}", share, f"{h['sent'] / 1e3:.1f}", f"{h['least'] / 1e3:.1f}"]
        print(f"| {NETWORKS[x['network']][0]} | {x['how']} | {x['ranks']} × {x['threads']} | {1e3 * x['least']:.3f} "
              f"| {1e3 * x['epoch']:.1f} | {' | '.join(more)} |")
    print("\n| numbers | processes | how | bucket, KiB | ms |\n|---|---|---|---|---|")
    for x in of["sum"]:
        print(f"| {x['floats']} | {x['ranks']} | {x['how']} | {x['bucket'] // 1024 or ''} | {1e3 * x['seconds']:.3f} |")
    print("\n| bytes | one way, µs | exchanged, µs |\n|---|---|---|")
    for x in of["message"]:
        print(f"| {x['bytes']} | {1e6 * x['one_way']:.2f} | {1e6 * x['exchange']:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("--output", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch", type=int, default=120)
    parser.add_argument("--bind-to", default="none")
    parser.add_argument("--tables", type=pathlib.Path, help="of such a file, without measuring")
    options = parser.parse_args()
    if options.tables:
        return tables(json.loads(options.tables.read_text()))
    before = json.loads(options.output.read_text()) if options.output and options.output.exists() else []
    results = list(least([*before, *measured(options.program, options.rounds, options.batch, options.bind_to)]))
    if options.output:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text("[\n" + ",\n".join(json.dumps(x) for x in results) + "\n]\n")
    tables(results)


if __name__ == "__main__":
    main()
