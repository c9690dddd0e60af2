#!/usr/bin/env python3
"""names declared directly in namespace sigma, from preprocessed text (c++ -E). Prints name kind file:line."""
import re, subprocess, sys, pathlib, collections

TOKEN = re.compile(r'''(?P<mark>^\#[^\n]*$)|(?P<raw>R"(?P<d>[^()\\\s]*)\(.*?\)(?P=d)")|(?P<str>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?P<id>[A-Za-z_]\w*)|(?P<num>\.?\d(?:[\w.']|[eEpP][+-])*)|(?P<op>::|->|&&|\|\||<=>|<<=|[<>=!]=|<<|[^\s\w])''', re.M | re.S)

def tokens(text, roots):
    """(token, file, line) of what stands in files under roots."""
    out, file, line, keep, pos = [], "", 0, False, 0
    for m in TOKEN.finditer(text):
        line += text.count("\n", pos, m.start()); pos = m.start()
        if m.lastgroup == "mark" or m.group("mark"):
            mm = re.match(r'#\s*(?:line\s+)?(\d+)\s+"([^"]*)"', m.group("mark"))
            if mm:
                line, file = int(mm.group(1)) - 1, mm.group(2)
                keep = any(r in file for r in roots)
            continue
        if keep: out.append((m.group(0), file, line))
    return out

OPEN = {"(": ")", "[": "]", "{": "}"}
def skip(t, i):
    """index after the bracket that opens at i"""
    depth = 0
    while i < len(t):
        if t[i][0] in OPEN: depth += 1
        elif t[i][0] in (")", "]", "}"):
            depth -= 1
            if depth == 0: return i + 1
        i += 1
    return i
def skip_angles(t, i):
    depth = 0
    while i < len(t):
        x = t[i][0]
        if x in OPEN: i = skip(t, i); continue
        if x == "<": depth += 1
        elif x == ">": depth -= 1
        elif x == ">>": depth -= 2
        i += 1
        if depth <= 0: return i
    return i

def declarations(t):
    """yields (namespace, name, kind, file, line)"""
    stack = []
    i = 0
    while i < len(t):
        x = t[i][0]
        if x == "}":
            if stack: stack.pop()
            i += 1; continue
        if x == ";": i += 1; continue
        if x in ("namespace",) or (x == "inline" and t[i+1][0] == "namespace"):
            inline = x == "inline"
            j = i + 2 if inline else i + 1
            name = []
            while t[j][0] not in ("{", "=", ";"):
                if t[j][0] == "inline": inline = True
                elif t[j][0] == "[": j = skip(t, j); continue
                elif t[j][0] != "::": name.append(t[j][0])
                j += 1
            if t[j][0] == "{":
                if not inline and name: yield (list(sum(stack, [])), name[0], "namespace", t[i][1], t[i][2])
                stack.append([] if inline else (name or ["(anonymous)"]))
                i = j + 1; continue
            while t[i][0] != ";": i += 1
            continue
        # one declaration
        start = i
        where = list(sum(stack, []))
        name = kind = None
        while t[i][0] == "template" and i + 1 < len(t) and t[i+1][0] == "<":
            i = skip_angles(t, i + 1)
            if t[i][0] == "requires": i = skip_requires(t, i + 1)
        if t[i][0] == "extern" and t[i+1][0].startswith('"'):
            if t[i+2][0] == "{": stack.append([]); i += 3; continue
        first = t[i][0]
        if first in ("static_assert",):
            kind = "none"
        elif first == "using":
            if t[i+1][0] == "namespace": kind = "none"
            else:
                j = i + 1; last = None
                while t[j][0] not in ("=", ";"):
                    if re.match(r"[A-Za-z_]\w*$", t[j][0]): last = t[j][0]
                    elif t[j][0] == "[": j = skip(t, j); continue
                    j += 1
                name, kind = last, "alias" if t[j][0] == "=" else "using"
        elif first == "concept": name, kind = t[i+1][0], "concept"
        elif first in ("template",): kind = "none"  # explicit instantiation
        if kind is None:
            j = i
            angle_ok = True
            prev = None
            while True:
                x = t[j][0]
                if x in ("struct", "class", "union", "enum") and kind is None:
                    k = j + 1
                    if t[k][0] in ("class", "struct"): k += 1
                    while t[k][0] in ("[", "alignas", "__attribute__"):
                        k = skip(t, k if t[k][0] == "[" else k + 1)
                    if re.match(r"[A-Za-z_]", t[k][0]):
                        n = t[k][0]
                        m = k + 1
                        while t[m][0] == "::": n = None; m += 2
                        if t[m][0] == "<": m = skip_angles(t, m)
                        if t[m][0] in ("{", ";", ":", "final"):
                            name, kind = n, "type"
                            if kind and name is None: kind = "none"
                            break
                        j = m; prev = n; continue
                if x == "operator":
                    name, kind = "operator", "function"; break
                if x in ("decltype", "alignas", "__attribute__", "noexcept", "explicit") and t[j+1][0] == "(":
                    j = skip(t, j + 1); prev = None; continue
                if x == "requires": j = skip_requires(t, j + 1); continue
                if x == "[" and t[j+1][0] == "[": j = skip(t, j); continue
                if x == "<" and prev: j = skip_angles(t, j); continue
                if x in ("(",):
                    name, kind = prev, "function"; break
                if x in ("=", "{", ";", "["):
                    name, kind = prev, "variable"; break
                if x == "->": name, kind = None, "none"; break
                if re.match(r"[A-Za-z_]\w*$", x):
                    prev = x if not (j > 0 and t[j-1][0] == "::") else "::" + x
                j += 1
            if name and name.startswith("::"): name, kind = None, "none"  # member defined outside
        if name and kind != "none": yield (where, name, kind, t[i][1], t[i][2])
        # skip to the end
        seen_eq = kind in ("alias", "using", "concept")
        while i < len(t):
            x = t[i][0]
            if x == "{":
                i = skip(t, i)
                if kind == "function" or (kind == "none" and first not in ("static_assert",) ):
                    if i < len(t) and t[i][0] == ";": i += 1
                    # constructor initialisers: a( ) , b{ } { } : go on while , or {
                    if i < len(t) and t[i][0] in (",",): continue
                    if i < len(t) and t[i][0] == "{": continue
                    break
                continue
            if x in ("(", "["): i = skip(t, i); continue
            if x == ";": i += 1; break
            if x == "}": break
            i += 1

def skip_requires(t, i):
    """after a requires clause at i (the token after `requires`)"""
    while True:
        while t[i][0] == "!": i += 1
        if t[i][0] == "(": i = skip(t, i)
        elif t[i][0] == "requires":
            i += 1
            if t[i][0] == "(": i = skip(t, i)
            i = skip(t, i)
        else:
            while True:
                if t[i][0] == "::": i += 1
                i += 1
                if t[i][0] == "<": i = skip_angles(t, i)
                if t[i][0] != "::": break
        if t[i][0] in ("&&", "||"): i += 1; continue
        return i

def of(compiler_and_flags, source, roots=("/include/sigma/", "/cuda/sigma/", "include/sigma", "cuda/sigma")):
    text = subprocess.run([*compiler_and_flags, "-E", "-x", "c++", "-"], input=source, text=True, capture_output=True, check=True).stdout
    return list(declarations(tokens(text, roots)))

if __name__ == "__main__":
    root = pathlib.Path(sys.argv[1])
    heads = sorted(str(f.relative_to(root / "include")) for f in (root / "include").rglob("*.hpp"))
    src = "".join(f"#include <{h}>\n" for h in heads if not h.endswith(("gpu.hpp","gpus.hpp")))
    seen = collections.OrderedDict()
    for where, name, kind, file, line in of(["clang++-19", "-std=c++20", "-DSIGMA_COMPILED", f"-I{root}/include", f"-I{root}/cuda"], src):
        if where == ["sigma"]: seen.setdefault(name, []).append((kind, file.split("sigma/",1)[1], line))
    for n in sorted(seen): print(n, seen[n][0][0], *sorted({f for _, f, _ in seen[n]}))
