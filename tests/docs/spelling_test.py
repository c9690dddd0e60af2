#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Shows that spelling.py finds a wrong word in a page and in a comment, and leaves code alone. Ends with 77 without aspell."""
import pathlib
import shutil
import sys
import tempfile

import spelling

if not shutil.which("aspell"):
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / "docs").mkdir()
    (root / "include").mkdir()
    (root / "docs/page.md").write_text("A wrogn word, `wrogm`, NamedThing, file.txtt and minibatch.\n\n```text\nwrogg\n```\n")
    (root / "include/a.hpp").write_text("/// Computes a maen.\n/// @param wdith  the width\n/// @code\n/// wrogc();\n/// @endcode\nint f(int wdith);  // maem\n")
    dictionary = root / "dictionary.txt"
    dictionary.write_text("minibatch\n")
    assert {word for word, _ in spelling.unknown(root, dictionary)} == {"wrogn", "maen"}, list(spelling.unknown(root, dictionary))
