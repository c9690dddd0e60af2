#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Shows that questions.py accepts a place among the first three results and no other."""
import questions

RESULTS = [["a.html#one"], ["index.html", "index.html#x"], ["reference/layers.html#Dense", "reference/layers.html"], ["late.html"]]
assert questions.answered(RESULTS, ["reference/layers#Dense"])
assert questions.answered(RESULTS, ["late", "a"])
assert not questions.answered(RESULTS, ["late"])
assert not questions.answered(RESULTS, ["a#two"])
assert not questions.answered([], ["a"])
assert list(questions.read("# no\n? later words | a b#c\nnow | d\n")) == [("later words", ["a", "b#c"], True), ("now", ["d"], False)]
