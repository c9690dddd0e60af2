#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Fails if compiling programs has become more expensive. The numbers do not depend on the machine or its load.

    gate.py            compares with gate.json; exits with 1 and names what grew by more than 3 %
    gate.py --write    writes the current numbers into gate.json and into the tables of the pages
    gate.py --pages    writes the tables of the pages from gate.json, without a compiler; with --check, compares them only

The programs are compiled by g++ 12 for x86-64-v3 with the compiled library, two of them also without it. The numbers of a
program are: memory that g++ allocates (GGC, MB), functions and bytes of code in the object, lines after preprocessing
without blank ones, headers of this library, and instantiations by clang. The numbers of a header are: lines, headers, and
other libraries' headers that it reaches. Cheap headers of the standard library (LIGHT) are free; gate.json names all others.
Exits with 77 without g++ 12.
"""
import argparse
import collections
import functools
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import programs

TABLE = pathlib.Path(__file__).with_name("gate.json")
TOLERANCE = 0.03
SLACK = {"bytes": 256, "headers": 3, "lines": 500}  # minimum increase that fails; 3 % of a small number is too strict
GCC = "12"
CLANG = "19"
ARCH = "x86-64-v3"
PROGRAMS = ["bare include", "MLP", "README", "Iris, one hook", "Iris, three hooks", "table", "LeNet", "LSTM", "transformer",
            "thirty widths"]  # by g++
HEADER_ONLY = {"bare include, header-only": "bare include", "README, header-only": "README"}  # without the library
INSTANTIATING = "README"  # by clang
LIGHT = set("array bit compare concepts cstddef cstdint initializer_list limits new span string string_view tuple "
            "type_traits utility vector".split())
NUMBERS = ["megabytes", "functions", "bytes", "lines", "headers"]
EVENTS = {"InstantiateFunction": "functions instantiated by clang", "InstantiateClass": "classes instantiated by clang"}


def run(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if done.returncode != 0:
        missing = re.search(r"fatal error: '?([^:']+)'?(: No such file| file not found)", done.stderr)
        if missing and not missing[1].startswith("sigma/"):
            print(f"skipped: <{missing[1]}> is not installed")
            sys.exit(77)
        first = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr[:500])
        sys.exit(f"gate: {' '.join(map(str, command))}\ngate: the program does not compile: {first}")
    return done


def version(compiler):
    if not shutil.which(compiler):
        return None
    return run([compiler, "-dumpversion"]).stdout.split(".")[0].strip()


def compiler_command(compiler, root, compiled=True):
    # The numbers must not depend on the location of the repository or of data, or on the memory of the machine.
    fixed = ["-O2", f"-fmacro-prefix-map={root}=.", '-DSIGMA_SHARE_DIR="/share"']
    if "clang" not in compiler:
        fixed += ["--param", "ggc-min-expand=100", "--param", "ggc-min-heapsize=131072"]
    return programs.command(compiler, ARCH, root, compiled) + fixed


class Preprocessed:
    """The cost of including a file, from one run of the preprocessor that also prints the #include lines."""

    def __init__(self, source, root, compiled=True):
        self.root = root
        self.lines = collections.Counter()       # file -> lines
        self.named = collections.defaultdict(list)  # file -> names in its #include lines
        self.found = {}                          # (file, name) -> file
        self.anywhere = {}                       # name -> file
        here, asked = None, None
        text = run([*compiler_command("g++", root, compiled), "-E", "-dI", source]).stdout
        for line in text.splitlines():
            if marker := re.match(r'# \d+ "([^"]*)"(.*)', line):
                if "1" in marker[2].split() and asked:
                    self.found[asked] = marker[1]
                    self.anywhere.setdefault(asked[1], marker[1])
                    asked = None
                here = marker[1]
            elif include := re.match(r'#include(?:_next)? [<"]([^>"]+)', line):
                asked = (here, include[1])
                if include[1] not in self.named[here]:
                    self.named[here].append(include[1])
            elif line.strip():
                self.lines[here] += 1

    def own(self, file):
        """Returns the name sigma/... of a file of this library, or None for other files."""
        start = f"{self.root}/include/"
        return file[len(start):] if file.startswith(start) else None

    @functools.cache
    def direct(self, file):
        """Returns (name, file) of each file that `file` includes."""
        inner = [(name, self.found.get((file, name)) or self.anywhere.get(name)) for name in self.named.get(file, ())]
        return [(name, found) for name, found in inner if found]

    def reached(self, file):
        seen, waiting = set(), [file]
        while waiting:
            here = waiting.pop()
            if here not in seen:
                seen.add(here)
                waiting += [inner for _, inner in self.direct(here)]
        return seen


def reach_of_headers(root):
    """Returns, for each header, the numbers of headers and lines that it reaches, other libraries' headers, and its own includes."""
    headers = sorted(path.relative_to(root / "include").as_posix() for path in (root / "include").rglob("*.hpp"))
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "all.cpp"
        source.write_text("".join(f"#include <{header}>\n" for header in headers))
        tree = Preprocessed(source, root)
    includes, reach = {}, {}
    for header in headers:
        includes[header] = {name for name, _ in tree.direct(f"{root}/include/{header}")}
    for header in headers:
        files = tree.reached(f"{root}/include/{header}")
        own = {tree.own(file) for file in files} - {None}
        others = set().union(*(includes.get(name, set()) for name in own))
        reach[header] = {"headers": len(own), "lines": sum(tree.lines[file] for file in files),
                         "others": sorted(name for name in others - LIGHT if not name.startswith("sigma/"))}
    return reach, includes


def short(name):
    """Returns a function's name without types, template arguments, and the suffixes of parts that a compiler split off."""
    name = name.replace("(anonymous namespace)", "{anonymous}").replace("[abi:cxx11]", "")
    name = re.sub(r" \[clone [^]]*\]", "", name)
    name = re.sub(r"(?<=\))(?: const)?(?: &&?)?(?=$|::)", "", name)
    operators = []

    def keep(found):
        operators.append(found[0])
        return f"\0{len(operators) - 1}\0"

    name = re.sub(r"\boperator *(?:\(\)|\[\]|<=>|<<=?|>>=?|->\*?|[<>]=?|new(?:\[\])?|delete(?:\[\])?|\"\" ?\w+| [\w:]+)", keep, name)
    kept, depth = "", 0
    for letter in name:
        if letter in "<(":
            depth += 1
        elif letter in ">)":
            depth -= 1
        elif depth == 0:
            kept += letter
    kept = re.sub(r"#\d+", "", kept)
    kept = (kept.split() or [name])[-1]
    return re.sub("\0(\\d+)\0", lambda found: operators[int(found[1])].replace(" ", "_"), kept)


def functions_of(listing):
    """Returns short name -> (count, bytes) for the output of `nm -S -C`."""
    found = collections.defaultdict(lambda: [0, 0])
    for line in listing.splitlines():
        if symbol := re.match(r"[0-9a-f]+ ([0-9a-f]+) ([tTwW]) (.*)", line):
            entry = found[short(symbol[3])]
            entry[0] += 1
            entry[1] += int(symbol[1], 16)
    return dict(found)


def measure(source, root, folder, compiled=True):
    path = folder / "program.cpp"
    path.write_text(source)
    tree = Preprocessed(path, root, compiled)
    own = {tree.own(file) for file in tree.reached(str(path))} - {None}
    report = run([*compiler_command("g++", root, compiled), "-ftime-report", "-c", path, "-o", folder / "program.o"]).stderr
    total = re.search(r"^ *TOTAL .*?(\d+)([kM])\s*$", report, re.MULTILINE)
    functions = functions_of(run(["nm", "-S", "-C", "--defined-only", folder / "program.o"]).stdout)
    numbers = {"megabytes": int(total[1]) if total[2] == "M" else round(int(total[1]) / 1024),
               "functions": sum(count for count, _ in functions.values()),
               "bytes": sum(size for _, size in functions.values()),
               "lines": sum(tree.lines.values()), "headers": len(own)}
    return numbers, functions, own


def instantiated(source, root, folder):
    """Returns the numbers of instantiations by clang, or None if this clang is not installed."""
    compiler = f"clang++-{CLANG}"
    if version(compiler) != CLANG:
        return None
    path = folder / "program.cpp"
    path.write_text(source)
    run([*compiler_command(compiler, root), "-c", path, "-o", folder / "program.o", f"-ftime-trace={folder / 'trace.json'}",
         "-ftime-trace-granularity=0", "-Xclang", "-fsyntax-only"])
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    counts = collections.Counter(event["name"] for event in events if event["ph"] == "X")
    return {words: counts[event] for event, words in EVENTS.items()}


def now(root, only):
    found = {"programs": {}, "functions": {}, "clang": {}, "headers": {}}
    found["headers"], includes = reach_of_headers(root)
    for header in found["headers"].values():
        header["programs"] = []
    sources = programs.sources()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for name in (name for name in PROGRAMS if not only or name in only):
            found["programs"][name], functions, own = measure(sources[name], root, folder)
            for function, numbers in functions.items():
                found["functions"].setdefault(function, {})[name] = numbers
            for header in own & found["headers"].keys():
                found["headers"][header]["programs"].append(name)
        for name in (name for name in HEADER_ONLY if not only or name in only):  # too many functions to list
            found["programs"][name] = measure(sources[HEADER_ONLY[name]], root, folder, compiled=False)[0]
        if not only or INSTANTIATING in only:
            counts = instantiated(sources[INSTANTIATING], root, folder)
            if counts:
                found["clang"][INSTANTIATING] = counts
            else:
                print(f"left out: clang++-{CLANG} is not installed")
    return found, includes


def exceeds(what, value, limit):
    return value - limit > max(limit * TOLERANCE, SLACK.get(what, 0))


def more(name, what, is_now, was):
    return f"{name}: {what} {is_now}, the table has {was} ({100 * (is_now - was) / max(was, 1):+.1f} %)"


def listed(words, most=12):
    words = list(words)
    return ", ".join(words[:most]) + (f" and {len(words) - most} others" if len(words) > most else "")


def newly_reached(table, found, includes):
    """Yields a message for each other library's header that is newly reached, with the #include that causes it."""
    was, is_now = table["headers"], found["headers"]
    brings = collections.defaultdict(set)
    for header in was.keys() & is_now.keys():
        for name in set(is_now[header]["others"]) - set(was[header]["others"]):
            brings[name].add(header)
    for header in is_now.keys() - was.keys():
        for name in includes[header] - LIGHT:
            if not name.startswith("sigma/"):
                brings[name].add(header)
    for name, headers in sorted(brings.items()):
        causes = []
        for header in sorted(includes):
            if name not in is_now[header]["others"] or (header in was and header not in headers):
                continue
            if name in includes[header]:
                causes.append(header)
            else:
                causes += [f"{header} by {inner}" for inner in sorted(includes[header])
                           if inner in was and name in was[inner]["others"]]
        yield f"<{name}>: {len(headers)} headers newly reach it, included by {listed(causes)}"


def compare(table, found, includes):
    """Returns (messages on what grew, messages on what shrank)."""
    grew, shrank = [], []
    for name, numbers in found["programs"].items():
        was = table["programs"].get(name)
        if not was:
            grew.append(f"{name}: is not in the table")
            continue
        for what in NUMBERS:
            if exceeds(what, numbers[what], was[what]):
                sentence = more(name, what, numbers[what], was[what])
                changes = []  # (whether it is of this library, bytes, text); this library's first, because they cause the others
                for function, by in found["functions"].items():
                    count, size = by.get(name, (0, 0))
                    count_then, size_then = table["functions"].get(function, {}).get(name, (0, 0))
                    change = size - size_then if what == "bytes" else count - count_then
                    if change > 0:
                        changes.append((function.startswith("sigma::"), size - size_then, f"{function} ({change:+d})"))
                names = [words for _, _, words in sorted(changes, reverse=True)]
                if what in ("lines", "headers"):
                    names = []
                if names:
                    sentence += f"; functions: {listed(names)}"
                if what in ("lines", "headers", "megabytes"):
                    new = [header for header, entry in found["headers"].items() if name in entry["programs"]
                           and name not in table["headers"].get(header, {}).get("programs", [])]
                    sentence += f"; headers: {listed(new)}" if new else ""
                grew.append(sentence)
            elif exceeds(what, was[what], numbers[what]):
                shrank.append(more(name, what, numbers[what], was[what]))
    for name, counts in found["clang"].items():
        for what, count in counts.items():
            was = table["clang"].get(name, {}).get(what, 0)
            if exceeds(what, count, was):
                grew.append(more(name, what, count, was))
            elif exceeds(what, was, count):
                shrank.append(more(name, what, count, was))
    grew += newly_reached(table, found, includes)
    for what in ("headers", "lines"):
        both = [(header, entry[what], table["headers"][header][what]) for header, entry in found["headers"].items()
                if header in table["headers"]]
        larger = sorted(((now / max(then, 1), more(header, what, now, then)) for header, now, then in both if exceeds(what, now, then)),
                        reverse=True)
        if larger:
            grew.append(f"{len(larger)} headers reach more {what}: {listed((words for _, words in larger), 4)}")
        smaller = sum(exceeds(what, then, now) for _, now, then in both)
        if smaller:
            shrank.append(f"{smaller} headers reach fewer {what}")
    return grew, shrank


def text_of(table):
    """Returns JSON with one line for each entry, so that a change of an entry changes one line."""
    parts = []
    for part, entries in table.items():
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items())
        parts.append(f" {json.dumps(part)}: {{\n{lines}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def table_of_programs(table):
    clang = table["clang"]
    lines = ["| program | GGC, MB | functions | bytes of code | lines, not blank | headers of Sigma | "
             f"functions, classes that clang {CLANG} instantiates |", "|---|---|---|---|---|---|---|"]
    for name, numbers in table["programs"].items():
        counts = " and ".join(f"{clang[name][words]:,}" for words in EVENTS.values()) if name in clang else ""
        lines.append(f"| {name} | {numbers['megabytes']} | {numbers['functions']:,} | {numbers['bytes']:,} | "
                     f"{numbers['lines']:,} | {numbers['headers']:,} | {counts} |")
    return "\n".join(lines)


# The text between these marks of a page is generated from the table.
TABLES = {"programs": table_of_programs}
MARKS = re.compile(r"(<!-- benchmarks/compile/gate\.py: (\w+) -->\n\n)(.*?)(\n\n<!-- end of gate\.py -->\n)", re.DOTALL)


def pages(table, root, write):
    """Writes the tables in the pages below `root`, or checks them. Returns messages on what is wrong."""
    wrong, shown = [], set()
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        names = [found[2] for found in MARKS.finditer(text)]
        shown.update(names)
        if unknown := set(names) - TABLES.keys():
            wrong.append(f"{page.relative_to(root)}: expected tables {listed(TABLES)}, found '{listed(sorted(unknown))}'")
            continue
        made = MARKS.sub(lambda found: found[1] + TABLES[found[2]](table) + found[4], text)
        if write:
            page.write_text(made, encoding="utf-8")
        elif made != text:
            was, now = next(both for both in itertools.zip_longest(text.splitlines(), made.splitlines()) if both[0] != both[1])
            wrong.append(f"{page.relative_to(root)}: expected '{now}', which gate.py --pages writes, found '{was}'")
    return wrong + [f"no page has the table '{name}'" for name in TABLES.keys() - shown]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write the current numbers into the table")
    parser.add_argument("--pages", action="store_true", help="write the pages' tables from the table, or --check them")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--only", action="append", choices=PROGRAMS, help="measure this program and the headers only")
    parser.add_argument("--root", type=pathlib.Path, default=programs.ROOT, help="the repository to measure")
    parser.add_argument("--table", type=pathlib.Path, default=TABLE)
    arguments = parser.parse_args()
    if arguments.pages:
        wrong = pages(json.loads(arguments.table.read_text()), arguments.root.resolve(), not arguments.check)
        print("\n".join(wrong) or "the tables of the pages are up to date")
        sys.exit(bool(wrong))
    if version("g++") != GCC:
        print(f"skipped: expected g++ {GCC}, found {version('g++') or 'none'}")
        sys.exit(77)
    found, includes = now(arguments.root.resolve(), arguments.only)
    for name, numbers in found["programs"].items():
        print(f"{name}: " + ", ".join(f"{what} {numbers[what]}" for what in NUMBERS))
    for name, counts in found["clang"].items():
        print(f"{name}: " + ", ".join(f"{what} {count}" for what, count in counts.items()))
    light = sum(not entry["others"] for entry in found["headers"].values())
    print(f"{light} of {len(found['headers'])} headers reach only light headers of the standard library")
    if arguments.write:
        if arguments.only or not found["clang"]:
            sys.exit(f"gate: --write needs all programs and clang++-{CLANG}")
        found["functions"] = dict(sorted(found["functions"].items()))
        arguments.table.write_text(text_of(found))
        pages(found, arguments.root.resolve(), write=True)
        return
    grew, shrank = compare(json.loads(arguments.table.read_text()), found, includes)
    for sentence in shrank:
        print(f"less: {sentence}")
    if shrank:
        print("less than in the table; gate.py --write lowers the table")
    for sentence in grew:
        print(f"MORE: {sentence}")
    sys.exit(bool(grew))


if __name__ == "__main__":
    main()
