#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""portable.py INCLUDE: checks that only storage/posix/ and the terminal use headers and functions of POSIX.

So a port to another system is a folder next to posix/. All other code includes the headers of storage/."""
import pathlib
import re
import sys

from ladder import INCLUDE, OPTIONAL, SILENT

ROOMS = ("sigma/storage/posix/", "sigma/core/impl/terminal.ipp")
# Files that compile on other systems, too: the first is for Linux alone, the second for a libc++ that cannot read fractions.
GUARDED = {"sigma/core/impl/huge_pages.ipp": "#ifdef __linux__", "sigma/core/impl/read_front.ipp": "#ifdef SIGMA_READ_BY_STRTOD"}
HEADER = re.compile(r"(?!\w*mmintrin)[a-z0-9_]+\.h|(?:sys|net|netinet|arpa)/.*")  # macros of processors are allowed
OF_LIBRARIES = r"(?:png_|tj[A-Z]|tjhandle|curl_|archive|u8_|uc_|crc32_z|uninorm_|operator\b|new\b)"
# ::close, but not storage::close or decltype(x)::type.
FUNCTION = re.compile(rf"(?<![\w>):])::(?!{OF_LIBRARIES})([a-z]\w*)")
WORD = re.compile(r"\b(?:[OF]_[A-Z]+|AT_[A-Z_]+|S_I[A-Z]+|LOCK_[A-Z]+|SIG[A-Z]+|RLIM\w+|struct stat)\b")


def check(root):
    problems = []
    for path in sorted(root.rglob("*.[hi]pp")):
        name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        if name.startswith(ROOMS) or GUARDED.get(name, "\0") in text:
            continue
        included = [header for _, header in INCLUDE.findall(text)]
        code = INCLUDE.sub("", SILENT.sub("", text))
        for header in included:
            if HEADER.fullmatch(header) and not OPTIONAL.fullmatch(header):
                problems.append(f"{name}: includes <{header}>, which other systems lack; only storage/posix/ may")
            elif header.startswith("sigma/storage/posix/") and path.parent != root / "sigma/storage":
                problems.append(f"{name}: includes {header}; include the header of storage/ instead")
        for found in sorted({f"::{word}" for word in FUNCTION.findall(code)} | set(WORD.findall(code)) - {"SIGMA"}):
            problems.append(f"{name}: names {found}, which other systems lack; only storage/posix/ may")
    return problems


if __name__ == "__main__":
    found = check(pathlib.Path(sys.argv[1]))
    print("\n".join(found) or "only storage/posix/ and the terminal use POSIX")
    sys.exit(bool(found))
