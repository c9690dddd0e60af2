#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails if the library has more lines of code than the ceiling in lines.json, and shows where they are.

    lines.py             counts and compares; exits with 1 if there are more, or if a commit has raised the ceiling with other changes
    lines.py --write     lowers the ceiling to the number that is found; never raises it
    lines.py --folders   also prints the lines of each folder, and the largest files

A line of code is neither blank nor only a comment. The count is one number over include, cuda, exchange, machines, monitor
and xsimd, so a feature can pay with what it makes superfluous anywhere. To raise the ceiling, write the number into lines.json
by hand, in a commit that changes only this file and pages, and say in its message which user asked for what.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = "benchmarks/compile/lines.json"
HOUSES = ["include", "cuda", "components"]
SOURCES = {".hpp", ".ipp", ".cpp", ".cu", ".h", ".js", ".css", ".html"}


def lines_of_code(text):
    """Returns the number of lines that are neither blank nor only a comment."""
    lines, inside = 0, False
    for line in text.splitlines():
        line = line.strip()
        if not inside and line.startswith("/*"):
            inside, line = True, line[2:]
        if inside:
            _, end, line = line.partition("*/")
            inside = not end
            line = line.strip()
        lines += not inside and line != "" and not line.startswith("//")
    return lines


def count(root):
    """Returns folder -> {file: lines of code}."""
    found = collections.defaultdict(dict)
    for house in HOUSES:
        for path in sorted((root / house).rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                place = path.relative_to(root)
                found["/".join(place.parts[:-1][:3])][str(place)] = lines_of_code(path.read_text(errors="replace"))
    return found


def git(root, *command):
    done = subprocess.run(["git", "-C", root, *command], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else ""


def ceiling_of(text):
    try:
        return json.loads(text).get("lines")
    except ValueError:
        return None


def raised_with_other_changes(root):
    """Returns a sentence for each commit that raised the ceiling and changed more than this file and pages."""
    faults = []
    for commit in git(root, "log", "--no-merges", "--format=%h", "--", TABLE).split():
        before, after = (ceiling_of(git(root, "show", f"{commit}{parent}:{TABLE}")) for parent in ("^", ""))
        if before is None or after is None or after <= before:
            continue
        names = git(root, "show", "--format=", "--name-only", commit).split()
        if others := [name for name in names if name != TABLE and not name.endswith(".md")]:
            faults.append(f"commit {commit} raised the ceiling from {before} to {after} and changed {others[0]}: use a commit of its own")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="lower the ceiling to the number that is found")
    parser.add_argument("--folders", action="store_true", help="print the lines of each folder and the largest files")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    arguments = parser.parse_args()
    folders = count(arguments.root)
    files = {name: lines for folder in folders.values() for name, lines in folder.items()}
    lines, table = sum(files.values()), arguments.root / TABLE
    ceiling = ceiling_of(table.read_text()) if table.exists() else None
    print(f"{lines} lines of code in {len(files)} files; the ceiling is {ceiling}")
    if arguments.folders:
        for folder, inside in sorted(folders.items()):
            print(f"{sum(inside.values()):7d} {folder}")
        for name in sorted(files, key=files.get, reverse=True)[:10]:
            print(f"{files[name]:7d} {name}")
    if arguments.write:
        if ceiling is None or lines < ceiling:
            table.write_text(json.dumps({"lines": lines}) + "\n")
        return
    faults = raised_with_other_changes(arguments.root)
    if ceiling is None or lines > ceiling:
        faults.append(f"expected at most {ceiling} lines, found {lines}: remove {lines - (ceiling or 0)}, or read the beginning of lines.py")
    elif lines < ceiling:
        print(f"{ceiling - lines} lines less: run lines.py --write")
    for fault in faults:
        print(f"MORE: {fault}")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
