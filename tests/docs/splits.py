#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that no example, page or benchmark splits records after a preprocessing step that learns from them.

A step such as `standardize` must not learn from records that are held out."""
import pathlib
import re
import sys

LEARNS = r"(?:data::)?(?:standardize|min_max|impute)\("
SPLIT = re.compile(rf"\b(?:\w+_)?split(?:_\w+)?\([^;]*?>>\s*{LEARNS}")
PREPARED = re.compile(rf"\b(\w+)\s*=\s*[^;=]*?>>\s*{LEARNS}[^;]*;")


def leaks(text):
    text = re.sub(r"//[^\n]*", "", text)
    yield from (found.group(0) for found in SPLIT.finditer(text))
    for name in PREPARED.findall(text):
        yield from (found.group(0) for found in re.finditer(rf"\b(?:\w+_)?split(?:_\w+)?\((?:shuffled\()?{name}\b", text))


WRONG = ["auto [a, b] = split(data::wine() >> data::standardize(data::inputs), 0.9, 0.1);",
         "const auto all = iris() >> min_max(inputs);\nauto [a, b] = stratified_split(shuffled(all, 7), 0.9, 0.1);"]
RIGHT = ["auto [a, b] = split(data::wine(), 0.9, 0.1);\nconst auto p = fitted(standardize(inputs), a);\na = a >> p;",
         "const auto p = fitted(impute(inputs, median) >> standardize(inputs), a); split_groups(all, persons, 0.8, 0.2);"]

if __name__ == "__main__":
    assert all(any(leaks(text)) for text in WRONG) and not any(any(leaks(text)) for text in RIGHT)
    root = pathlib.Path(sys.argv[1])
    files = [root / "README.md"] + sorted(f for folder in ("docs", "examples", "benchmarks") for end in ("cpp", "md", "py")
                                          for f in (root / folder).rglob(f"*.{end}"))
    found = [f"{file.relative_to(root)}: the data are preprocessed before the split: {leak}" for file in files for leak in leaks(file.read_text())]
    print("\n".join(found) or "no step learns from held-out records")
    sys.exit(bool(found))
