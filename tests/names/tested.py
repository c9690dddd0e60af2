#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that a test names each function and value of names.txt.

Types are not checked, because tests of their users cover them. Types that only name errors have no definitions to test.

    tested.py FOLDER     of the project
"""
import pathlib
import re
import sys

WORD = re.compile(r"[A-Za-z_]\w*")


def text_of(folder, *patterns):
    return "\n".join(f.read_text(errors="replace") for p in patterns for f in sorted(folder.glob(p)))


if __name__ == "__main__":
    project = pathlib.Path(sys.argv[1])
    names = [n for n in WORD.findall(re.sub("#.*", "", (project / "tests/names/names.txt").read_text())) if n[0].islower() and n != "deprecated" and not n.endswith(("_is", "_are"))]
    library = text_of(project, "include/**/*.hpp", "cuda/**/*.hpp")
    labels = set(re.findall(r"^(?:struct|class|namespace) (\w+)\s*[;{]", library, re.M)) | set(re.findall(r"include_sigma_\w+", library))
    tests = set(WORD.findall(text_of(project / "tests", "unit/**/*.cpp", "unit/**/*.hpp", "gpu/**/*.?pp", "static/**/*.cpp", "fail/**/*.cpp",
                                     "oracle/*", "running/**/*", "install/**/*.cpp")))
    untested = [n for n in names if n not in labels and n not in tests]
    for name in untested:
        print(f"no test names '{name}'")
    print(f"tests name {len(names) - len(untested)} of {len(names)} names, labels of errors included")
    sys.exit(bool(untested))
