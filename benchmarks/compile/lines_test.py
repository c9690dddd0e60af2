#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that lines.py fails if a folder grows or is new, and that it counts correctly."""
import pathlib
import subprocess
import sys
import tempfile

failures = 0


def expect(name, code, words, root):
    """Checks that lines.py exits with `code` and prints `words`."""
    global failures
    script = pathlib.Path(__file__).with_name("lines.py")
    done = subprocess.run([sys.executable, script, "--root", root, "--table", root / "lines.json", *(["--write"] if name == "write" else [])],
                          capture_output=True, text=True)
    if done.returncode != code or not all(word in done.stdout for word in words):
        failures += 1
        print(f"{name}: expected {code} and {words}, found {done.returncode} and {done.stdout}{done.stderr}")


def put(root, name, lines):
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("\n" * lines)


with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    put(root, "include/sigma/core/a.hpp", 100)
    put(root, "include/sigma/core/impl/a.ipp", 100)
    put(root, "include/sigma/sigma.hpp", 10)
    put(root, "cuda/sigma/device/gpu/kernel.hpp", 50)
    put(root, "monitor/page/main.js", 40)
    put(root, "monitor/page/package.json", 1000)  # not a source
    put(root, "tests/unit/a_test.cpp", 1000)      # not a folder of the library
    expect("write", 0, ["300 lines in 4 folders"], root)
    expect("the same", 0, ["300 lines in 4 folders\n"], root)
    put(root, "include/sigma/core/impl/a.ipp", 106)
    expect("3 % more", 0, [], root)
    put(root, "include/sigma/core/impl/a.ipp", 107)
    expect("more", 1, ["MORE: include/sigma/core: expected at most 200 lines, found 207 (+3.5 %); the largest: core/impl/a.ipp 107"], root)
    put(root, "include/sigma/core/impl/a.ipp", 10)
    expect("less", 0, ["less: include/sigma/core: 110 lines, 200 are allowed"], root)
    put(root, "include/sigma/newer/b.hpp", 1)
    expect("a new folder", 1, ["MORE: include/sigma/newer: has 1 lines and no allowance"], root)
    expect("write", 0, [], root)
    (root / "include/sigma/newer/b.hpp").unlink()
    expect("a folder that has gone", 0, ["less: include/sigma/newer: does not exist any more"], root)
print(f"{failures} failures")
sys.exit(bool(failures))
