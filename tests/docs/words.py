#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that no public name disappears: each name that the code of the pages ever called is still declared in a header.

A renamed function leaves a declaration that names the new function (names.hpp).

    words.py ROOT [--write]     --write adds the names of the pages to words.txt
"""
import pathlib
import re
import sys

import names


def declared(root):
    """Returns the names in headers, without comments and texts."""
    all_text = names.read(root, "include/**/*.hpp", "cuda/**/*.hpp")
    return set(re.findall(names.WORD, re.sub(r"//[^\n]*|\"[^\"\n]*\"", "", all_text)))


def called(root):
    pages = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    for page in pages:
        text = page.read_text()
        code = re.findall(r"```cpp\n(.*?)```", text, re.DOTALL)
        code += re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
        for block in code:
            for scope, name in names.CALL.findall(re.sub(r"//[^\n]*", "", block)):
                if not scope.startswith(("std::", "xt::", "hana::")):
                    yield name


def problems(root, listed):
    here = declared(root)
    for word in sorted(listed - here):
        yield f"no header has '{word}' any more: declare it in names.hpp with its new name"
    for word in sorted((set(called(root)) & here) - listed):
        yield f"'{word}' is new in the pages: run words.py --write"


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    file = root / "tests/docs/words.txt"
    listed = set(file.read_text().split())
    if sys.argv[2:] == ["--write"]:
        listed |= set(called(root)) & declared(root)
        file.write_text("\n".join(sorted(listed)) + "\n")
    found = list(problems(root, listed))
    print("\n".join(found) or f"all {len(listed)} names are declared")
    sys.exit(bool(found))
