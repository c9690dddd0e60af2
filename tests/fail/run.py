#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Compiles programs that must not compile, and checks the first error the user sees.

    run.py --compiler g++ FOLDER -- FLAG...

Each FOLDER/NAME.cpp has a line `// expected-first-error: REGEX`, or one for each compiler
(`// expected-first-error-g++: REGEX`, `// expected-first-error-clang: REGEX`). Without -DTWIN, the compiler must reject
the program, and the first line with `error:` must be in NAME.cpp and match REGEX. With -DTWIN, the program must compile:
it is correct except for the one mistake. With --prove-it-fails, the report must match the case's line
`// expected-report: REGEX` instead. Most of these cases fail, which shows that the harness can fail.

The first line, from its `error:` on, has at most 300 characters, and the match begins within the first 150, so that users
see the name. If a compiler cannot do better, the case gives the reason: `// first-error-of-g++: 420 characters, BECAUSE` or
`// first-error-of-clang: in HEADER.hpp, BECAUSE`. --lengths prints all first lines, the longest first.

Even for an empty program, a compiler needs two seconds to read the library. So many programs are compiled together, each in
its own namespace. A program whose errors in a group are not as expected is compiled alone before it is reported. --alone
compiles every rejected program alone. A program that includes more for -DTWIN, or that defines a macro before its includes,
is always compiled alone, with its own includes only.
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

most_characters = 300
most_before_name = 150
at_once = 12  # programs of a group; more would need too much memory for two groups at a time


@dataclasses.dataclass
class Case:
    source: pathlib.Path
    text: str
    problem: str | None = None  # description of the failure
    alone: bool = False  # whether the rejected program was compiled alone
    first: str = ""  # its first error message

    def is_groupable(self):
        """Returns whether a namespace can enclose the program, apart from its includes."""
        return not self.lacks_a_header() and not re.search(
            r'^\s*(#\s*(define|undef|error|include\s*"|pragma)|(inline )?namespace\b)', self.text, re.MULTILINE)

    def lacks_a_header(self):
        """Returns whether the mistake is a missing header or a macro before the includes.

        Then no other program of a group may include headers for it."""
        return re.search(r"^#ifdef TWIN\n#include|\A(//.*\n)*#define", self.text, re.MULTILINE) is not None


def compile_case(arguments, source, *options):
    command = [arguments.compiler, *arguments.flags, "-fsyntax-only", "-fno-diagnostics-color", *options, str(source)]
    return subprocess.run(command, capture_output=True, text=True, timeout=900, env=None)


def is_clang(arguments):
    return "clang" in arguments.compiler


def includes_of(cases):
    """Returns all lines #include of the cases."""
    return sorted({line for case in cases for line in re.findall(r"^#include <.*?>", case.text, re.MULTILINE)})


def precompile(arguments, folder, cases):
    """Precompiles the headers of all cases. Returns flags that make the compiler use the result, or none on failure."""
    source = folder / "sigma" / "all.hpp"
    source.parent.mkdir()
    source.write_text("\n".join(["#include <sigma/sigma.hpp>", *includes_of(cases)]) + "\n", encoding="utf-8")
    result = source.with_name("all.hpp.gch")
    command = [arguments.compiler, *arguments.flags, "-x", "c++-header", str(source), "-o", str(result)]
    if subprocess.run(command, capture_output=True, timeout=900).returncode != 0:
        return []  # then the cases show the errors
    return ["-include-pch", str(result)] if is_clang(arguments) else [f"-I{folder}", "-include", "sigma/all.hpp"]


def comment(text, name):
    found = re.search(rf"^// {re.escape(name)}: (.*?)\s*$", text, re.MULTILINE)
    return found and found.group(1)


def expectation(arguments, case):
    family = "clang" if is_clang(arguments) else "g++"
    return comment(case.text, f"expected-first-error-{family}") or comment(case.text, "expected-first-error")


def excuse(arguments, case):
    """Returns the exception that the case makes for its first line: maximum length, and the header of the error."""
    said = comment(case.text, f"first-error-of-{'clang' if is_clang(arguments) else 'g++'}") or ""
    if not said:
        return most_characters, None
    found = re.fullmatch(r"(?:(\d+) characters|in (\S+\.hpp)), \S.*", said)
    if not found:
        raise SystemExit(f"{case.source.name}: invalid line '// first-error-of-…: {said}'")
    return int(found[1] or most_characters), found[2]


def fault_of_message(arguments, case, line, expected):
    """Returns what is wrong with the length of a first line and the position of the name in it, or None."""
    message = re.sub(r"\bcase_\d+::", "", line[line.index("error:"):])
    case.first = message
    most, _ = excuse(arguments, case)
    if len(message) > most:
        return f"the first error has {len(message)} characters, expected at most {most}:\n    {line}"
    found = re.search(expected, message)
    if found and found.start() > most_before_name + most - most_characters:
        return f"the name comes after {found.start()} characters:\n    {line}"
    return None


def check(arguments, case):
    """Returns what is wrong with the rejected program of the case, or None."""
    case.alone = True
    expected = expectation(arguments, case)
    if expected is None:
        return "no line '// expected-first-error: REGEX'"
    if "TWIN" not in case.text:
        return "no '#ifdef TWIN': the case needs a correct twin of the mistake"

    first_only = "-ferror-limit=1" if is_clang(arguments) else "-fmax-errors=1"
    result = compile_case(arguments, case.source, first_only)
    if result.returncode == 0:
        return f"compiles, but must not; expected the error: {expected}"
    first = next((line for line in result.stderr.splitlines() if "error:" in line), None)
    if first is None:
        return f"the compiler failed without an error line:\n{result.stderr}"
    place = excuse(arguments, case)[1] or case.source.name
    if not re.match(rf"(.*/)?{re.escape(place)}:\d+:", first):
        return f"the first error is not in the user's file:\n    {first}"
    if not re.search(expected, first):
        return f"the first error\n    {first}\n  does not match\n    {expected}"
    return fault_of_message(arguments, case, first, expected)


def check_twin(arguments, case):
    """Returns what is wrong with the twin of the case, or None."""
    twin = compile_case(arguments, case.source, "-DTWIN")
    if twin.returncode != 0:
        return f"the correct twin does not compile:\n{twin.stderr[:2000]}"
    return None


def compile_together(arguments, source, cases, *options):
    lines = includes_of(cases)
    for number, case in enumerate(cases):
        body = re.sub(r"^#include <.*?>", "", case.text, flags=re.MULTILINE)
        lines += [f"namespace case_{number} {{", f'#line 1 "{case.source}"', body, "}"]
    source.write_text("\n".join(lines), encoding="utf-8")
    return compile_case(arguments, source, *options)


@dataclasses.dataclass
class Diagnostic:
    error: str  # its line in NAME.cpp
    text: str  # the complete text of the error: its context (before it with g++, after it with clang) and its notes

    def is_at(self, case):
        return re.match(rf"{re.escape(str(case.source))}:\d+:", self.error) is not None

    def names(self, case):
        return f"{case.source}:" in self.text


def diagnostics_of(said):
    """Returns the errors of a compiler's output, in order."""
    found = []
    ahead = []  # of an error or a note
    for line in said.splitlines():
        ahead.append(line)
        if re.search(r":\d+: (fatal |internal compiler )?error: ", line):
            found.append(Diagnostic(line, "\n".join(ahead)))
            ahead = []
        elif found and re.search(r":\d+: (note|warning): ", line):
            found[-1].text += "\n".join(["", *ahead])
            ahead = []
    return found


def refused_together(arguments, source, cases):
    """Returns the cases that are rejected as expected in a translation unit of all of them."""
    no_limit = ("-ferror-limit=0", "-fno-caret-diagnostics") if is_clang(arguments) else ("-fmax-errors=0", "-fno-diagnostics-show-caret")
    while cases:
        found = diagnostics_of(compile_together(arguments, source, cases, *no_limit).stderr)
        # A case whose error is in another file may hide the same error of another case: remove it from the group.
        astray = [error for error in found if not any(error.is_at(case) for case in cases)]
        named = [case for case in cases if any(error.names(case) for error in astray)]
        if astray and not named:
            return []
        if not named:
            break
        cases = [case for case in cases if case not in named]
    good = []
    for case in cases:
        first = next((error for error in found if error.names(case)), None)
        expected = expectation(arguments, case)
        if first and first.is_at(case) and re.search(expected, first.error) and not fault_of_message(arguments, case, first.error, expected):
            good.append(case)
    return good


def groups_of(cases):
    """Returns groups that separate neighbours in the alphabet, because they often have the same mistake."""
    count = -(-len(cases) // at_once)
    return [cases[i::count] for i in range(count)]


def examine(arguments, folder, pool, cases):
    """Stores in each case what is wrong with it."""
    plain = arguments
    if len(cases) > at_once:
        flags = [*precompile(arguments, folder, cases), *arguments.flags]
        arguments = argparse.Namespace(**{**vars(arguments), "flags": flags})

    def together(job):
        number, group = job
        return refused_together(arguments, folder / f"refused_{number}.cpp", group)

    good = []
    if not arguments.alone:
        groupable = [case for case in cases if case.is_groupable() and "TWIN" in case.text and expectation(arguments, case)]
        good = [case.source for part in pool.map(together, enumerate(groups_of(groupable))) for case in part]
    others = [case for case in cases if case.source not in good]
    for case, problem in zip(others, pool.map(lambda case: check(plain if case.lacks_a_header() else arguments, case), others)):
        case.problem = problem

    def twins(job):
        number, group = job
        if compile_together(arguments, folder / f"twins_{number}.cpp", group, "-DTWIN").returncode != 0:
            for case in group:
                case.problem = check_twin(arguments, case)

    sound = [case for case in cases if case.problem is None]
    list(pool.map(twins, enumerate(groups_of(sound))))  # list() waits, and raises exceptions of the threads


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--prove-it-fails", action="store_true")
    parser.add_argument("--lengths", action="store_true", help="print all first lines, the longest first")
    parser.add_argument("--alone", action="store_true", help="compile every rejected program alone")
    parser.add_argument("--at-least", type=int, default=1, help="fail if the folder has fewer programs")
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
        examine(arguments, pathlib.Path(scratch), pool, cases)
        for case in cases:
            outcome = case.problem or ("passes alone" if case.alone else "passes in a group")
            if arguments.prove_it_fails:
                report = comment(case.text, "expected-report")
                good = report is not None and re.search(report, outcome) is not None
            else:
                good = case.problem is None
            failures += not good
            print("pass" if good else "FAIL", case.source.name, outcome if arguments.prove_it_fails else case.problem or "")
    if arguments.lengths:
        for case in sorted(cases, key=lambda c: -len(c.first)):
            print(len(case.first), case.source.name, case.first)
    alone = [case.source.stem for case in cases if case.alone]
    print(f"{len(cases)} programs, {failures} failures; compiled alone: {len(alone)}", *alone if len(alone) < len(cases) else [])
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
