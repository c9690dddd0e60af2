#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that names.py finds each kind of name that does not exist, and accepts a page whose names exist."""
import pathlib
import tempfile

import names

HEADERS = {
    "include/sigma/trainer/trainer.hpp": "\nvoid pause();",
    "include/sigma/trainer/trainer_core.hpp": "",
    "include/sigma/trainer/run/control.hpp": "void begin_run(); class Commands { void step(); // void running_time();",
    "include/sigma/trainer/inference.hpp": "",
    "include/sigma/layer/dense.hpp": "struct error_too_wide; int other(); void spread();  // SIGMA_WIDE",
}
RIGHT = """`spread(1)`, `trainer.step()`, `error_too_wide<1>`, `<sigma/layer/dense.hpp>`, `layer/dense.hpp`, SIGMA_WIDE, `std::round(x)`

```cpp
auto mine = [] { return other(); };  // calls()
mine(2);
```
"""
WRONG = ["`spraed(1)`", "`trainer.other()`", "`error_too_narrow<1>`", "`layer/dance.hpp`", "SIGMA_WIED", "`running_time()`",
         "```cpp\nspraed(mine);\n```"]


def found(page):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**HEADERS, "docs/page.md": page}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return list(names.problems(root))


assert found(RIGHT) == [], found(RIGHT)
for wrong in WRONG:
    assert len(found(RIGHT + wrong)) == 1, (wrong, found(RIGHT + wrong))
