#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that prose.py finds each kind of fault, fails if a file has more of it than before, and accepts good sentences."""
import pathlib
import subprocess
import sys
import tempfile

import prose

PAGE = {
    "long-sentence": "The trainer " + "really " * 30 + "runs.",
    "long-line": "The trainer runs " + "and runs " * 10 + "for ever.",
    "long-cell": "| a | " + "word " * 26 + "|",
    "clause-first": "What the network does not take throws.",
    "is-an-error": "A wrong name is an `ArgumentError`.",
    "anew": "It begins anew.",
    "who": "A thread who reads waits.",
    "where-if": "The default is used where there is none.",
    "said": "The trainer says the loss.",
    "goes-on": "The run goes on.",
    "sentence-hook": "The sentence fires once.",
}
SOURCE = {
    "doc-start": "/// Of a network's program.\nint x;",
    "vague-found": 'refuse("model", "a classifier", "found another");',
    "expected-to": 'refuse("file: expected to open it");',
    "who": "int x;  // for who reads",
    "anew": "/// Begins anew.\nint x;",
}
GOOD_PAGE = """# Title

`fit` throws `ArgumentError` if the name is unknown. Where is the file? In the cache.

```text
anew, who, said: an output is no prose
```

| name | meaning |
|---|---|
| `anew` | a name in code |
"""
GOOD_SOURCE = '/// Computes the mean.\n/// of many lines\nint x;  ///< Number of records.\n// Reads twice, since the first is a guess.\nauto y = "anew";\n'

for kind, text in PAGE.items():
    assert kind in {found for found, *_ in prose.page_findings(text)}, kind
for kind, text in SOURCE.items():
    assert kind in {found for found, *_ in prose.source_findings(text, ".hpp")}, kind
assert list(prose.page_findings(GOOD_PAGE)) == [], list(prose.page_findings(GOOD_PAGE))
assert list(prose.source_findings(GOOD_SOURCE, ".hpp")) == [], list(prose.source_findings(GOOD_SOURCE, ".hpp"))

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / "docs").mkdir()
    (root / "tests/docs").mkdir(parents=True)
    page = root / "docs/page.md"

    def run(*options):
        return subprocess.run([sys.executable, prose.__file__, root, *options], capture_output=True, text=True)
    page.write_text("It begins anew.\n")
    run("--write")
    assert run().returncode == 0
    page.write_text("It begins anew. It ends anew.\n")
    assert run().returncode == 1 and "anew: 2 found, 1 allowed" in run().stdout
    run("--write")  # never raises an allowance
    assert run().returncode == 1
    page.write_text("It begins again.\n")
    run("--write")
    page.write_text("It begins anew.\n")
    assert run().returncode == 1
