#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that a program in C99 predicts with libsigma_c.so as the library does, and that it exports only sigma_*.

    c_abi.py C_COMPILER INCLUDE LIBRARY PROGRAM DIRECTORY     PROGRAM: c_abi_models
"""
import os
import pathlib
import shutil
import subprocess
import sys

compiler, include, library, program, directory = sys.argv[1:]
directory, library = pathlib.Path(directory), pathlib.Path(library)
shutil.rmtree(directory, ignore_errors=True)
directory.mkdir(parents=True)
here = pathlib.Path(__file__).parent

subprocess.run([program, directory], check=True, timeout=100)
warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror", "-Wstrict-prototypes"]


def run(name, *arguments):
    subprocess.run([compiler, "-std=c99", "-D_POSIX_C_SOURCE=200809L", *warnings, f"-I{include}", here / f"{name}.c",
                    library, "-lm", "-lpthread", "-o", directory / name], check=True, timeout=100)
    found = {**os.environ, "LD_LIBRARY_PATH": str(library.resolve().parent)}
    done = subprocess.run([directory / name, *arguments], capture_output=True, text=True, timeout=100, env=found)
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stdout}{done.stderr}")
    return done.stdout


print(run("predict", directory), end="")
assert run("flower", directory / "iris.sigma") == "Iris-setosa\n"
symbols = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
shown = {line.split()[-1] for line in symbols.splitlines()}
declared = {word.split("(")[0] for word in (pathlib.Path(include) / "sigma/exchange/sigma.h").read_text().split()
            if word.startswith("sigma_") and "(" in word}
others = {s for s in shown if not s.startswith("sigma_")}
assert not others, f"the library exports {len(others)} other symbols: {sorted(others)[:10]}"
missing = {name for name in declared if name not in shown}
assert declared and not missing, f"the library lacks {sorted(missing)}"
print(f"{len(shown)} functions, all declared")
