#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""same_bits.py PROGRAM PROGRAM: checks that both print the same digests of operations (bits.cpp). Ends with 77 where one of
them cannot run on this processor. `same_bits.py --prove-it-fails` succeeds where they differ."""
import os
import shlex
import subprocess
import sys


def digests(program):
    emulator = shlex.split(os.environ.get("SIGMA_EMULATOR", ""))
    done = subprocess.run([*emulator, program], capture_output=True, text=True)
    if done.returncode == 77:
        print(f"{program}: this processor has not its instructions")
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{program}: ended with {done.returncode}: {done.stderr}")
    return done.stdout.splitlines()


def main(arguments):
    prove = arguments[:1] == ["--prove-it-fails"]
    programs = arguments[1:] if prove else arguments
    if len(programs) != 2:
        print("expected two programs, found", len(programs))
        return 1
    first, second = map(digests, programs)
    if len(first) < 90:
        print(f"expected at least 90 digests, found {len(first)}")
        return 1
    differing = [f"expected '{x}', found '{y}'" for x, y in zip(first, second) if x != y]
    if len(first) != len(second):
        differing.append(f"expected {len(first)} digests, found {len(second)}")
    print("\n".join(differing) or f"{len(first)} digests are the same")
    return bool(differing) != prove


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
