#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Shows that the ladder check reports each kind of mistake, and nothing else."""
import pathlib
import sys
import tempfile

from ladder import check

CASES = {
    "downwards": ({"data/a.hpp": "#include <sigma/core/b.hpp>", "core/b.hpp": "#include <vector>"}, None),
    "within a folder": ({"core/a.hpp": '#include "b.hpp"', "core/b.hpp": ""}, None),
    "upwards": ({"core/a.hpp": "#include <sigma/data/b.hpp>", "data/b.hpp": ""}, "above it"),
    "upwards, in quotes": ({"core/a.hpp": '#  include "../data/b.hpp"', "data/b.hpp": ""}, "above it"),
    "includes the top": ({"trainer/a.hpp": "#include <sigma/sigma.hpp>", "sigma.hpp": ""}, "above it"),
    "a folder nobody knows": ({"misc/a.hpp": ""}, "not on the ladder"),
    "a missing header": ({"core/a.hpp": "#include <sigma/core/b.hpp>"}, "does not exist"),
    "zlib from the top": ({"sigma.hpp": "#include <sigma/data/x.hpp>", "data/x.hpp": "#include <sigma/data/source/gunzip.hpp>",
                           "data/source/gunzip.hpp": "#include <zlib.h>"}, "optional library"),
}

failures = 0
for title, (files, expected) in CASES.items():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, "sigma", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        problems = check(pathlib.Path(folder))
    good = not problems if expected is None else len(problems) == 1 and expected in problems[0]
    failures += not good
    print("pass" if good else "FAIL", title, problems)
sys.exit(bool(failures))
