#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles the examples in comments of public headers, without making code of them.

    header_examples.py COMPILER ROOT [--only FILE-or-folder,…] [--keep FOLDER] [--prelude FILE] [FLAG…]

An example is what stands between `@code` and `@endcode` in a comment `///`; `@code{.txt}` is no C++. Each becomes the body of a
function behind tests/docs/header_examples.hpp, which has the names that examples use. Classes, templates and functions of an
example stand before that function, in a namespace of their own. An error names header and line.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# A translation unit each: about the same work.
UNITS = [["include/sigma/layer", "include/sigma/tape", "include/sigma/initializer", "include/sigma/function", "include/sigma/core"],
         ["include/sigma/hook", "include/sigma/metric", "include/sigma/modifier", "include/sigma/optimizer"],
         ["include/sigma/data", "include/sigma/storage", "include/sigma/decoding", "include/sigma/exchange"],
         ["include/sigma", "cuda"]]
DECLARES = re.compile(r"(?:template\b|struct\b|class\b|enum\b|concept\b|namespace\b|union\b)")
FUNCTION = re.compile(r"(?:(?:static|inline|constexpr|auto|void|bool|int|float|double|Tensor|Variable|std::\w+(?:<[^;{}()]*>)?|sigma::\w+|const|[A-Z]\w*(?:<[^;{}()]*>)?)[\s&*]+)+"
                      r"[a-z_]\w*\([^;{}]*\)\s*(?:const\s*)?(?:->\s*[^{;]+)?\{")


def examples(text):
    """(line of the first line of code, lines) of each example in a header."""
    block, begin, skip = None, 0, False
    for number, line in enumerate(text.split("\n"), 1):
        comment = re.match(r"\s*///<? ?(.*)$", line)
        if comment is None:
            if block is not None and not skip:
                yield begin, None
            block = None
            continue
        body = comment[1]
        if block is None:
            if found := re.match(r"\s*[@\\]code(\{[^}]*\})?\s*(.*)$", body):
                block, begin = [], number + 1
                skip = found[1] is not None and found[1].lower() not in ("{.cpp}", "{.hpp}", "{cpp}", "{.cc}")
        elif re.match(r"\s*[@\\]endcode\b", body):
            if not skip:
                yield begin, block
            block = None
        else:
            block.append(body)


def chunks(lines):
    """[first line, last line] of each declaration or statement: it ends where all brackets are closed, by ; or }."""
    start, depth = None, 0
    for at, line in enumerate(lines):
        bare = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'|//.*$', '""', line).strip()
        if start is None:
            if not bare or bare == '""' and line.strip().startswith("//"):
                continue
            start = at
        depth += sum(bare.count(c) for c in "{([") - sum(bare.count(c) for c in "})]")
        ends = bare.rstrip('"').rstrip()
        follows = at + 1 < len(lines) and re.match(r"\s*(?:else\b|while\s*\(.*\);|catch\b)", lines[at + 1])
        if depth <= 0 and (ends.endswith((";", "}")) or ends.startswith("#")) and not follows:
            yield start, at
            start, depth = None, 0
    if start is not None:
        yield start, len(lines) - 1


def compiled(number, file, begin, lines):
    """An example as source, and the headers that it includes."""
    outside, inside, includes = [], [], []
    for first, last in chunks(lines):
        part = lines[first:last + 1]
        head = part[0].strip()
        text = "\n".join(part)
        where = f'#line {begin + first} "{file}"\n{text}\n'
        if head.startswith("#include"):
            includes.append(where)
        elif head.startswith(("using namespace", "constexpr auto ")):  # a network may name the constant
            outside.append(where)
        elif DECLARES.match(head) or FUNCTION.match(re.sub(r"\s*\n\s*", " ", text)):
            outside.append(where)
        else:
            inside.append(where)
    body = "".join(inside)
    return includes, (f"namespace example_{number} {{\n" + "".join(outside) + f'#line 1 "{file} (example at line {begin})"\n' +
                      "[[maybe_unused]] static auto example() {\n" + body + f'#line {begin + len(lines)} "{file}"\n}}\n}}\n')


def headers(root, unit, only):
    before = [folder for other in UNITS if other is not unit for folder in other if folder.count("/") > 1]
    for folder in unit:
        for path in sorted((root / folder).rglob("*.h*")):
            name = str(path.relative_to(root))
            if path.suffix not in (".hpp", ".h") or "/impl/" in name:
                continue
            if folder.count("/") < 2 and any(name.startswith(other + "/") for other in before):
                continue
            if not only or any(name == wanted or name.startswith(wanted.rstrip("/") + "/") for wanted in only):
                yield path, name


def check(root, unit, only, command, folder):
    """(examples, errors) of the headers of a unit."""
    includes, bodies, count, faults = [], [], 0, []
    for path, name in headers(root, unit, only):
        for begin, lines in examples(path.read_text(errors="replace")):
            if lines is None:
                faults.append(f"{name}:{begin}: @code without @endcode")
                continue
            count += 1
            more, body = compiled(count, name, begin, lines)
            includes += more
            bodies.append(body)
    if bodies:
        source = pathlib.Path(folder) / f"unit_{UNITS.index(unit)}.cpp"
        source.write_text("".join(includes) + "".join(bodies))
        ran = subprocess.run([*command, str(source)], text=True, capture_output=True, cwd=root)
        if ran.returncode:
            lines = ran.stderr.split("\n")
            faults += [line for line in lines if re.search(r"error:", line)] or lines[:20]
    return count, faults


def main(arguments):
    only, keep, flags, prelude = [], None, [], HERE / "header_examples.hpp"
    words = iter(arguments[2:])
    for word in words:
        if word == "--only":
            only = [w for w in next(words).split(",")]
        elif word == "--keep":
            keep = next(words)
        elif word == "--prelude":
            prelude = pathlib.Path(next(words)).resolve()
        else:
            flags.append(word)
    compiler, root = arguments[0], pathlib.Path(arguments[1]).resolve()
    if not shutil.which(compiler):
        print(f"skipped: no {compiler}")
        return 77
    only = [str(pathlib.Path(name).resolve().relative_to(root)) if pathlib.Path(name).exists() else name for name in only]
    command = [compiler, "-std=c++20", "-DSIGMA_COMPILED", f"-I{root}/include", f"-I{root}/cuda", "-fconstexpr-steps=100000000", "-w",
               "-fsyntax-only", "-ferror-limit=0", "-ftemplate-backtrace-limit=3", *flags, "-x", "c++"]
    for toolkit in sorted(pathlib.Path("/usr/local").glob("cuda*/include"))[-1:]:
        command += ["-isystem", str(toolkit)]
    with tempfile.TemporaryDirectory() as made:
        folder = keep or made
        os.makedirs(folder, exist_ok=True)
        # The headers are read once, for all units.
        compiled = pathlib.Path(made) / "prelude.pch"
        to_precompile = [flag for flag in command if flag not in ("-fsyntax-only", "-x", "c++")]
        ran = subprocess.run([*to_precompile, "-x", "c++-header", str(prelude), "-o", str(compiled)], text=True, capture_output=True)
        if ran.returncode:
            print(ran.stderr)
            return 1
        command += ["-include-pch", str(compiled)]
        with concurrent.futures.ThreadPoolExecutor(max_workers=max(1, min(len(UNITS), (os.cpu_count() or 2)))) as pool:
            results = list(pool.map(lambda unit: check(root, unit, only, command, folder), UNITS))
    total = sum(count for count, _ in results)
    faults = [fault for _, found in results for fault in found]
    for fault in faults:
        print(fault)
    print(f"{total} examples, {len(faults)} errors")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
