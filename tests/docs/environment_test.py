#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Shows that environment.py fails if the page lacks a variable, names one that nothing reads, or a name is not found."""
import pathlib
import tempfile

import environment

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for name in ["docs/reference", "scripts", *environment.FOLDERS]:
        (root / name).mkdir(parents=True)
    source, page = root / "include/a.ipp", root / "docs/reference/environment.md"
    source.write_text('auto a = std::getenv("SIGMA_A"); for (const char* name : {"LC_ALL", "LANG"}) std::getenv(name);')
    page.write_text("| `SIGMA_A` | `LC_ALL`, `LANG` |")
    assert list(environment.faults(root)) == [], list(environment.faults(root))
    page.write_text("| `SIGMA_A` | `LANG` |")
    assert "lacks LC_ALL" in " ".join(environment.faults(root))
    page.write_text("| `SIGMA_A` | `LC_ALL`, `LANG`, `SIGMA_B` |")
    assert "names SIGMA_B" in " ".join(environment.faults(root))
    source.write_text("auto a = std::getenv(name_of(x));")
    try:
        list(environment.faults(root))
        assert False
    except SystemExit as fault:
        assert "does not find" in str(fault)
