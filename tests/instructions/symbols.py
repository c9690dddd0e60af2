#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""symbols.py OBJECT...: checks that kernels of one instruction set define no symbols that other objects may define.

The linker would keep any one of two equal symbols, which may use instructions that the processor lacks. The objects are
kernels_SET.cpp.o. With --prove-it-fails, succeeds if it finds such symbols."""
import pathlib
import re
import subprocess
import sys

# Data that is equal in all objects: the address of a function of the C++ runtime.
SHARED = re.compile(r"DW\.ref\.__gxx_personality_v0")


def wrong(path):
    found = re.search(r"kernels_(\w+)\.", pathlib.Path(path).name)
    word = found[1] if found else "none"
    own = re.compile(f"library_{word}")
    for line in subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout.splitlines():
        kind, name = line.split()[-2:]
        if kind.islower() and kind not in "uvw" or SHARED.fullmatch(name):  # local, or equal in all objects
            continue
        if not own.search(name):
            yield f"{path}: expected symbols of library_{word}, found {name}"


def main(arguments):
    prove = arguments[:1] == ["--prove-it-fails"]
    objects = arguments[1:] if prove else arguments
    if not objects:
        print("no objects given")
        return 1
    found = [problem for path in objects for problem in wrong(path)]
    print("\n".join(found) or f"{len(objects)} objects define no symbols that others may define")
    return bool(found) != prove


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
