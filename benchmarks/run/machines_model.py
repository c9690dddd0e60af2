#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Predicts the time of a step on 1 to 1,024 processes from what one process computes and from a network's latency and bandwidth.

    machines_model.py benchmarks/run/results/machines.json --network large --batch 8192
    machines_model.py FILE --network large --records 256 --alpha 2e-6 --gigabits 100
    machines_model.py FILE --megabytes 100 --each 0.005 --bucket-each 0
    machines_model.py FILE --check                   predicted beside what machines.py has measured here
    machines_model.py --prove                        the model beside cases that are known

A message of m bytes takes alpha + beta·m seconds (Hockney 1994). A sum of B bytes over n processes is a reduce-scatter and an
all-gather, each of n - 1 messages to a process and (n - 1)/n·B bytes (Thakur, Rabenseifner and Gropp 2005), and gamma·B seconds of
own additions. Sums are made one after the other, each when its numbers are complete: that is in the last of the parts of the batch
that the process has. The update comes after the last sum and is made by each process. What the parts take to compute, and when
each sum can begin, is linear in their records: fitted to `machines profile`.
"""
import argparse
import dataclasses
import json
import math
import pathlib

NETWORKS = {  # typical values, of a message between two machines; not measured by us
    "1 GbE": (50e-6, 1),
    "10 GbE": (20e-6, 10),
    "100 Gb/s InfiniBand": (1.5e-6, 100),
}


@dataclasses.dataclass
class Work:
    """What one process computes: seconds of a part of r records are fixed + each·r."""
    buckets: list  # (fixed, each, bytes), in the order in which they are complete
    rest: tuple  # (fixed, each): of a part, to its end
    update: float
    gamma: float

    @property
    def bytes(self):
        return sum(b for _, _, b in self.buckets)


def line_through(points):
    """fixed, each >= 0 of fixed + each·x, nearest to these points by the ratio."""
    weights = [1 / y**2 for _, y in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points)) / total
    spread = sum(w * (x - mean_x)**2 for w, (x, _) in zip(weights, points))
    each = max(0, sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points)) / spread) if spread else 0
    return max(0, mean_y - each * mean_x), each


def work_of(results, network):
    profiles = [x for x in results if x["what"] == "profile" and x["network"] == network]
    records = lambda x: x["batch"] / x["parts"]
    buckets = [(*line_through([(records(x), x["buckets"][i][0]) for x in profiles]), profiles[0]["buckets"][i][1])
               for i in range(len(profiles[0]["buckets"]))]
    rest = line_through([(records(x), x["step"] - x["update"]) for x in profiles])
    all_bytes = sum(b for _, _, b in buckets)
    return Work(buckets, rest, min(x["update"] for x in profiles), min(x["additions"] for x in profiles) / all_bytes)


def assumed(count, each, of):
    """Of a network that nobody has measured: so many bytes of gradients in equal sums of 1 MiB, complete one after the other in the
    last two thirds of a part; an update and additions like those of another."""
    sums = math.ceil(count / (1 << 20))
    buckets = [(0, each * (1 + 2 * (i + 1) / sums) / 3, count / sums) for i in range(sums)]
    return Work(buckets, (0, each), of.update / of.bytes * count, of.gamma)


def parts_of(ranks):
    return max(4, 1 << (ranks - 1).bit_length())


def step(work, ranks, batch, alpha, beta, *, parts=None, bucket=None, hidden=True, slower=1.0, tree=False):
    """Seconds of a step, and of its sums; `slower`: how many processes share a core; `bucket`: bytes of a sum, at least;
    `tree`: as if a sum took 2·log2(n) messages."""
    parts = parts or parts_of(ranks)
    own = math.ceil(parts / ranks)
    records = batch / parts
    seconds = lambda line: slower * (line[0] + line[1] * records)
    messages = 2 * math.log2(ranks) if tree else 2 * (ranks - 1)
    begin = alpha * math.ceil(math.log2(ranks))  # rank 0 says what is to be done
    before = begin + (own - 1) * seconds(work.rest)
    computed = before + seconds(work.rest)
    joined = []
    for fixed, each, count in work.buckets:
        if joined and joined[-1][1] < (bucket or 0):
            joined[-1] = (seconds((fixed, each)), joined[-1][1] + count)
        else:
            joined.append((seconds((fixed, each)), count))
    free = sums = 0
    for ready, count in joined:
        took = slower * work.gamma * count
        if ranks > 1:
            took += messages * alpha + 2 * (ranks - 1) / ranks * count * beta
        free = max(free, before + ready if hidden else computed) + took
        sums += took
    return max(computed, free) + slower * work.update, sums


def alone(work, batch):
    """Seconds of a step of one process that cuts no batch into parts."""
    return step(dataclasses.replace(work, gamma=0), 1, batch, 0, 0, parts=1)[0]


def beta_of(gigabits):
    return 8 / (gigabits * 1e9)


def measured_network(results):
    """alpha and beta of the exchanges measured here: both directions at once, as in a sum."""
    points = [(x["bytes"], x["exchange"]) for x in results if x["what"] == "message"]
    large = [(m, s) for m, s in points if 1 << 16 <= m <= 1 << 22]
    return min(s for _, s in points), line_through(large)[1]


def table(work, batch_of, alpha, beta, bucket_each, *, bucket, tree):
    print("| processes | records each | step, ms | sums, ms | not hidden, ms | speed-up | efficiency |\n|---|---|---|---|---|---|---|")
    one = alone(work, batch_of(1))
    for ranks in (1 << i for i in range(11)):
        batch = batch_of(ranks)
        more = {"bucket": max(bucket or 0, ranks * bucket_each), "tree": tree}
        took, sums = step(work, ranks, batch, alpha, beta, **more)
        computed = step(dataclasses.replace(work, gamma=0), ranks, batch, 0, 0, **more)[0]
        speed = one / batch_of(1) * batch / took
        print(f"| {ranks:,} | {batch / ranks:,.4g} | {1e3 * took:.3f} | {1e3 * sums:.3f} | {1e3 * (took - computed):.3f} "
              f"| {speed:.2f} | {100 * speed / ranks:.0f} % |")


def check(results, cores):
    alpha, beta = measured_network(results)
    print(f"alpha {1e6 * alpha:.2f} µs, beta {1e9 * beta:.4f} ns a byte ({8e-9 / beta:.1f} Gb/s)\n")
    print("| network | processes | measured, ms | predicted, ms | if nothing is hidden, ms |\n|---|---|---|---|---|")
    for x in results:
        if x["what"] != "step" or x["how"] != "machines" or x["threads"] != 1:
            continue
        work, slower = work_of(results, x["network"]), max(1, x["ranks"] / cores)
        numbers = [step(work, x["ranks"], x["batch"], alpha, beta, slower=slower, hidden=h)[0] for h in (True, False)]
        print(f"| {x['network']} | {x['ranks']} | {1e3 * x['least']:.3f} | {1e3 * numbers[0]:.3f} | {1e3 * numbers[1]:.3f} |")


def prove():
    # Nothing but computing, 4 parts of which a process has 4, 1 or one: 100 + 0.1·records.
    work = Work([(50, 0.05, 800), (100, 0.1, 200)], (100, 0.1), 7, 0)
    near = lambda a, b: math.isclose(a, b, rel_tol=1e-12) or print("expected", b, "found", a)
    good = [near(step(work, 1, 400, 1, 1)[0], 4 * 110 + 7), near(step(work, 4, 400, 0, 0)[0], 110 + 7),
            # 55 + 6 + 1.5·800 is when the first sum ends; the second takes 6 + 1.5·200. Two messages say what is to be done.
            near(step(work, 4, 400, 1, 1)[0], 2 + 55 + 1206 + 306 + 7),
            near(step(work, 4, 400, 1, 1, hidden=False)[0], 2 + 110 + 1206 + 306 + 7),
            near(step(work, 4, 400, 1, 1, bucket=1000)[0], 2 + 110 + 6 + 1500 + 7),
            near(step(work, 4, 400, 1, 0)[0], 2 + 110 + 6 + 7), near(step(work, 4, 400, 1, 0, tree=True)[0], 2 + 110 + 4 + 7),
            near(step(work, 8, 400, 0, 0)[0], 105 + 7), near(step(work, 3, 400, 0, 0)[0], 2 * 110 + 7),
            near(line_through([(1, 5), (2, 7), (4, 11)])[0], 3), near(line_through([(1, 5), (2, 7), (4, 11)])[1], 2)]
    print("the model is right" if all(good) else "the model is wrong")
    return not all(good)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=pathlib.Path, nargs="?", help="what machines.py has written")
    parser.add_argument("--network", default="large")
    parser.add_argument("--megabytes", type=float, help="of gradients, in place of a measured network's")
    parser.add_argument("--each", type=float, help="seconds a record takes, likewise")
    parser.add_argument("--batch", type=int, default=8192, help="records of a batch, on however many processes")
    parser.add_argument("--records", type=int, help="records for each process instead: the batch grows")
    parser.add_argument("--alpha", type=float, help="seconds of a small message")
    parser.add_argument("--gigabits", type=float, help="per second, in each direction")
    parser.add_argument("--bucket", type=int, help="bytes of a sum, at least, in place of 1 MiB")
    parser.add_argument("--bucket-each", type=int, default=131072, help="the same, for each process, as sigma has it")
    parser.add_argument("--tree", action="store_true", help="as if a sum took 2·log2(n) messages")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--cores", type=int, default=2, help="of this machine, for --check")
    parser.add_argument("--prove", action="store_true")
    options = parser.parse_args()
    if options.prove:
        return prove()
    results = json.loads(options.results.read_text())
    if options.check:
        return check(results, options.cores)
    work = work_of(results, options.network)
    if options.megabytes:
        work = assumed(1e6 * options.megabytes, options.each, work)
    batch_of = (lambda n: n * options.records) if options.records else (lambda n: options.batch)
    networks = NETWORKS
    if options.alpha is not None:
        networks = {"as given": (options.alpha, options.gigabits)}
    print(f"{'as given' if options.megabytes else options.network}: {work.bytes / 1e6:.3f} MB of gradients, a part of r records takes "
          f"{1e3 * work.rest[0]:.3f} + {1e3 * work.rest[1]:.5f}·r ms, the update {1e3 * work.update:.3f} ms")
    for name, (alpha, gigabits) in networks.items():
        print(f"\n{name}: {1e6 * alpha:g} µs, {gigabits:g} Gb/s\n")
        table(work, batch_of, alpha, beta_of(gigabits), options.bucket_each, bucket=options.bucket, tree=options.tree)


if __name__ == "__main__":
    raise SystemExit(main())
