#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
r"""Checks that what the page about adding things shows is in the files that it names.

In docs/design/adding.md a block ```diff has `+++ PATH` and lines `+…`: each is a line of PATH, up to blanks and namespaces, and they stand there in
this order, before the \ of a macro that goes on. What the file has in between (comments, members that the page leaves out) is passed over.
Where a line of the page has …, a line of the file begins with what is before it.

    diffs.py ROOT
"""
import pathlib
import re
import sys

BLOCK = re.compile(r"^```diff\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def plain(line):
    return re.sub(r"\s+", " ", re.sub(r"\b(?:sigma::)?detail::", "", line).strip().rstrip("\\").strip())


def problems(page, lines_of):
    for block in BLOCK.findall(page):
        lines, path = None, "the first line of a block"
        for line in block.splitlines():
            if line.startswith("+++ "):
                path = line[4:].strip()
                lines = lines_of(path)
                if lines is None:
                    yield f"{path}: there is no such file"
            elif not line.startswith("+"):
                yield f"{path}: a line that does not begin with +: {line}"
            elif (wanted := plain(line[1:])) and lines is not None:
                begin, left_out, _ = wanted.partition("…")
                at = next((i for i, one in enumerate(lines) if (one.startswith(begin.strip()) if left_out else one == wanted)), None)
                if at is not None:
                    lines = lines[at + (1 if begin else 0):]
                else:
                    yield f"{path}: has no line, or not in this order: {wanted}"


def prove():
    files = {"a.hpp": ["struct A {", "/// of it", "int x;", "};", "struct B;"]}
    lines_of = lambda path: files.get(path)
    page = "```diff\n+++ a.hpp\n+struct A {\n+    int x;\n+};\n```\n"
    assert not list(problems(page, lines_of))
    assert len(list(problems(page.replace("int x", "int y"), lines_of))) == 1
    assert len(list(problems("```diff\n+++ a.hpp\n+struct B;\n+struct A {\n```\n", lines_of))) == 1
    assert list(problems("```diff\n+++ b.hpp\n+struct A;\n```\n", lines_of)) == ["b.hpp: there is no such file"]


if __name__ == "__main__":
    prove()
    root = pathlib.Path(sys.argv[1])

    def lines_of(path):
        file = root / path
        return [plain(line) for line in file.read_text().splitlines()] if file.is_file() else None

    page = (root / "docs/design/adding.md").read_text()
    found = list(problems(page, lines_of))
    print("\n".join(found) or f"all {len(BLOCK.findall(page))} blocks are there")
    sys.exit(bool(found))
