#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles README's program with the_sentence.hpp appended, then the program with the mistake that README shows.

With the mistake, g++ must print exactly the error of README; other compilers must print the name of the mistake.

    readme.py COMPILER README -- FLAG...

The first block of C++ in README is a whole program. "Replace `B` with `A`" is the mistake. The next line that begins with
"error:" is the compiler's first error. Exits with 77 if the compiler is not installed.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def program(page):
    block = re.search(r"^```cpp\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    if not block or "int main()" not in block.group(1):
        sys.exit("README: the first block of C++ is not a program")
    return block.group(1)


def mistake(page):
    """Returns (README's program with the mistake, the error that README shows)."""
    found = re.search(r"Replace `([^`]+)` with `([^`]+)`.*?\n *(error: [^\n]+)\n", page, re.DOTALL)
    if not found or found[1] not in program(page):
        sys.exit("README: expected 'Replace `B` with `A`', where B is in its program, and then a line 'error: …'")
    return program(page).replace(found[1], found[2], 1), found[3]


def name_of(error):
    """Returns a type such as sigma::error_x<…> without scopes and spaces, which compilers print differently."""
    found = re.search(r"mistake<.*>", error)
    return re.sub(r"sigma::| (?=>)", "", found[0]) if found else error


if __name__ == "__main__":
    compiler, readme, _, *flags = sys.argv[1:]
    if not shutil.which(compiler):
        sys.exit(77)
    page = pathlib.Path(readme).read_text()
    sentence = pathlib.Path(__file__).with_name("the_sentence.hpp").resolve()
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "readme.cpp"

        def compiled(text):
            source.write_text(text)
            command = [compiler, *flags, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(source)]
            return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})

        done = compiled(f'{program(page)}\n#include "{sentence}"\n')
        sys.stderr.write(done.stderr)
        if done.returncode:
            sys.exit(done.returncode)
        wrong, wanted = mistake(page)
        said = next((line[line.index("error:"):] for line in compiled(wrong).stderr.splitlines() if "error:" in line), "no error")
        if (said != wanted) if "clang" not in compiler else (name_of(said) != name_of(wanted)):
            sys.exit(f"README: expected '{wanted}' of {compiler}, found '{said}'")
