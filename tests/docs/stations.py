#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that the places that pages name exist.

In docs/**/*.md, `FILE:LINE` `TEXT` means that line LINE of include/sigma/FILE contains TEXT, and that no other line does.

    stations.py ROOT [--write]     --write updates the lines
"""
import pathlib
import re
import sys

STATION = re.compile(r"`([\w./]+\.[hi]pp):(\d+)`\s+`([^`\n]+)`")


def line_of(text, lines):
    """Returns the line with that text, or what is wrong."""
    found = [n for n, line in enumerate(lines, 1) if text in line]
    return found[0] if len(found) == 1 else f"{len(found)} lines contain '{text}'"


def problems(page, lines_of):
    for file, number, text in STATION.findall(page):
        lines = lines_of(file)
        found = line_of(text, lines) if lines is not None else "the file does not exist"
        if found != int(number):
            yield f"{file}:{number} `{text}`: " + (f"is line {found}" if isinstance(found, int) else found)


def written(page, lines_of):
    def mend(station):
        file, number, text = station.groups()
        lines = lines_of(file)
        found = line_of(text, lines) if lines is not None else None
        return station.group().replace(f":{number}`", f":{found}`", 1) if isinstance(found, int) else station.group()
    return STATION.sub(mend, page)


def prove():
    lines = {"a.hpp": ["struct A;", "struct B;", "B make_b();"]}.get
    assert not list(problems("`a.hpp:1` `struct A`", lines))
    assert list(problems("`a.hpp:2` `struct A`", lines)) == ["a.hpp:2 `struct A`: is line 1"]
    assert list(problems("`a.hpp:3` `B`", lines)) == ["a.hpp:3 `B`: 2 lines contain 'B'"]
    assert list(problems("`b.hpp:1`\n`A`", lines)) == ["b.hpp:1 `A`: the file does not exist"]
    assert written("`a.hpp:7` `struct B` and `a.hpp:7` `B`", lines) == "`a.hpp:2` `struct B` and `a.hpp:7` `B`"


if __name__ == "__main__":
    prove()
    root = pathlib.Path(sys.argv[1])

    def lines_of(file):
        path = root / "include/sigma" / file
        return path.read_text().splitlines() if path.exists() else None

    found, stations = [], 0
    for page in sorted((root / "docs").rglob("*.md")):
        if sys.argv[2:] == ["--write"] and (new := written(page.read_text(), lines_of)) != page.read_text():
            page.write_text(new)
        stations += len(STATION.findall(page.read_text()))
        found += [f"{page.relative_to(root)}: {problem}" for problem in problems(page.read_text(), lines_of)]
    print("\n".join(found) or f"all {stations} places are there")
    sys.exit(bool(found) or stations == 0)
