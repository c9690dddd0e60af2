#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that words.py reports a name that was removed and a name that is new."""
import pathlib
import tempfile

import words

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / "docs").mkdir()
    (root / "include").mkdir()
    (root / "README.md").write_text("")
    (root / "docs/page.md").write_text("`spread(1)`, `other(2)`, `std::round(x)`\n")
    (root / "include/a.hpp").write_text('void spread(int);  // gone();\nvoid other(int); const char* text = "gone";\n')
    assert list(words.problems(root, {"spread", "other"})) == []
    assert "'gone'" in "".join(words.problems(root, {"spread", "other", "gone"}))
    assert "'other'" in "".join(words.problems(root, {"spread"}))
