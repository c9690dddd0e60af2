#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""symbols.py OBJECT...: checks that objects compiled for some instructions only (kernels_SET.cpp.o) define no symbol that
another object may define too. The linker keeps any one of them, which may use instructions that the processor lacks.
`symbols.py --prove-it-fails OBJECT...` succeeds where it finds such symbols."""
import pathlib
import re
import subprocess
import sys

# Data, which is the same for all: the address of a function of the C++ runtime.
SHARED = re.compile(r"DW\.ref\.__gxx_personality_v0")


def wrong(path):
    found = re.search(r"kernels_(\w+)\.", pathlib.Path(path).name)
    word = found[1] if found else "none"
    own = re.compile(f"library_{word}")
    for line in subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout.splitlines():
        kind, name = line.split()[-2:]
        if kind.islower() and kind not in "uvw" or SHARED.fullmatch(name):  # local, or data of all
            continue
        if not own.search(name):
            yield f"{path}: expected symbols of library_{word}, found {name}"


def main(arguments):
    prove = arguments[:1] == ["--prove-it-fails"]
    objects = arguments[1:] if prove else arguments
    if not objects:
        print("expected objects, found none")
        return 1
    found = [problem for path in objects for problem in wrong(path)]
    print("\n".join(found) or f"{len(objects)} objects define no symbols of others")
    return bool(found) != prove


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
