#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails where a folder of the library has grown beyond its allowance of lines, and names its largest files.

    lines.py            compares with lines.json; ends with 1 where a folder has 3 % more, or has no allowance
    lines.py --write    makes the allowances what is now

Counts the lines of include/sigma, cuda/sigma, xsimd/sigma, monitor, machines and exchange, by folder (each with its subfolders), and of the
files beside these folders. Blank lines count. Lines that hold only a `//` comment do not: the comments of headers are the reference's text.
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
    """folder -> {file: lines}"""
    found = collections.defaultdict(dict)
    for house in HOUSES:
        for path in sorted((root / house).rglob("*")):
            if path.suffix in TEXTS and path.is_file():
                inner = path.relative_to(root / house).parts
                folder = "/".join([house, *inner[:1]]) if len(inner) > 1 else house
                found[folder]["/".join(inner)] = sum(not line.lstrip().startswith(b"//") for line in path.read_bytes().splitlines())
    return {folder: found[folder] for folder in sorted(found)}


def compare(allowed, found):
    """(what grew, what shrank), as sentences."""
    grew, shrank = [], []
    for folder, files in found.items():
        lines, limit = sum(files.values()), allowed.get(folder)
        largest = ", ".join(f"{name} {n}" for name, n in sorted(files.items(), key=lambda file: -file[1])[:3])
        if limit is None:
            grew.append(f"{folder}: expected an allowance for it, found none; it has {lines} lines")
        elif lines > limit * (1 + TOLERANCE):
            grew.append(f"{folder}: expected at most {limit} lines, found {lines} ({100 * (lines / limit - 1):+.1f} %); the largest: {largest}")
        elif lines < limit * (1 - TOLERANCE):
            shrank.append(f"{folder}: {lines} lines, {limit} are allowed")
    shrank += [f"{folder}: is no more" for folder in allowed.keys() - found.keys()]
    return grew, shrank


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="make the allowances what is now")
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
        print("lines.py --write makes the allowances what is now, where that is meant")
    sys.exit(bool(grew))


if __name__ == "__main__":
    main()
