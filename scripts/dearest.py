#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Prints what took the longest to build and to test in build trees of Ninja, each the last time it was.

    dearest.py FOLDER...
"""
import pathlib
import re
import sys


def built(folder):
    """Seconds of each output, by .ninja_log: start and end in milliseconds, time, output, hash of the command."""
    log = folder / ".ninja_log"
    seconds = {}
    for line in log.read_text().splitlines()[1:] if log.exists() else []:
        start, end, _, output, _ = line.split("\t")
        output = re.sub(r"CMakeFiles/(.*?)\.dir/(.*?)(\.o)?$", r"\1: \2", output.removeprefix(f"{folder.resolve()}/"))
        seconds[output] = (int(end) - int(start)) / 1000
    return seconds


def tested(folder):
    """Seconds of each test, by ctest's: name, runs, mean."""
    log = folder / "Testing/Temporary/CTestCostData.txt"
    return {name: float(mean) for name, _, mean in re.findall(r"^(\S+) (\d+) (\S+)$", log.read_text() if log.exists() else "", re.MULTILINE)}


def table(seconds):
    dearest = sorted(seconds.items(), key=lambda item: -item[1])[:10]
    return "".join(f"{time:8.1f} s  {name}\n" for name, time in dearest if time >= 0.1)


if __name__ == "__main__":
    for folder in map(pathlib.Path, sys.argv[1:]):
        for what, seconds in ("built", built(folder)), ("tested", tested(folder)):
            if seconds:
                print(f"{folder}: {len(seconds)} {what}, {sum(seconds.values()):.0f} s; the dearest:\n{table(seconds)}", end="")
