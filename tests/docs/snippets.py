#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that the blocks of code in the documentation are quoted from files that are compiled.

In docs/**/*.md, a line `<!-- PATH#NAME -->` precedes each block of C++, Python or JavaScript. The block repeats, apart from indentation,
the lines of PATH between its two lines `// [NAME]` or `# [NAME]`. Lines #include may precede them in the block.

    snippets.py ROOT [--write]     --write quotes the regions again
"""
import pathlib
import re
import sys
import textwrap


def region(text, name):
    found = re.search(rf"^ *(?://|#) \[{re.escape(name)}\]\n(.*?)^ *(?://|#) \[{re.escape(name)}\]$", text, re.MULTILINE | re.DOTALL)
    return found and textwrap.dedent(found.group(1)).strip()


INCLUDES = re.compile(r"\A(?:#include [^\n]*\n)+\n?")
QUOTED = re.compile(r"(<!-- (\S+)#(\S+) -->\n+```(?:cpp|python|js)\n)(.*?)(```)", re.DOTALL)
SKETCHES = {"docs/design/compile-time-errors.md": 1}  # page -> number of its blocks that cannot be compiled


def source_of(root, path, name):
    return (root / path).exists() and region((root / path).read_text(), name)


def problems(root):
    for page in sorted((root / "docs").rglob("*.md")):
        text = page.read_text()
        where = page.relative_to(root)
        quotations = QUOTED.findall(text)
        free = len(re.findall(r"^ *```(?:cpp|python|js)\n", text, re.MULTILINE)) - len(quotations)
        wanted = SKETCHES.get(str(where), 0)
        if free != wanted:
            yield f"{where}: expected {wanted} blocks of code without a source, found {free}"
        for _, path, name, quoted, _ in quotations:
            wanted = source_of(root, path, name)
            if not wanted:
                yield f"{where}: {path} has no region [{name}]"
            elif INCLUDES.sub("", textwrap.dedent(quoted)).strip() != wanted:
                yield f"{where}: differs from {path} [{name}]"


def write(root):
    def quote(found):
        head, path, name, old, end = found.groups()
        includes = INCLUDES.match(old)
        return head + (includes.group() if includes else "") + (source_of(root, path, name) or old.rstrip("\n")) + "\n" + end
    for page in sorted((root / "docs").rglob("*.md")):
        text = page.read_text()
        if (new := QUOTED.sub(quote, text)) != text:
            page.write_text(new)


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["--write"]:
        write(root)
    found = list(problems(root))
    print("\n".join(found) or "all quotations agree with their sources")
    sys.exit(bool(found))
