#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compares what two steps of some networks cost with steps.json, without a clock: instructions, as valgrind's callgrind
counts them, kernels of a step, calls of the heap, and bytes of the arena.

    steps.py PROGRAM             fails if a case costs more than its row, or much less: then write the better row
    steps.py PROGRAM --write     writes the rows
    steps.py PROGRAM --prove-it-fails    fails unless rows that are a little too low are noticed

PROGRAM is built from steps.cpp for AVX2, which valgrind knows, so the numbers do not depend on the processor. Instructions
may differ by 2 %, because compilers and C libraries differ. The other numbers may not. Ends with 77, which ctest takes as
skipped, if valgrind is not installed or the processor has no AVX2.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

TABLE = pathlib.Path(__file__).with_name("steps.json")
TOLERANCE = 0.02


def measure(program, case):
    environment = dict(os.environ, SIGMA_INSTRUCTIONS="avx2")
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no",
                          "--toggle-collect=measured_steps", program, case], capture_output=True, text=True, env=environment)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not collected:
        raise SystemExit(f"{case}: exit {run.returncode}\n{run.stderr}")
    kernels, allocations, arena = map(int, run.stdout.split())
    return {"instructions": int(collected[1]), "kernels": kernels, "allocations": allocations, "arena": arena}


def faults(found, wanted):
    """Returns a sentence for each number that is not as expected."""
    result = []
    for case in sorted(found.keys() | wanted.keys()):
        if case not in found or case not in wanted:
            result.append(f"{case}: {'no case' if case in wanted else 'no row in ' + TABLE.name}")
            continue
        for what, limit in wanted[case].items():
            tolerance = TOLERANCE * limit if what == "instructions" else 0
            if abs(found[case][what] - limit) > tolerance:
                result.append(f"{case}: expected {limit} {what}, found {found[case][what]} ({found[case][what] / limit - 1:+.1%})"
                              if limit else f"{case}: expected {limit} {what}, found {found[case][what]}")
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--prove-it-fails", action="store_true")
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None or "avx2" not in pathlib.Path("/proc/cpuinfo").read_text():
        print("skipped: valgrind or AVX2 is missing")
        sys.exit(77)
    cases = subprocess.run([arguments.program], capture_output=True, text=True, check=True).stdout.split()
    wanted = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    if arguments.prove_it_fails:
        case = "iris-sgd"
        found = {case: measure(arguments.program, case)}
        row = wanted[case]
        changes = [dict(row, instructions=int(row["instructions"] * 0.97)), dict(row, allocations=row["allocations"] + 1),
                   dict(row, kernels=row["kernels"] - 1), dict(row, arena=row["arena"] - 4)]
        sys.exit(0 if all(len(faults(found, {case: changed})) == 1 for changed in changes) and not faults(found, {case: row}) else 1)
    found = {case: measure(arguments.program, case) for case in cases}
    for case, row in found.items():
        print(f"{case:16} " + "  ".join(f"{value:>12} {what}" for what, value in row.items()))
    if arguments.write:
        TABLE.write_text("{\n" + ",\n".join(f'"{case}": {json.dumps(row)}' for case, row in found.items()) + "\n}\n")
        sys.exit(0)
    problems = faults(found, wanted)
    print("\n".join(problems), end="\n" if problems else "")
    if problems:
        print(f"If the change is wanted, write the rows anew: {sys.argv[0]} {arguments.program} --write")
    sys.exit(1 if problems else 0)
