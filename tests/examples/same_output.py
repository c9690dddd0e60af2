#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""same_output.py PROGRAM OTHER: checks that two programs print the same, apart from speeds and the kind of execution."""
import difflib
import re
import subprocess
import sys

SPEED = re.compile(r"\s+[\d.]+[kM]? (?:samples|characters|texts|steps)/s\b|\s+[\d.]+ m?s(?: left)?$", re.MULTILINE)
WAY = re.compile(r"(?<=at a time; )(?:interpreted|fused code: \d+)$", re.MULTILINE)  # of a summary


def output(program):
    run = subprocess.run([program], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{program}: {run.returncode}\n{run.stdout}{run.stderr}")
    return WAY.sub("", SPEED.sub("", run.stdout)).splitlines()


found = list(difflib.unified_diff(*map(output, sys.argv[1:]), *sys.argv[1:], n=0, lineterm=""))
print("\n".join(found) or "the same")
sys.exit(bool(found))
