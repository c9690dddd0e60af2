#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that portable.py reports each kind of mistake, and nothing else."""
import pathlib
import sys
import tempfile

from portable import check

CASES = {
    "in its room": ("storage/posix/impl/a.ipp", "#include <unistd.h>\nint x = ::close(1);", None),
    "of the terminal": ("core/impl/terminal.ipp", "#include <sys/ioctl.h>\nint x = ::isatty(1);", None),
    "a header": ("data/impl/a.ipp", "#include <unistd.h>", "includes <unistd.h>"),
    "a header in a folder": ("data/a.hpp", "#  include <sys/stat.h>", "includes <sys/stat.h>"),
    "a header of C++ and one of a library": ("data/a.hpp", "#include <csignal>\n#include <zlib.h>\n#include <curl/curl.h>", None),
    "a function": ("data/a.hpp", "int x = ::fsync(3);", "names ::fsync"),
    "a type": ("data/a.hpp", "void f(::mode_t mode);", "names ::mode_t"),
    "a flag": ("data/a.hpp", "open_at(1, name, O_RDONLY);", "names O_RDONLY"),
    "a struct": ("data/a.hpp", "struct stat found{};", "names struct stat"),
    "a signal": ("hook/a.hpp", "std::signal(SIGINT, f);", "names SIGINT"),
    "functions of libraries and of namespaces": ("data/a.hpp", "::png_error(p, t); storage::touch(f); decltype(a)::type b; ::new (p) T;", None),
    "a comment and a text": ("data/a.hpp", '// ::close of O_RDONLY\nx("::open");', None),
    "the room itself, from elsewhere": ("data/a.hpp", "#include <sigma/storage/posix/file.hpp>", "include the header of storage"),
    "the room itself, from above it": ("storage/file.hpp", "#include <sigma/storage/posix/file.hpp>", None),
    "the room itself, from a body beside it": ("storage/impl/a.ipp", "#include <sigma/storage/posix/file.hpp>", "include the header of storage"),
    "huge pages of Linux": ("core/impl/huge_pages.ipp", "#ifdef __linux__\n#include <sys/mman.h>\n#endif", None),
    "huge pages of any": ("core/impl/huge_pages.ipp", "#include <sys/mman.h>", "includes <sys/mman.h>"),
}

wrong = []
for case, (name, text, expected) in CASES.items():
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "sigma" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        found = check(pathlib.Path(scratch))
    if (found != []) != (expected is not None) or (expected and expected not in found[0]):
        wrong.append(f"{case}: expected {expected or 'nothing'}, found {found}")
print("\n".join(wrong) or f"{len(CASES)} cases")
sys.exit(bool(wrong))
