#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles programs that must not compile, and checks the first error the user sees.

    run.py --compiler g++ FOLDER -- FLAG...

Each FOLDER/NAME.cpp holds a line `// expected-first-error: REGEX`, or one for each compiler
(`// expected-first-error-g++: REGEX`, `// expected-first-error-clang: REGEX`). Without -DTWIN the program must be
refused, and the first line with `error:` must lie in NAME.cpp and match REGEX. With -DTWIN it must compile: the
program is right but for the one mistake. With --prove-it-fails every case must be reported as a failure instead,
whose text matches its line `// expected-report: REGEX`: this shows that the harness can fail.

A compiler needs two seconds for what it has read of the library, be the program empty. So twins are compiled many at
once, each in a namespace of its own, and one by one only where that fails.
"""
import argparse
import concurrent.futures
import dataclasses
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

at_once = 12  # twins; more would take more memory than two of them may have


@dataclasses.dataclass
class Case:
    source: pathlib.Path
    text: str
    problem: str | None = None  # what is wrong with it


def compile_case(arguments, source, *options):
    command = [arguments.compiler, *arguments.flags, "-fsyntax-only", "-fno-diagnostics-color", *options, str(source)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=None)


def includes_of(cases):
    """All lines that include something."""
    return sorted({line for case in cases for line in re.findall(r"^#include <.*?>", case.text, re.MULTILINE)})


def precompile(arguments, folder, cases):
    """Reads once what any case includes; flags that make a compiler use the result, none where that fails."""
    source = folder / "sigma" / "all.hpp"
    source.parent.mkdir()
    source.write_text("\n".join(["#include <sigma/sigma.hpp>", *includes_of(cases)]) + "\n", encoding="utf-8")
    result = source.with_name("sigma.hpp.gch")
    command = [arguments.compiler, *arguments.flags, "-x", "c++-header", str(source), "-o", str(result)]
    if subprocess.run(command, capture_output=True, timeout=300).returncode != 0:
        return []  # then the cases tell why
    return ["-include-pch", str(result)] if "clang" in arguments.compiler else [f"-I{folder}", "-include", "sigma/sigma.hpp"]


def comment(text, name):
    found = re.search(rf"^// {re.escape(name)}: (.*?)\s*$", text, re.MULTILINE)
    return found and found.group(1)


def check(arguments, case):
    """What is wrong with the case, but for its twin, or None."""
    source, text = case.source, case.text
    family = "clang" if "clang" in arguments.compiler else "g++"
    expected = comment(text, f"expected-first-error-{family}") or comment(text, "expected-first-error")
    if expected is None:
        return "no line '// expected-first-error: REGEX'"
    if "TWIN" not in text:
        return "no '#ifdef TWIN': a correct twin must stand beside the mistake"

    first_only = "-ferror-limit=1" if family == "clang" else "-fmax-errors=1"
    result = compile_case(arguments, source, first_only)
    if result.returncode == 0:
        return f"compiles, but must not; expected the error: {expected}"
    first = next((line for line in result.stderr.splitlines() if "error:" in line), None)
    if first is None:
        return f"the compiler failed without an error line:\n{result.stderr}"
    if not re.match(rf"(.*/)?{re.escape(source.name)}:\d+:", first):
        return f"the first error is not at the user's line:\n    {first}"
    if not re.search(expected, first):
        return f"the first error\n    {first}\n  does not match\n    {expected}"
    return None


def check_twin(arguments, case):
    """What is wrong with the twin of the case, or None."""
    twin = compile_case(arguments, case.source, "-DTWIN")
    if twin.returncode != 0:
        return f"the correct twin does not compile:\n{twin.stderr[:2000]}"
    return None


def check_twins(arguments, folder, cases):
    """Finds what is wrong with the twins of cases."""
    together = folder / f"twins_{cases[0].source.stem}.cpp"
    lines = includes_of(cases)
    for number, case in enumerate(cases):
        body = re.sub(r"^#include <.*?>", "", case.text, flags=re.MULTILINE)
        lines += [f"namespace twin_{number} {{", f'#line 1 "{case.source}"', body, "}"]
    together.write_text("\n".join(lines), encoding="utf-8")
    if compile_case(arguments, together, "-DTWIN").returncode != 0:
        for case in cases:
            case.problem = check_twin(arguments, case)


def examine(arguments, folder, pool, cases):
    """Finds what is wrong with each case."""
    folder.mkdir()
    if len(cases) > at_once:
        flags = [*precompile(arguments, folder, cases), *arguments.flags]
        arguments = argparse.Namespace(**{**vars(arguments), "flags": flags})
    for case, problem in zip(cases, pool.map(lambda case: check(arguments, case), cases)):
        case.problem = problem
    sound = [case for case in cases if case.problem is None]
    parts = [sound[i : i + at_once] for i in range(0, len(sound), at_once)]
    list(pool.map(lambda part: check_twins(arguments, folder, part), parts))  # the list waits, and raises


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--prove-it-fails", action="store_true")
    parser.add_argument("--at-least", type=int, default=1, help="fail where the folder holds fewer programs")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("flags", nargs="*")
    arguments = parser.parse_args()
    if shutil.which(arguments.compiler) is None:
        print(f"{arguments.compiler} is not installed")
        return 77

    cases = [Case(source, source.read_text(encoding="utf-8")) for source in sorted(arguments.folder.glob("*.cpp"))]
    if len(cases) < arguments.at_least:
        print(f"expected at least {arguments.at_least} programs in {arguments.folder}, found {len(cases)}")
        return 1
    failures = 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        # What is read of data makes every compilation longer: only those that need it shall pay.
        for name, with_data in (("core", False), ("data", True)):
            chosen = [case for case in cases if ("<sigma/data/" in case.text) == with_data]
            examine(arguments, pathlib.Path(scratch) / name, pool, chosen)
        for case in cases:
            if arguments.prove_it_fails:
                report = comment(case.text, "expected-report")
                good = case.problem is not None and report is not None and re.search(report, case.problem) is not None
            else:
                good = case.problem is None
            failures += not good
            print("pass" if good else "FAIL", case.source.name, case.problem or "")
    print(f"{len(cases)} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
