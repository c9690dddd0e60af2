#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles programs that must not compile, and checks the first error the user sees.

    run.py --compiler g++ FOLDER -- FLAG...

Each FOLDER/NAME.cpp holds a line `// expected-first-error: REGEX`, or one for each compiler
(`// expected-first-error-g++: REGEX`, `// expected-first-error-clang: REGEX`). Without -DTWIN the program must be
refused, and the first line with `error:` must lie in NAME.cpp and match REGEX. With -DTWIN it must compile: the
program is right but for the one mistake. With --prove-it-fails every case must be reported as a failure instead,
whose text matches its line `// expected-report: REGEX`: this shows that the harness can fail.
"""
import argparse
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def compile_case(arguments, source, *options):
    command = [arguments.compiler, *arguments.flags, "-fsyntax-only", "-fno-diagnostics-color", *options, str(source)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=None)


def precompile(arguments, folder):
    """Reads the library once for all cases; flags that make a compiler use the result, none where that fails."""
    source = folder / "sigma" / "all.hpp"
    source.parent.mkdir()
    source.write_text("#include <sigma/sigma.hpp>\n", encoding="utf-8")
    result = source.with_name("sigma.hpp.gch")
    command = [arguments.compiler, *arguments.flags, "-x", "c++-header", str(source), "-o", str(result)]
    if subprocess.run(command, capture_output=True, timeout=300).returncode != 0:
        return []  # then the cases tell why
    return ["-include-pch", str(result)] if "clang" in arguments.compiler else [f"-I{folder}", "-include", "sigma/sigma.hpp"]


def comment(text, name):
    found = re.search(rf"^// {re.escape(name)}: (.*?)\s*$", text, re.MULTILINE)
    return found and found.group(1)


def check(arguments, source):
    """What is wrong with the case `source`, or None."""
    text = source.read_text(encoding="utf-8")
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

    twin = compile_case(arguments, source, "-DTWIN")
    if twin.returncode != 0:
        return f"the correct twin does not compile:\n{twin.stderr[:2000]}"
    return None


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

    cases = sorted(arguments.folder.glob("*.cpp"))
    failures = 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        arguments.flags = [*precompile(arguments, pathlib.Path(scratch)), *arguments.flags]
        for case, problem in zip(cases, pool.map(lambda case: check(arguments, case), cases)):
            if arguments.prove_it_fails:
                report = comment(case.read_text(encoding="utf-8"), "expected-report")
                good = problem is not None and report is not None and re.search(report, problem) is not None
            else:
                good = problem is None
            failures += not good
            print("pass" if good else "FAIL", case.name, "" if good and problem is None else problem)
    print(f"{len(cases)} programs, {failures} failures")
    if len(cases) < arguments.at_least:
        print(f"expected at least {arguments.at_least} programs in {arguments.folder}")
    return 1 if failures or len(cases) < arguments.at_least else 0


if __name__ == "__main__":
    sys.exit(main())
