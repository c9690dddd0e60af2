#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that no public word goes without a trace: each that was ever called in the pages' code is still declared in some header, if only
to say what it is called now (names.hpp).

    words.py ROOT [--write]     --write adds the words of the pages to words.txt
"""
import pathlib
import re
import sys

import names


def declared(root):
    """What stands in headers, but in comments and texts."""
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
        yield f"no header has '{word}' any more: it leaves one that says what it is called now, in names.hpp"
    for word in sorted((set(called(root)) & here) - listed):
        yield f"'{word}' is new in the pages: words.py --write"


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    file = root / "tests/docs/words.txt"
    listed = set(file.read_text().split())
    if sys.argv[2:] == ["--write"]:
        listed |= set(called(root)) & declared(root)
        file.write_text("\n".join(sorted(listed)) + "\n")
    found = list(problems(root, listed))
    print("\n".join(found) or f"all {len(listed)} words are there")
    sys.exit(bool(found))
