#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Reads the same tables with Sigma, pandas and NumPy, one after the other on one core, and prints MB/s and ratios.

    csv_peers.py BENCHMARK_CSV DIRECTORY [MEGABYTES]

BENCHMARK_CSV is the program of csv.cpp; it writes the tables to DIRECTORY where they are not there yet. Seconds are those of
the process, in user code and in the kernel; each reader reads three times and the best counts.
"""
import pathlib
import re
import resource
import subprocess
import sys

import numpy
import pandas


def used():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def rate(path, read, runs=3):
    least = float("inf")
    for _ in range(runs):
        before = used()
        read()
        least = min(least, used() - before)
    return path.stat().st_size / least / 1e6


def sigma(program, path):
    text = subprocess.run([program, "--whole", path], check=True, capture_output=True, text=True).stdout
    return float(re.search(r"read into floats +(\d+) MB/s", text).group(1))


def main():
    program, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    megabytes = sys.argv[3] if len(sys.argv) > 3 else "100"
    if not (directory / "iris.csv").exists():
        directory.mkdir(parents=True, exist_ok=True)
        subprocess.run([program, "write", directory, megabytes], check=True)
    for name in ("floats.csv", "ints.csv", "iris.csv"):
        path = directory / name
        own = sigma(program, path)
        print(f"{name} ({path.stat().st_size / 1e6:.0f} MB)\n  {'Sigma, float32':<34} {own:7.0f} MB/s")
        peers = {
            "pandas.read_csv, C, float32": lambda: pandas.read_csv(path, header=None, engine="c", dtype=numpy.float32),
            "pandas.read_csv, C, float64": lambda: pandas.read_csv(path, header=None, engine="c", dtype=numpy.float64),
            "pandas.read_csv, C, types inferred": lambda: pandas.read_csv(path, header=None, engine="c"),
            "numpy.loadtxt, float32": lambda: numpy.loadtxt(path, delimiter=",", dtype=numpy.float32),
        }
        for what, read in peers.items():
            other = rate(path, read, 1 if "loadtxt" in what else 3)
            print(f"  {what:<34} {other:7.0f} MB/s, Sigma {own / other:.1f} times as fast")


main()
