#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that what the documentation quotes is what compiles.

In docs/**/*.md a line `<!-- PATH#NAME -->` stands before a code block that repeats, up to indentation, the lines of PATH
between its two lines `// [NAME]`.
"""
import pathlib
import re
import sys
import textwrap


def region(text, name):
    found = re.search(rf"^ *// \[{re.escape(name)}\]\n(.*?)^ *// \[{re.escape(name)}\]$", text, re.MULTILINE | re.DOTALL)
    return found and textwrap.dedent(found.group(1)).strip()


def problems(root):
    for page in sorted((root / "docs").rglob("*.md")):
        for path, name, quoted in re.findall(r"<!-- (\S+)#(\S+) -->\n+```cpp\n(.*?)```", page.read_text(), re.DOTALL):
            source = root / path
            wanted = source.exists() and region(source.read_text(), name)
            if not wanted:
                yield f"{page.relative_to(root)}: {path} has no region [{name}]"
            elif textwrap.dedent(quoted).strip() != wanted:
                yield f"{page.relative_to(root)}: differs from {path} [{name}]"


if __name__ == "__main__":
    found = list(problems(pathlib.Path(sys.argv[1])))
    print("\n".join(found) or "all quotations are true")
    sys.exit(bool(found))
