#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Counts what the comments of public names lack, and fails if a header lacks more than documented.json allows.

    documented.py ROOT               compares all headers with their allowances
    documented.py ROOT --list FILE…  prints what these headers or folders lack, with lines
    documented.py ROOT --write       lowers the allowances to what is found now (never raises one)

Doxygen reads the headers, scripts/documentation/doxygen.py reads its XML: what reference.py shows is what counts here. Put
what is not for users between `/// @cond internal` and `/// @endcond`. Kinds:

    sentence   a class, function, constructor, member, enumerator or variable without a first sentence that ends with a stop
    param      a parameter of a function or constructor without @param
    return     a function that returns something, without @return and without a first sentence "Returns …"
    example    a class (but options) or a free function without @code and without @see
    cond       `@cond` without `@endcond`, or brackets that open between them and do not close there: Doxygen would misread the rest
    name       a parameter of one letter that is no usual one of mathematics
    throws     an exception that the body of a function or constructor throws, without @throws of it or of a base of it.
               throws.py reads the bodies, throws.txt lists what is thrown but not documented, with the reason
"""
import argparse
import collections
import json
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))
sys.path.insert(0, str(HERE.parents[1] / "scripts/documentation"))
import doxygen  # noqa: E402
from markdown import Converter, is_noise, result_type, shown_parameters, strip_name  # noqa: E402
from reference import read_elementwise, read_families  # noqa: E402
from throws import Throws  # noqa: E402

LETTERS = set("xyzabcdnikmtuvw")
# What every class of a kind has, and what needs no words: a sentence about it would repeat its name.
PLAIN = {"begin", "end", "size", "operator==", "operator!=", "operator[]", "operator=", "operator*", "operator++", "operator->", "data"}


def converter():
    return Converter(lambda name, text, sure=False: None)


def conditions(file, lines):
    """Faults of what is hidden from the reference."""
    begin, depth = 0, 0
    for number, line in enumerate(lines, 1):
        comment = re.match(r"\s*///<? ?(.*)", line)
        if comment and re.match(r"[@\\]cond\b", comment[1]):
            if begin:
                yield file, number, "cond", f"@cond inside the @cond of line {begin}"
            begin, depth = number, 0
        elif comment and re.match(r"[@\\]endcond\b", comment[1]):
            if not begin:
                yield file, number, "cond", "@endcond without @cond"
            elif depth:
                yield file, begin, "cond", f"{abs(depth)} {'open' if depth > 0 else 'closed'} brackets more before the @endcond of line {number}"
            begin = 0
        elif begin:
            bare = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)\'|//.*$', "", line)
            depth += bare.count("{") - bare.count("}")
    if begin:
        yield file, begin, "cond", "@cond without @endcond"


def exceptions_of(file):
    """{(name of a function, exception)} that needs no @throws: the lines "name Exception reason" of a file."""
    lines = [line.split(None, 2) for line in file.read_text().splitlines() if line.strip() and not line.startswith("#")]
    if wrong := [line for line in lines if len(line) < 3]:
        raise SystemExit(f"{file}: a reason is missing: {' '.join(wrong[0])}")
    return {(name, kind) for name, kind, _ in lines}


def lacks(library):
    """(file, line, kind, name) of all that is missing. Overloads without a comment share that of the name's first documented one."""
    for header in sorted(library.root.glob("include/sigma/**/*.hpp")) + sorted(library.root.glob("cuda/sigma/*.hpp")):
        if "impl" not in header.parts:
            yield from conditions(str(header.relative_to(library.root)), header.read_text().split("\n"))
    convert = converter()
    elementwise = read_elementwise(HERE.parents[1] / "scripts/documentation/elementwise.txt")
    apart = read_families(HERE.parents[1] / "scripts/documentation/families.txt")[1]
    described = {}
    throws, excepted = Throws(library.root), exceptions_of(HERE / "throws.txt")

    def undocumented(items, what, whole):
        """What the definitions of overloads throw. An overload without @throws of its own shares those of the others."""
        listed = {id(item): {kind.split("::")[-1] for kind, _ in description(item).throws} for item in items}
        shared = set().union(*listed.values()) | whole
        for item in items:
            documented = listed[id(item)] | whole if not description(item).empty else shared
            for definition in throws.of(item.file, item.line, item.name, [p.type for p in item.parameters]):
                for kind in sorted(definition.throws):
                    if not any(throws.covers(one, kind) for one in documented) and (what.removeprefix("sigma::"), kind) not in excepted:
                        yield item.file, item.line, "throws", f"{what}: @throws {kind} is missing ({definition.file}:{definition.line})"

    def description(item):
        if id(item) not in described:
            described[id(item)] = convert.describe(item.text)
        return described[id(item)]

    def sentence(item, what):
        text = description(item)
        first = text.summary.rstrip("*_` )\"")
        if not first:
            yield item.file, item.line, "sentence", f"{what} has no comment"
        elif item.kind not in ("variable", "enumvalue") and not first.endswith((".", "!", "?", ":")):
            yield item.file, item.line, "sentence", f"{what}: its first sentence has no full stop: {first[:50]}"

    def function(items, what, example, whole=frozenset()):
        """The overloads of one name. Its class, if any, documents the exceptions `whole`."""
        yield from undocumented(items, what, whole)
        documented = [item for item in items if not description(item).empty] or items[:1]
        names = set()
        for item in documented:
            names |= set(description(item).parameters)
        for item in documented:
            text = description(item)
            yield from sentence(item, what)
            for parameter in shown_parameters(item):
                name = strip_name(re.sub(r"\[.*\]$", "", parameter.name))
                if not name:
                    continue
                if name not in text.parameters and (name not in names or item is documented[0]):
                    yield item.file, item.line, "param", f"{what}: @param {name} is missing"
                if len(name) == 1 and name not in LETTERS:
                    yield item.file, item.line, "name", f"{what}: parameter '{name}' needs a word"
            if not item.constructor and result_type(item).strip() not in ("void", "static void", "") and not any(
                    description(other).returns or description(other).summary.startswith("Returns ") for other in documented):
                yield item.file, item.line, "return", f"{what}: @return is missing"
        if example and not any(description(item).code or description(item).see for item in documented):
            yield documented[0].file, documented[0].line, "example", f"{what} has neither an example nor @see"

    def class_lacks(item, example):
        """A class, and the public classes inside it."""
        yield from sentence(item, item.path)
        text = description(item)
        whole = {kind.split("::")[-1] for kind, _ in text.throws}
        members = collections.OrderedDict()
        for member in item.members:
            if member.own or member.documented:
                members.setdefault((member.name, member.kind), []).append(member)
        inside = [m for group in members.values() for m in group]
        if example and not item.name.endswith("Options") and not (text.code or text.see or any(description(m).code or description(m).see for m in inside)):
            yield item.file, item.line, "example", f"{item.path} has neither an example nor @see"
        for (short, member_kind), group in members.items():
            what = f"{item.path}::{short}"
            if member_kind == "function" and short not in PLAIN and not short.startswith("operator "):
                documented = [m for m in group if not description(m).empty]
                if group[0].constructor and not documented and all(not shown_parameters(m) for m in group):
                    continue  # a default constructor
                yield from function(group, what, example=False, whole=whole if group[0].constructor else frozenset())
            elif member_kind == "variable" and not (group[0].static and not group[0].documented):
                yield from sentence(group[0], what)
            elif member_kind == "enum":
                yield from enumeration(group[0], what, sentence)
            elif member_kind == "class":
                yield from class_lacks(group[0], False)

    grouped = collections.OrderedDict()
    for item in library.items:
        if item.name in apart or item.file.endswith(("data/names.hpp", "words_of_other_headers.hpp")) or doxygen.MISTAKE.match(item.name) and not item.documented:
            continue
        grouped.setdefault((item.scope, item.name, item.kind, item.file), []).append(item)
    for (_, name, kind, _), items in grouped.items():
        item = items[0]
        if kind == "function":
            if name in PLAIN:
                continue
            # Those that a macro declares stand at its line, and their sentences in scripts/documentation/elementwise.txt.
            items = [one for one in items if not library.lines(one.file)[one.line - 1].lstrip().startswith("SIGMA_") and
                     (one.documented or not ((name, len(shown_parameters(one))) in elementwise and "/tape/" in one.file))]
            if items:
                yield from function(items, item.path, example=not name.startswith("operator"))
        elif kind == "class":
            yield from class_lacks(item, True)
        elif kind == "enum":
            yield from enumeration(item, item.path, sentence)
        elif kind in ("variable", "typedef", "concept"):
            yield from sentence(item, item.path)


def enumeration(item, what, sentence):
    yield from sentence(item, what)
    for value in item.members:
        yield from sentence(value, f"{what}::{value.name}")


def compare(now, allowed):
    return [f"{name}: {kind}: {count} found, {allowed.get(name, {}).get(kind, 0)} allowed"
            for name, kinds in sorted(now.items()) for kind, count in kinds.items() if count > allowed.get(name, {}).get(kind, 0)]


def lowered(now, allowed):
    if allowed is None:
        return now
    low = {name: {kind: min(count, allowed.get(name, {}).get(kind, 0)) for kind, count in kinds.items() if allowed.get(name, {}).get(kind)}
           for name, kinds in now.items()}
    return {name: kinds for name, kinds in low.items() if kinds}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--list", nargs="+")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--table", type=pathlib.Path)
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    try:
        with tempfile.TemporaryDirectory() as folder:
            library = doxygen.read(root, folder)
            found = sorted(set(lacks(library)), key=lambda fault: (fault[0], fault[1], fault[2], fault[3]))
    except doxygen.MissingDoxygen as missing:
        print(f"skipped: {missing}")
        return 77
    if arguments.list:
        wanted = [str(pathlib.Path(name).resolve().relative_to(root)) for name in arguments.list]
        for file, line, kind, text in found:
            if any(file == name or file.startswith(name.rstrip("/") + "/") for name in wanted):
                print(f"{file}:{line}: {kind}: {text}")
        return 0
    now = {}
    for file, _, kind, _ in found:
        now.setdefault(file, collections.Counter())[kind] += 1
    now = {name: dict(sorted(kinds.items())) for name, kinds in sorted(now.items())}
    table = arguments.table or root / "tests/docs/documented.json"
    allowed = json.loads(table.read_text()) if table.exists() else None
    total = collections.Counter()
    for kinds in now.values():
        total.update(kinds)
    print(f"{sum(total.values())} missing: " + ", ".join(f"{kind} {count}" for kind, count in total.most_common()))
    if arguments.write:
        table.write_text("{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(kinds)}" for name, kinds in lowered(now, allowed).items()) + "\n}\n")
        return 0
    worse = compare(now, allowed or {})
    for line in worse:
        print(line)
    if worse:
        print("documented.py ROOT --list FILE shows what is missing; docs/design/writing.md explains the rules")
    return bool(worse)


if __name__ == "__main__":
    sys.exit(main())
