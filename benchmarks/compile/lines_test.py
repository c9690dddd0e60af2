#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that lines.py counts code alone, fails if there is more of it, and never raises its ceiling."""
import json
import pathlib
import subprocess
import sys
import tempfile

import lines

failures = 0


def check(name, passed, shown=""):
    global failures
    if not passed:
        failures += 1
        print(f"{name}: {shown}")


def run(root, *options):
    done = subprocess.run([sys.executable, lines.__file__, "--root", root, *options], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def expect(name, code, words, root, *options):
    """Checks that lines.py exits with `code` and prints `words`."""
    found = run(root, *options)
    check(name, found[0] == code and words in found[1], f"expected {code} and '{words}', found {found[0]} and {found[1]}")


def put(root, name, count, line="int x;"):
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text((line + "\n") * count)


def commit(root, message):
    for command in (["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", message]):
        subprocess.run(["git", "-C", root, *command], check=True, capture_output=True)


for text, wanted in [("", 0), ("a\n\n  \nb", 2), ("// a\n/// b\n  // c\nd // e", 1), ("/* a\n b */\nc", 1), ("/* a */ b\n/* c */", 1),
                     ("/** a\n * b\n */ c\nd", 2), ("a /* b */\nc", 2), ('f("/*");\ng();', 2)]:
    check(repr(text), lines.lines_of_code(text) == wanted, f"expected {wanted}, found {lines.lines_of_code(text)}")

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / lines.TABLE).parent.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", root], check=True)
    put(root, "include/sigma/core/a.hpp", 100)
    put(root, "include/sigma/core/impl/a.ipp", 50)
    put(root, "include/sigma/core/b.hpp", 1000, "/// text")
    put(root, "components/monitor/page/main.js", 40)
    put(root, "components/monitor/page/package.json", 1000)  # not a source
    put(root, "tests/unit/a_test.cpp", 1000)      # not a folder of the library
    expect("no ceiling", 1, "expected at most None", root)
    expect("the first ceiling", 0, "190 lines of code", root, "--write")
    expect("the same", 0, "the ceiling is 190", root)
    commit(root, "first")
    put(root, "cuda/sigma/b.cu", 1)
    expect("more", 1, "MORE: expected at most 190 lines, found 191: remove 1", root)
    expect("never raised", 0, "", root, "--write")
    expect("still more", 1, "MORE", root)
    put(root, "components/monitor/page/main.js", 30)
    expect("less", 0, "9 lines less: run lines.py --write", root)
    expect("lowered", 0, "", root, "--write")
    expect("the new ceiling", 0, "181 lines of code in 5 files; the ceiling is 181", root)
    expect("folders", 0, "150 include/sigma/core", root, "--folders")
    commit(root, "less")
    (root / lines.TABLE).write_text(json.dumps({"lines": 300}))
    (root / "a.md").write_text("a")
    commit(root, "a user asked for it")
    expect("raised in a commit of its own", 0, "the ceiling is 300", root)
    (root / lines.TABLE).write_text(json.dumps({"lines": 400}))
    put(root, "include/sigma/core/a.hpp", 200)
    commit(root, "a feature")
    expect("raised with a feature", 1, "raised the ceiling from 300 to 400 and changed include/sigma/core/a.hpp", root)
print(f"{failures} failures")
sys.exit(bool(failures))
