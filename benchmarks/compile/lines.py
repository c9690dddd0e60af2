#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails if a folder of the library has more lines than its allowance permits, and names its largest files.

    lines.py            compares with lines.json; exits with 1 if a folder has over 3 % more, or has no allowance
    lines.py --write    writes the current numbers of lines as the allowances

Counts the lines below include/sigma, cuda/sigma, xsimd/sigma, monitor, machines and exchange, for each folder with its
subfolders, and for the files next to these folders. Blank lines count. Lines with only a `//` comment do not count,
because the comments of headers are the text of the reference.
"""
import argparse
import collections
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = pathlib.Path(__file__).with_name("lines.json")
TOLERANCE = 0.03
HOUSES = ["include/sigma", "cuda/sigma", "xsimd/sigma", "monitor", "machines", "exchange"]
TEXTS = {".hpp", ".ipp", ".cpp", ".js", ".css", ".html"}


def count(root):
    """Returns folder -> {file: lines}."""
    found = collections.defaultdict(dict)
    for house in HOUSES:
        for path in sorted((root / house).rglob("*")):
            if path.suffix in TEXTS and path.is_file():
                inner = path.relative_to(root / house).parts
                folder = "/".join([house, *inner[:1]]) if len(inner) > 1 else house
                found[folder]["/".join(inner)] = sum(not line.lstrip().startswith(b"//") for line in path.read_bytes().splitlines())
    return {folder: found[folder] for folder in sorted(found)}


def compare(allowed, found):
    """Returns (messages on what grew, messages on what shrank)."""
    grew, shrank = [], []
    for folder, files in found.items():
        lines, limit = sum(files.values()), allowed.get(folder)
        largest = ", ".join(f"{name} {n}" for name, n in sorted(files.items(), key=lambda file: -file[1])[:3])
        if limit is None:
            grew.append(f"{folder}: has {lines} lines and no allowance")
        elif lines > limit * (1 + TOLERANCE):
            grew.append(f"{folder}: expected at most {limit} lines, found {lines} ({100 * (lines / limit - 1):+.1f} %); the largest: {largest}")
        elif lines < limit * (1 - TOLERANCE):
            shrank.append(f"{folder}: {lines} lines, {limit} are allowed")
    shrank += [f"{folder}: does not exist any more" for folder in allowed.keys() - found.keys()]
    return grew, shrank


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the current numbers of lines as the allowances")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--table", type=pathlib.Path, default=TABLE)
    arguments = parser.parse_args()
    found = count(arguments.root)
    print(f"{sum(sum(files.values()) for files in found.values())} lines in {len(found)} folders")
    if arguments.write:
        arguments.table.write_text(json.dumps({folder: sum(files.values()) for folder, files in found.items()}, indent=1) + "\n")
        return
    grew, shrank = compare(json.loads(arguments.table.read_text()), found)
    for sentence in shrank:
        print(f"less: {sentence}")
    for sentence in grew:
        print(f"MORE: {sentence}")
    if grew or shrank:
        print("if the change is intended, run lines.py --write")
    sys.exit(bool(grew))


if __name__ == "__main__":
    main()
