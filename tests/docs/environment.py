#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that docs/reference/environment.md names every environment variable that the sources read, and no other.

    environment.py ROOT
"""
import pathlib
import re
import sys

FOLDERS = ["include", "cuda", "components"]
# Functions and loops through which a name reaches getenv.
LISTS = re.compile(r"for \(const char\* \w+ : \{([^}]*)\}|\b\w+\(\{?((?:\s*\"[A-Z_0-9]+\",?)+)\}?\)|getenv\(\s*\"(\w+)\"")


def read_by(root):
    """{variable: a file that reads it} of the sources."""
    found = {}
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".hpp", ".ipp", ".cpp", ".cu") or not path.is_file():
                continue
            text = path.read_text(errors="replace")
            if "getenv" not in text:
                continue
            names = set()
            for listed, given, direct in LISTS.findall(text):
                names |= set(re.findall(r'"([A-Z][A-Z_0-9]+)"', listed + given)) | ({direct} - {""})
            if not names:
                raise SystemExit(f"{path}: reads an environment variable whose name environment.py does not find")
            for name in names:
                found.setdefault(name, str(path.relative_to(root)))
    return found


def faults(root):
    page = (root / "docs/reference/environment.md").read_text()
    named = set(re.findall(r"`([A-Z][A-Z_0-9]{2,})`", page))
    read = read_by(root)
    for name, path in sorted(read.items()):
        if name not in named:
            yield f"docs/reference/environment.md lacks {name}, which {path} reads"
    elsewhere = "".join(path.read_text(errors="replace") for folder in ["scripts", "examples", "cmake", "components"] for path in (root / folder).rglob("*")
                        if path.is_file() and path.suffix in (".sh", ".py", ".cmake"))
    for name in sorted(named - set(read)):
        if not re.search(rf"\b{name}\b", elsewhere):
            yield f"docs/reference/environment.md names {name}, which nothing reads"


if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    found = list(faults(root))
    for fault in found:
        print(fault)
    print(f"{len(read_by(root))} environment variables")
    sys.exit(bool(found))
