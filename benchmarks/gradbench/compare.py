#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares the program for GradBench with the derivatives that GradBench has written by hand in C++.

    compare.py PROGRAM GRADBENCH [--only MODULE] [--seconds S]

GRADBENCH is a copy of https://github.com/gradbench/gradbench. Its tool `manual` is built there, with one thread and
-march=native. Both programs read the same random inputs, of GradBench's sizes, and take turns. Results are compared by
GradBench's rule: numbers differ by at most 0.0001 times the sum of their magnitudes, or 0.0001. The table has medians.
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile


def drawn(count, low=0.0, high=1.0):
    return [random.uniform(low, high) for _ in range(count)]


def normal(count):
    return [random.gauss(0, 1) for _ in range(count)]


def rows(flat, width):
    return [flat[i:i + width] for i in range(0, len(flat), width)]


def hand(points, in_triangles):
    """A hand of random numbers, with the sizes of GradBench's small one."""
    bones, vertices = 22, 544

    def matrices():
        return [rows(drawn(12), 4) + [[0.0, 0.0, 0.0, 1.0]] for _ in range(bones)]

    model = {"bone_count": bones, "bone_names": [str(i) for i in range(bones)],
             "parents": [-1] + [0 if i % 4 == 1 else i - 1 for i in range(1, bones - 1)] + [0], "base_relatives": matrices(),
             "inverse_base_absolutes": matrices(), "weights": rows(drawn(vertices * bones), bones),
             "base_positions": [drawn(3) + [1.0] for _ in range(vertices)], "is_mirrored": False,
             "triangles": [random.sample(range(vertices), 3) for _ in range(1000)]}
    data = {"model": model, "points": rows(drawn(3 * points), 3),
            "correspondences": [random.randrange(vertices) for _ in range(points)]}
    return {"theta": drawn(26), "us": rows(drawn(2 * points), 2) if in_triangles else [], "data": data}


def inputs():
    """Yields module, functions, description and input."""
    for n in [2500, 80000, 1280000]:
        yield "lse", ["primal", "gradient"], f"{n} numbers", {"x": drawn(n)}
    for n in [16, 256, 4096, 16392]:
        yield "llsq", ["primal", "gradient"], f"{n} points, 128 coefficients", {"x": drawn(128), "n": n}
    for d, k in [(2, 5), (10, 25), (32, 50), (64, 100)]:
        given = {"d": d, "k": k, "n": 1000, "m": 0, "gamma": 1.0, "alpha": normal(k), "x": rows(normal(1000 * d), d)}
        given |= {"mu": rows(drawn(k * d), d), "q": rows(normal(k * d), d)}
        given["l"] = rows(normal(k * d * (d - 1) // 2), d * (d - 1) // 2)
        yield "gmm", ["objective", "jacobian"], f"{d} dimensions, {k} parts", given
    for k, n, d in [(10, 1000, 8), (100, 10000, 8), (1000, 10000, 16)]:
        points = rows(drawn(n * d), d)
        yield "kmeans", ["cost", "dir"], f"{n} points, {d} dimensions, {k} centres", {"points": points,
                                                                                     "centroids": points[-k:]}
    for size in [5, 8, 10]:
        yield "det", ["primal", "gradient"], f"{size} x {size}", {"A": drawn(size * size), "ell": size}
    for n, s in [(1000, 10), (10000, 100)]:
        yield "ode", ["primal", "gradient"], f"{n} equations, {s} steps", {"x": drawn(n), "s": s}
    for n, m, p in [(49, 7776, 31843), (372, 47423, 204472)]:
        given = {"n": n, "m": m, "p": p, "cam": drawn(11), "x": drawn(3, 2, 3), "w": 0.7, "feat": drawn(2)}
        yield "ba", ["objective", "jacobian"], f"{p} observations", given
    for points in [100, 800]:
        for in_triangles in [False, True]:
            what = "triangles" if in_triangles else "vertices"
            yield "ht", ["objective", "jacobian"], f"{points} points in {what}", hand(points, in_triangles)
    for layers, steps in [(2, 1024), (6, 8192)]:
        b = 7
        given = {"main_params": rows(drawn(8 * layers * b), 4 * b), "extra_params": rows(drawn(3 * b), b),
                 "state": rows(drawn(2 * layers * b), b),
                 "sequence": [[float(random.randrange(2)) for _ in range(b)] for _ in range(steps)]}
        yield "lstm", ["objective", "jacobian"], f"{layers} layers, {steps} steps", given


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stderr[-300:]}")
    output, *times = map(json.loads, done.stdout.splitlines())
    return output, [t["nanoseconds"] / 1000 for t in times if t["name"] == "evaluate"]


def apart(found, wanted):
    """Returns the greatest difference by GradBench's rule."""
    if isinstance(wanted, dict):
        return max(apart(found[key], wanted[key]) for key in wanted) if set(found) == set(wanted) else float("inf")
    if isinstance(wanted, list):
        if len(found) != len(wanted):
            return float("inf")
        return max((apart(f, w) for f, w in zip(found, wanted)), default=0)
    return abs(found - wanted) / max(1, abs(found) + abs(wanted))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("gradbench", type=pathlib.Path)
    parser.add_argument("--only")
    parser.add_argument("--seconds", type=float, default=0.3)
    arguments = parser.parse_args()
    random.seed(31337)
    manual = arguments.gradbench / "tools/manual"
    print("| module | function | input | manual, us | Sigma, us | manual / Sigma |")
    print("|---|---|---|---:|---:|---:|")
    wrong = 0
    for module, functions, what, given in inputs():
        if arguments.only not in (None, module):
            continue
        subprocess.run(["make", "-s", "-C", manual, f"bin/{module}"], check=True, stdout=subprocess.DEVNULL)
        for function in functions:
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(given | {"min_runs": 1, "min_seconds": arguments.seconds / 3}, file)
                file.flush()
                times = [[], []]
                for _ in range(3):
                    wanted, by_hand = run([str(manual / "bin" / module), file.name, function])
                    found, own = run([arguments.program, module, function, file.name])
                    times[0] += by_hand
                    times[1] += own
            wrong += apart(found, wanted) > 1e-4
            by_hand, own = map(statistics.median, times)
            note = "" if apart(found, wanted) <= 1e-4 else " WRONG"
            print(f"| {module} | {function} | {what} | {by_hand:.4g} | {own:.4g} | {by_hand / own:.2f}{note} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
