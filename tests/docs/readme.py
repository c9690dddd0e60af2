#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles README's program as it stands there, and behind it the_sentence.hpp.

    readme.py COMPILER README -- FLAG...

The first block of C++ in README is a whole program. Exits with 77 where there is no such compiler.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def program(page):
    block = re.search(r"^```cpp\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    if not block or "int main()" not in block.group(1):
        sys.exit("README: expected a program in its first block of C++, found none")
    return block.group(1)


if __name__ == "__main__":
    compiler, readme, _, *flags = sys.argv[1:]
    if not shutil.which(compiler):
        sys.exit(77)
    sentence = pathlib.Path(__file__).with_name("the_sentence.hpp").resolve()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "readme.cpp"
        source.write_text(f'{program(pathlib.Path(readme).read_text())}\n#include "{sentence}"\n')
        sys.exit(subprocess.run([compiler, *flags, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(source)]).returncode)
