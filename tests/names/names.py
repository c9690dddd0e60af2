#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that namespace sigma declares only the names of names.txt, which `using namespace sigma;` makes visible.

    names.py INCLUDE COMPILER [--write] [-- FLAG...]     --write writes the list

Add a name if users write it: names of pages, of arguments and results of public functions. All other names belong to
sigma::detail. Names error_… are not listed: they appear in compilers' messages and are too long to collide.
"""
import pathlib
import re
import subprocess
import sys

TOKEN = re.compile(r"""(?P<mark>^\#[^\n]*$)|R"(?P<d>[^()\\\s]*)\(.*?\)(?P=d)"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|"""
                   r"""(?P<id>[A-Za-z_]\w*)|\.?\d(?:[\w.']|[eEpP][+-])*|::|->|&&|\|\||<=>|<<=|[<>=!]=|<<|[^\s\w]""", re.M | re.S)
WORD = re.compile(r"[A-Za-z_]\w*$")
CLOSED = {"(": ")", "[": "]", "{": "}"}


def tokens(text):
    """Returns the tokens of the library's files in the output of a preprocessor."""
    kept, keep = [], False
    for found in TOKEN.finditer(text):
        if found.group("mark"):
            mark = re.match(r'#\s*(?:line\s+)?\d+\s+"([^"]*)"', found.group("mark"))
            keep = bool(mark and "/sigma/" in mark.group(1)) if mark else keep
        elif keep:
            kept.append(found.group(0))
    return kept


def after(t, i):
    """Returns the position after the bracket that opens at i."""
    depth = 0
    while i < len(t):
        depth += (t[i] in CLOSED) - (t[i] in CLOSED.values())
        i += 1
        if depth == 0:
            return i
    return i


def after_angles(t, i):
    depth = 0
    while i < len(t):
        if t[i] in CLOSED:
            i = after(t, i)
            continue
        depth += (t[i] == "<") - (t[i] == ">")
        i += 1
        if depth <= 0:
            return i
    return i


def after_requires(t, i):
    while True:
        while t[i] == "!":
            i += 1
        if t[i] == "(":
            i = after(t, i)
        elif t[i] == "requires":
            i = after(t, i + 1) if t[i + 1] == "(" else i + 1
            i = after(t, i)
        else:
            while True:
                i += 2 if t[i] == "::" else 1
                i = after_angles(t, i) if t[i] == "<" else i
                if t[i] != "::":
                    break
        if t[i] not in ("&&", "||"):
            return i
        i += 1


def name_at(t, i):
    """Returns the name that the declaration at i declares in this namespace, or None, and whether it is a function."""
    if t[i] in ("static_assert", "template") or t[i:i + 2] in (["extern", "template"], ["using", "namespace"]):
        return None, False
    if t[i] == "concept":
        return t[i + 1], False
    if t[i] == "using":
        name = None
        while t[i] not in ("=", ";"):
            name = t[i] if WORD.match(t[i]) else name
            i += 1
        return name, False
    name = qualified = None
    while True:
        x = t[i]
        if x in ("struct", "class", "union", "enum"):
            k = i + 2 if t[i + 1] in ("struct", "class") else i + 1
            while t[k] == "[":
                k = after(t, k)
            m = after_angles(t, k + 1) if t[k + 1] == "<" else k + 1
            if t[m] in ("{", ";", ":", "final"):
                return t[k], False
            i = k
        elif x == "operator":
            return None, True
        elif x in ("decltype", "alignas", "__attribute__", "noexcept", "explicit") and t[i + 1] == "(":
            i = after(t, i + 1)
        elif x == "requires":
            i = after_requires(t, i + 1)
        elif x == "[" and t[i + 1] == "[":
            i = after(t, i)
        elif x == "<" and name:
            i = after_angles(t, i)
        elif x == "(":
            return (None if qualified else name), True
        elif x in ("=", "{", ";", "["):
            return (None if qualified else name), False
        else:
            if WORD.match(x):
                name, qualified = x, t[i - 1] == "::" and name is not None
            i += 1


def declared(t):
    """Yields (namespace, name) of each declaration."""
    stack, i = [], 0
    while i < len(t):
        if t[i] in ("}", ";"):
            if t[i] == "}" and stack:
                stack.pop()
            i += 1
            continue
        if t[i] == "namespace" or t[i:i + 2] == ["inline", "namespace"]:
            inline, names = t[i] == "inline", []
            i += 1
            while t[i] not in ("{", "=", ";"):
                if t[i] == "inline":
                    inline = True
                elif WORD.match(t[i]) and t[i] != "namespace":
                    names.append(t[i])
                i += 1
            if t[i] == "{":
                around = sum(stack, [])
                for n in range(len(names) - (1 if inline else 0)):
                    yield around + names[:n], names[n]
                stack.append(names[:-1] if inline else names or [""])
                i += 1
            continue
        if t[i] == "extern" and t[i + 1].startswith('"') and t[i + 2] == "{":
            stack.append([])
            i += 3
            continue
        start = i
        while t[i] == "template" and t[i + 1] == "<":
            i = after_angles(t, i + 1)
            if t[i] == "requires":
                i = after_requires(t, i + 1)
        name, function = name_at(t, i)
        if name:
            yield sum(stack, []), name
        while i < len(t) and t[i] != "}":
            if t[i] == "{":
                i = after(t, i)
                if function and t[i] not in (",", "{"):
                    break
            elif t[i] in CLOSED:
                i = after(t, i)
            elif t[i] == ";":
                i += 1
                break
            else:
                i += 1
        i += i == start


def prove():
    text = '# 1 "/sigma/x.hpp"\nnamespace sigma { template <class T> requires(sizeof(T) > 1) struct A { int no; }; inline namespace w {\n' \
           "inline constexpr int b = 1; } namespace detail { int no; } template <class T> constexpr auto f(T x) -> T { return x; }\n" \
           "int A<int>::no() { } using C = int; enum class E { no }; bool operator==(E, E); extern template class A<int>; int g(); }\n" \
           '# 1 "/usr/x.hpp"\nnamespace sigma { int no; }\n'
    found = [name for where, name in declared(tokens(text)) if where == ["sigma"]]
    assert found == ["A", "b", "detail", "f", "C", "E", "g"], found


if __name__ == "__main__":
    prove()
    include, compiler = pathlib.Path(sys.argv[1]), sys.argv[2]
    flags = sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else []
    listed = pathlib.Path(__file__).with_name("names.txt")
    headers = sorted(str(h.relative_to(include)) for h in include.rglob("*.hpp") if h.name not in ("gpu.hpp", "gpus.hpp", "hana.hpp"))
    text = "".join(f"#include <{header}>\n" for header in headers)
    command = [compiler, "-std=c++20", "-DSIGMA_COMPILED", f"-I{include}", *flags, "-E", "-x", "c++", "-"]
    read = subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout
    names = {name for where, name in declared(tokens(read)) if where == ["sigma"] and not name.startswith("error_")}
    if "--write" in sys.argv:
        listed.write_text("\n".join(sorted(names | {"section_named"})) + "\n")  # only with clang
    known = set(listed.read_text().split())
    for name in sorted(names - known):
        print(f"'{name}' is new in namespace sigma: move it to sigma::detail, or add it to {listed.name} if users write it")
    spelled = {word for header in headers for word in re.findall(r"\w+", (include / header).read_text())}
    gone = known - names - spelled  # some names exist with one compiler only
    for name in sorted(gone):
        print(f"namespace sigma has no '{name}' any more: remove it from {listed.name}")
    print(f"{len(names)} names")
    sys.exit(bool(names - known or gone))
