#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that spans.py finds a span that does not compile, and accepts a page whose spans compile.

    spans_test.py COMPILER ROOT FLAG...
"""
import sys

import spans

RIGHT = ["Dense(10, relu)", "trainer.run(cpu(), 20)", "score(unknown, binary(0.5))", 'Dataset({{"image", images}}, {{"", kinds}}, "faces")']
WRONG = ["Dense(10, 3, relu)", "trainer.run(20)", "trainer.rnu(cpu(), 20)", 'Dataset({{"image", 3}}, {{"", kinds}}, "faces")', "Dense(10"]

compiler, root, *flags = sys.argv[1:]
# A long span of words is decided at once: nested repetitions would try every way to divide it.
assert not spans.SIGNATURE.fullmatch("call(" + "word " * 100 + "{")
cases = [("docs/page.md", number, text) for number, text in enumerate(RIGHT + WRONG, 1)]
*found, programs = spans.problems(root, compiler, flags, cases)
assert programs == len(cases) - 1, programs  # one is a pattern
assert sorted(int(problem.split(":")[1]) for problem in found) == list(range(len(RIGHT) + 1, len(cases) + 1)), found
