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
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

at_once = 12  # twins; more would take more memory than two of them may have


def compile_case(arguments, source, *options):
    command = [arguments.compiler, *arguments.flags, "-fsyntax-only", "-fno-diagnostics-color", *options, str(source)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=None)


def includes_of(texts):
    """All lines that include something."""
    return sorted({line for text in texts for line in re.findall(r"^#include <.*?>", text, re.MULTILINE)})


def precompile(arguments, folder, texts):
    """Reads once what any case includes; flags that make a compiler use the result, none where that fails."""
    source = folder / "sigma" / "all.hpp"
    source.parent.mkdir()
    source.write_text("\n".join(["#include <sigma/sigma.hpp>", *includes_of(texts)]) + "\n", encoding="utf-8")
    result = source.with_name("sigma.hpp.gch")
    command = [arguments.compiler, *arguments.flags, "-x", "c++-header", str(source), "-o", str(result)]
    if subprocess.run(command, capture_output=True, timeout=300).returncode != 0:
        return []  # then the cases tell why
    return ["-include-pch", str(result)] if "clang" in arguments.compiler else [f"-I{folder}", "-include", "sigma/sigma.hpp"]


def comment(text, name):
    found = re.search(rf"^// {re.escape(name)}: (.*?)\s*$", text, re.MULTILINE)
    return found and found.group(1)


def check(arguments, source, text):
    """What is wrong with the case `source`, but for its twin, or None."""
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


def check_twin(arguments, source):
    """What is wrong with the twin of the case `source`, or None."""
    twin = compile_case(arguments, source, "-DTWIN")
    if twin.returncode != 0:
        return f"the correct twin does not compile:\n{twin.stderr[:2000]}"
    return None


def check_twins(arguments, folder, sources, texts):
    """What is wrong with the twin of each case, or None."""
    together = folder / f"twins_{sources[0].stem}.cpp"
    lines = includes_of(texts)
    for number, (source, text) in enumerate(zip(sources, texts)):
        body = re.sub(r"^#include <.*?>", "", text, flags=re.MULTILINE)
        lines += [f"namespace twin_{number} {{", f'#line 1 "{source}"', body, "}"]
    together.write_text("\n".join(lines), encoding="utf-8")
    if compile_case(arguments, together, "-DTWIN").returncode == 0:
        return [None for _ in sources]
    return [check_twin(arguments, source) for source in sources]


def examine(arguments, folder, pool, cases, texts):
    """What is wrong with each case, or None."""
    folder.mkdir()
    if len(cases) > at_once:
        flags = [*precompile(arguments, folder, texts), *arguments.flags]
        arguments = argparse.Namespace(**{**vars(arguments), "flags": flags})
    problems = list(pool.map(lambda case, text: check(arguments, case, text), cases, texts))
    sound = [i for i, problem in enumerate(problems) if problem is None]
    parts = [sound[i : i + at_once] for i in range(0, len(sound), at_once)]
    found = pool.map(lambda part: check_twins(arguments, folder, [cases[i] for i in part], [texts[i] for i in part]), parts)
    for part, twins in zip(parts, found):
        for i, problem in zip(part, twins):
            problems[i] = problem
    return problems


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
    if len(cases) < arguments.at_least:
        print(f"expected at least {arguments.at_least} programs in {arguments.folder}, found {len(cases)}")
        return 1
    texts = [case.read_text(encoding="utf-8") for case in cases]
    problems = [None for _ in cases]
    failures = 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        # What is read of data makes every compilation longer: only those that need it shall pay.
        for name, with_data in (("core", False), ("data", True)):
            chosen = [i for i, text in enumerate(texts) if ("<sigma/data/" in text) == with_data]
            found = examine(arguments, pathlib.Path(scratch) / name, pool, [cases[i] for i in chosen], [texts[i] for i in chosen])
            for i, problem in zip(chosen, found):
                problems[i] = problem
        for case, text, problem in zip(cases, texts, problems):
            if arguments.prove_it_fails:
                report = comment(text, "expected-report")
                good = problem is not None and report is not None and re.search(report, problem) is not None
            else:
                good = problem is None
            failures += not good
            print("pass" if good else "FAIL", case.name, "" if good and problem is None else problem)
    print(f"{len(cases)} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
