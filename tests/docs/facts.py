#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Lists what a rewrite of the pages has lost: code spans and numbers of the pages at REV that no page has now.

    facts.py ROOT REV [PAGE…]     of these pages at REV, or of all

It is a tool for rewriting pages, not a test: a loss may be intended.
"""
import pathlib
import re
import subprocess
import sys

SPAN = re.compile(r"`([^`\n]+)`")
NUMBER = re.compile(r"(?<![\w.])\d[\d,.]*\d(?:e-?\d+)?(?![\w])")


def facts(text):
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    spans = {re.sub(r"\s+", "", span) for span in SPAN.findall(text)}
    return spans, set(NUMBER.findall(re.sub(r"\]\([^)]*\)", "", SPAN.sub("", text))))


if __name__ == "__main__":
    root, revision, *wanted = sys.argv[1:]

    def git(*words):
        return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=True).stdout
    everywhere = ""
    for pattern in ("*.md", "docs/**/*.md", "examples/*.md", "benchmarks/*.md"):
        everywhere += "".join(path.read_text() for path in pathlib.Path(root).glob(pattern))
    squeezed = re.sub(r"\s+", "", everywhere)
    pages = [name for name in git("ls-tree", "-r", "--name-only", revision).split("\n") if name.endswith(".md") and
             (name.startswith("docs/") or "/" not in name) and (not wanted or name in wanted)]
    for page in pages:
        spans, numbers = facts(git("show", f"{revision}:{page}"))
        lost = sorted(span for span in spans if span not in squeezed) + sorted(n for n in numbers if n not in everywhere)
        if lost:
            print(f"{page}: " + "  ".join(lost))
