#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Prints the outputs and tests of Ninja's build trees that took the longest, each when it last ran.

    dearest.py FOLDER...
"""
import pathlib
import re
import sys


def built(folder):
    """Returns the seconds of each output. A line of .ninja_log: start and end in ms, time, output, hash of the command."""
    log = folder / ".ninja_log"
    seconds = {}
    for line in log.read_text().splitlines()[1:] if log.exists() else []:
        start, end, _, output, _ = line.split("\t")
        output = re.sub(r"CMakeFiles/(.*?)\.dir/(.*?)(\.o)?$", r"\1: \2", output.removeprefix(f"{folder.resolve()}/"))
        seconds[output] = (int(end) - int(start)) / 1000
    return seconds


def tested(folder):
    """Returns the seconds of each test. A line of CTestCostData.txt: name, runs, mean."""
    log = folder / "Testing/Temporary/CTestCostData.txt"
    return {name: float(mean) for name, _, mean in re.findall(r"^(\S+) (\d+) (\S+)$", log.read_text() if log.exists() else "", re.MULTILINE)}


def table(seconds):
    dearest = sorted(seconds.items(), key=lambda item: -item[1])[:10]
    return "".join(f"{time:8.1f} s  {name}\n" for name, time in dearest if time >= 0.1)


if __name__ == "__main__":
    for folder in map(pathlib.Path, sys.argv[1:]):
        for what, seconds in ("built", built(folder)), ("tested", tested(folder)):
            if seconds:
                print(f"{folder}: {len(seconds)} {what}, {sum(seconds.values()):.0f} s; the slowest:\n{table(seconds)}", end="")
