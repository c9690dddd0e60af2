#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
r"""Checks that the files contain the lines that docs/design/adding.md shows.

A block ```diff of the page has `+++ PATH` and lines `+…`. Each is a line of PATH, apart from blanks, namespaces and the \ at
the end of a line of a macro, and the file has them in this order. Other lines of the file in between are ignored. If a line
of the page contains …, a line of the file begins with the text before it.

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
                    yield f"{path}: the file does not exist"
            elif not line.startswith("+"):
                yield f"{path}: a line that does not begin with +: {line}"
            elif (wanted := plain(line[1:])) and lines is not None:
                begin, left_out, _ = wanted.partition("…")
                at = next((i for i, one in enumerate(lines) if (one.startswith(begin.strip()) if left_out else one == wanted)), None)
                if at is not None:
                    lines = lines[at + (1 if begin else 0):]
                else:
                    yield f"{path}: the file lacks this line, or has it in another order: {wanted}"


def prove():
    files = {"a.hpp": ["struct A {", "/// of it", "int x;", "};", "struct B;"]}
    lines_of = lambda path: files.get(path)
    page = "```diff\n+++ a.hpp\n+struct A {\n+    int x;\n+};\n```\n"
    assert not list(problems(page, lines_of))
    assert len(list(problems(page.replace("int x", "int y"), lines_of))) == 1
    assert len(list(problems("```diff\n+++ a.hpp\n+struct B;\n+struct A {\n```\n", lines_of))) == 1
    assert list(problems("```diff\n+++ b.hpp\n+struct A;\n```\n", lines_of)) == ["b.hpp: the file does not exist"]


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
