#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles every header after macros that common headers define: those of Qt, Windows, X11, macOS and C.

    hostile.py INCLUDE [--prove-it-fails] COMPILER FLAG...

Headers of other libraries are included before the macros, because they need not work with them. A header that needs a
library that is not installed is left out. With --prove-it-fails, a macro replaces a name that headers use, and the compilation
must fail. Exits with 77 if the compiler is not installed.
"""
import pathlib
import re
import shutil
import subprocess
import sys

EMPTY = "emit slots signals near far IN OUT OPTIONAL pascal cdecl CALLBACK interface_ Q_OBJECT Q_EMIT STRICT".split()
VALUES = """small:char hyper:int interface:struct foreach:for forever:for(;;) None:0L Success:0 Status:int Bool:int True:1 False:0
    Always:2 Unsorted:0 YSorted:1 Above:0 Below:1 Convex:2 Complex:0 Nonconvex:1 GrayScale:1 Expose:12 KeyPress:2 FocusIn:9
    CursorShape:0 ERROR:0 DELETE:1 CONST:const VOID:void TRUE:1 FALSE:0 NO_ERROR:0 IGNORE:0 INFINITE:1 TRANSPARENT:1 RELATIVE:2
    ABSOLUTE:1 OPAQUE:2 DOMAIN:1 OVERFLOW:3 UNDERFLOW:4 YES:1 NO:0 nil:0 unix:1 linux:1 I:1i INPUT:0 OUTPUT:1 HIGH:1 LOW:0
    PI:3 GetObject:GetObjectW SendMessage:SendMessageW CreateFile:CreateFileW DeleteFile:DeleteFileW CopyFile:CopyFileW
    MoveFile:MoveFileW LoadImage:LoadImageW DrawText:DrawTextW GetMessage:GetMessageW Yield:1""".split()
FUNCTIONS = "check(x) major(x) minor(x) check_noerr(x) Q_SIGNAL(x) Q_SLOT(x) Q_UNUSED(x) SIGNAL(x) SLOT(x)".split()


def macros():
    yield from (f"#undef {name}\n#define {name}" for name in EMPTY)
    for pair in VALUES:
        name, value = pair.split(":", 1)
        yield f"#undef {name}\n#define {name} {value}"
    # Macros with any number of arguments, so that each use is found.
    yield from (f"#undef {f[:-3]}\n#define {f[:-3]}(...) (this is a macro)" for f in FUNCTIONS)


def headers(root):
    """Returns (headers of other libraries, our headers that need only installed libraries)."""
    includes = {}
    for path in root.rglob("*.[hi]pp"):
        includes[str(path.relative_to(root))] = set(re.findall(r"^\s*#\s*include <([^>]*)>", path.read_text(encoding="utf-8"), re.MULTILINE))
    for names in includes.values():
        names.discard("xlocale.h")  # a header of another system
    others = {name for names in includes.values() for name in names if not name.startswith("sigma/")}
    return sorted(others), includes


def installed(command, others):
    text = "".join(f"#if __has_include(<{name}>)\nhas {name}\n#endif\n" for name in others)
    result = subprocess.run([*command, "-E", "-P", "-x", "c++", "-"], input=text, capture_output=True, text=True, check=True)
    return set(re.findall(r"has (\S+)", result.stdout.replace(" / ", "/")))


def main(arguments):
    root, *arguments = arguments
    prove = arguments[:1] == ["--prove-it-fails"]
    command = arguments[1:] if prove else arguments
    if not shutil.which(command[0]):
        return 77
    others, includes = headers(pathlib.Path(root))
    there = installed(command, others)

    def needs(name, seen):
        if name not in seen:
            seen.add(name)
            for inner in includes.get(name, ()):
                needs(inner, seen)
        return seen

    ours = [name for name in sorted(includes) if name.endswith(".hpp")
            and all(n in there or n.startswith("sigma/") for n in needs(name, set()))]
    if len(ours) < 300:
        print(f"expected more headers to compile, found {len(ours)}")
        return 1
    lines = [f"#include <{name}>" for name in others if name in there]
    lines += list(macros()) + (["#define differentiate 1"] if prove else []) + [f"#include <{name}>" for name in ours]
    result = subprocess.run([*command, "-fsyntax-only", "-w", "-x", "c++", "-"], input="\n".join(lines) + "\n", capture_output=True,
                            text=True)
    print("\n".join([line for line in result.stderr.splitlines() if "error" in line][:20]) or f"{len(ours)} headers compile")
    return int((result.returncode != 0) != prove)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
