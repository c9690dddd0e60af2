#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests that gate.py fails and names what grew, with invented tables and with a copy of the library that is more expensive."""
import contextlib
import copy
import io
import pathlib
import shutil
import sys
import tempfile

import gate
import programs

EXPENSIVE = """
#include <regex>
namespace sigma {
[[gnu::used]] inline bool expensive_function(const char* text) { return std::regex_match(text, std::regex("(a|b)*c")); }
}  // namespace sigma
"""

TABLE = {
    "programs": {"p": {"megabytes": 100, "functions": 100, "bytes": 20000, "lines": 100000, "headers": 200}},
    "functions": {"f": {"p": [60, 6000]}, "g": {"p": [40, 4000]}},
    "clang": {"p": {"functions instantiated by clang": 1000, "classes instantiated by clang": 2000}},
    "headers": {
        "sigma/a.hpp": {"headers": 1, "lines": 100, "others": [], "programs": ["p"]},
        "sigma/b.hpp": {"headers": 2, "lines": 200, "others": [], "programs": ["p"]},
        "sigma/c.hpp": {"headers": 9, "lines": 5000, "others": ["thread"], "programs": []},
    },
}
INCLUDES = {"sigma/a.hpp": {"array"}, "sigma/b.hpp": {"sigma/a.hpp"}, "sigma/c.hpp": {"thread"}}
failures = 0


def expect(name, wanted, said):
    """Checks that `said` has as many messages as `wanted`, and that each contains its words."""
    global failures
    if len(said) != len(wanted) or not all(word in sentence for words, sentence in zip(wanted, said) for word in words):
        failures += 1
        print(f"{name}: expected {wanted}, found {said}")


def compared(change):
    found, includes = copy.deepcopy((TABLE, INCLUDES))
    change(found, includes)
    return gate.compare(TABLE, found, includes)


def number(what, value):
    return lambda found, includes: found["programs"]["p"].update({what: value})


def more_functions(found, includes):
    found["programs"]["p"]["functions"] = 104
    found["functions"]["h"] = {"p": [4, 10]}


def many_functions(found, includes):
    more_functions(found, includes)
    found["functions"] |= {f"std::f{i}": {"p": [1, 1000]} for i in range(20)} | {"sigma::bringing": {"p": [1, 5]}}


def another_standard_header(found, includes):
    includes["sigma/a.hpp"].add("regex")
    for header in ("sigma/a.hpp", "sigma/b.hpp"):
        found["headers"][header]["others"] = ["regex"]


def another_own_header(found, includes):
    includes["sigma/b.hpp"].add("sigma/c.hpp")
    found["headers"]["sigma/b.hpp"].update(headers=11, lines=5200, others=["thread"])


def another_small_header(found, includes):
    found["headers"]["sigma/b.hpp"].update(headers=3, lines=300)


def a_new_header(name):
    def change(found, includes):
        includes["sigma/new.hpp"] = {name}
        found["headers"]["sigma/new.hpp"] = {"headers": 1, "lines": 9, "others": sorted({name} - gate.LIGHT), "programs": []}
    return change


def made_up():
    expect("the same", [], sum(compared(lambda *_: None), []))
    for what, was in TABLE["programs"]["p"].items():
        expect(f"2 % more {what}", [], sum(compared(number(what, was * 1.02)), []))
        expect(f"2 % less {what}", [], sum(compared(number(what, was * 0.98)), []))
        expect(f"{what} grew", [["p", what, "+4.0 %"]], compared(number(what, was * 1.04))[0])
        grew, shrank = compared(number(what, was * 0.5))
        expect(f"{what} halved does not fail", [], grew)
        expect(f"{what} halved is reported", [["p", what, "-50.0 %"]], shrank)
    expect("a function more", [["functions 104", "h (+4)"]], compared(more_functions)[0])
    expect("those of this library first", [["; functions: sigma::bringing (+1)"]], compared(many_functions)[0])
    expect("clang", [["functions instantiated by clang 1031"]],
           compared(lambda found, _: found["clang"]["p"].update({"functions instantiated by clang": 1031}))[0])
    expect("a standard header", [["<regex>", "2 headers", "included by sigma/a.hpp"]], compared(another_standard_header)[0])
    expect("a header that reaches one", [["<thread>", "1 headers", "included by sigma/b.hpp by sigma/c.hpp"], ["1 headers reach more headers"],
                                         ["1 headers reach more lines", "sigma/b.hpp"]], compared(another_own_header)[0])
    expect("a small header", [], sum(compared(another_small_header), []))
    expect("a new header", [["<thread>", "sigma/new.hpp"]], compared(a_new_header("thread"))[0])
    expect("a new light header", [], compared(a_new_header("vector"))[0])
    names = {"void sigma::detail::f<sigma::Text<char>, (bool)1>(int, std::vector<int>&)": "sigma::detail::f",
             "sigma::A<3>::run(int) const::{lambda(auto:1)#2}::operator()(int) const [clone .cold]": "sigma::A::run::{lambda}::operator()",
             "bool sigma::operator<=> <int>(int)": "sigma::operator<=>", "sigma::(anonymous namespace)::g(int)": "sigma::{anonymous}::g",
             "sigma::X::operator bool() const": "sigma::X::operator_bool", "main": "main"}
    expect("short names", [[short] for short in names.values()], [gate.short(name) for name in names])


def in_pages():
    """Tests that a page follows the table, a table without a page is reported, and the text around a table is kept."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "README.md").write_text("None here.\n")
        expect("no page", [["no page has the table 'programs'"]], gate.pages(TABLE, root, write=False))
        page = root / "docs/page.md"
        page.write_text("Above.\n\n<!-- benchmarks/compile/gate.py: programs -->\n\nold\n\n<!-- end of gate.py -->\n\nBelow.\n")
        (root / "docs/other.md").write_text("<!-- benchmarks/compile/gate.py: nothing -->\n\n\n\n<!-- end of gate.py -->\n")
        expect("a name of no table", [["docs/other.md", "programs", "found 'nothing'"], ["docs/page.md"]], gate.pages(TABLE, root, write=False))
        (root / "docs/other.md").unlink()
        expect("an old page", [["docs/page.md", "found 'old'"]], gate.pages(TABLE, root, write=False))
        expect("writing", [], gate.pages(TABLE, root, write=True))
        expect("a written page", [], gate.pages(TABLE, root, write=False))
        text = page.read_text()
        if not (text.startswith("Above.\n") and text.endswith("\nBelow.\n") and "| p | 100 | 100 | 20,000 |" in text):
            expect("what is written", [["Above", "Below"]], [text])
        changed = copy.deepcopy(TABLE)
        changed["programs"]["p"]["megabytes"] = 101
        expect("a table that changed", [["| p | 101 |", "found '| p | 100 |"]], gate.pages(changed, root, write=False))


def made_dearer():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        shutil.copytree(programs.ROOT / "include", root / "include")
        with open(root / "include/sigma/core/error.hpp", "a") as header:
            header.write(EXPENSIVE)
        said, sys.argv[1:] = io.StringIO(), ["--root", folder, "--only", "bare include"]
        code = 0
        with contextlib.redirect_stdout(said):
            try:
                gate.main()
            except SystemExit as end:
                code = end.code
        print(said.getvalue())
        if code == 77:
            sys.exit(77)
        lines = [line for line in said.getvalue().splitlines() if line.startswith("MORE: ")]
        for words in (["bare include: megabytes"], ["bare include: functions", "sigma::expensive_function"],
                      ["<regex>", "included by sigma/core/error.hpp"], ["headers reach more lines"]):
            if code != 1 or not any(all(word in line for word in words) for line in lines):
                expect("an expensive copy", [words], lines)


if __name__ == "__main__":
    made_up()
    in_pages()
    made_dearer()
    print(f"{failures} failures")
    sys.exit(bool(failures))
