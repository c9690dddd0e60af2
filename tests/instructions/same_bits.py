#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""same_bits.py PROGRAM PROGRAM: checks that both print the same digests of operations (bits.cpp).

Exits with 77 if one of them cannot run on this processor. With --prove-it-fails, succeeds if the digests differ."""
import os
import shlex
import subprocess
import sys


def digests(program):
    emulator = shlex.split(os.environ.get("SIGMA_EMULATOR", ""))
    done = subprocess.run([*emulator, program], capture_output=True, text=True)
    if done.returncode == 77:
        print(f"{program}: this processor lacks its instructions")
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
