#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that standard.py reports each kind of mistake, and nothing else."""
import pathlib
import sys
import tempfile

from standard import check

TOP = "#include <sigma/core/a.hpp>"
CASES = {
    "on the list": ({"sigma.hpp": TOP, "core/a.hpp": "#include <vector>\n#include <memory>"}, None),
    "not on the list": ({"sigma.hpp": TOP, "core/a.hpp": "#include <memory>\n#  include <thread>"}, "core/a.hpp: includes <thread>"),
    "through another": ({"sigma.hpp": TOP, "core/a.hpp": '#include <memory>\n#include "b.hpp"', "core/b.hpp": "#include <mutex>"},
                        "core/b.hpp: includes <mutex>"),
    "of the system": ({"sigma.hpp": TOP, "core/a.hpp": "#include <memory>\n#include <sys/stat.h>"}, "includes <sys/stat.h>"),
    "not reached": ({"sigma.hpp": TOP, "core/a.hpp": "#include <memory>", "core/b.hpp": "#include <thread>"}, None),
    "in a body": ({"sigma.hpp": TOP, "core/a.hpp": "#include <memory>\n#include <sigma/core/impl/a.ipp>",
                   "core/impl/a.ipp": "#include <thread>"}, None),
    "of another library": ({"sigma.hpp": TOP, "core/a.hpp": "#include <memory>\n#include <xtensor/xarray.hpp>"}, None),
    "what has left": ({"sigma.hpp": TOP, "core/a.hpp": "#include <vector>"}, "<memory> is no longer included"),
}

failures = 0
for title, (files, expected) in CASES.items():
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, "sigma", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        problems = check(pathlib.Path(folder), {"vector"}, {"memory"})
    good = not problems if expected is None else len(problems) == 1 and expected in problems[0]
    failures += not good
    print("pass" if good else "FAIL", title, problems)
sys.exit(bool(failures))
