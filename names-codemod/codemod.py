#!/usr/bin/env python3
"""codemod.py TREE: moves what is no user's word from namespace sigma to sigma::detail, in include/, cuda/, and names it
by its new name there and in monitor/, tests/, benchmarks/, examples/ and quotations of docs/. Idempotent.

codemod.py --fix TREE [-DX ...] FILE...: compiles the files (clang++-19 -fsyntax-only) and applies the compiler's own
"did you mean 'detail::x'" until none is left; for what the first pass cannot know (functions, shadowed names)."""
import pathlib, re, subprocess, sys, collections

HERE = pathlib.Path(__file__).resolve().parent
sys.setrecursionlimit(10000)

# ---- what moves -------------------------------------------------------------------------------------------------------
MOVE = set()
for line in (HERE / "move.txt").read_text().splitlines():
    MOVE |= set(line.split("#")[0].split())
# In these headers (and their bodies) everything that namespace sigma has moves, overloads and operators too.
WHOLE = re.compile((HERE / "whole.txt").read_text().strip().replace("\n", "|"))
TYPE = re.compile(r"[A-Z]\w*$")
QUALIFY_LOWER = set((HERE / "lower.txt").read_text().split())  # functions and variables that no argument's type finds
OPERATOR_TYPES = set()
VALUES = {"max_rank", "moment_count", "operation_count", "most_fused_nodes"}

TOKEN = re.compile(r'''(?P<pp>^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<raw>R"(?P<d>[^()\\\s]*)\(.*?\)(?P=d)")|(?P<str>"(?:[^"\\\n]|\\.)*"|(?<![\w])'(?:[^'\\\n]|\\.)+')|(?P<id>[A-Za-z_]\w*)|(?P<num>\.?\d(?:[\w.']|[eEpP][+-])*)|(?P<op>::|->|&&|\|\||<=>|<<=|[<>=!]=|<<|[^\s\w])''', re.M | re.S)

class T(tuple):
    __slots__ = ()
def lex(text):
    out = []
    for m in TOKEN.finditer(text):
        k = m.lastgroup if m.lastgroup != "d" else "raw"
        if k == "comment": continue
        out.append((m.group(0), m.start(), m.end(), k))
    return out

OPEN = {"(", "[", "{"}
CLOSE = {")", "]", "}"}
def skip(t, i):
    depth = 0
    while i < len(t):
        if t[i][0] in OPEN: depth += 1
        elif t[i][0] in CLOSE:
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
        elif x in (";",): return i
        i += 1
        if depth <= 0: return i
    return i
def skip_requires(t, i):
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

def item_at(t, i, end):
    """The declaration at token i: (index after it, kind, name, qualifier)."""
    x = t[i][0]
    if t[i][3] == "pp": return i + 1, "pp", x, None
    if x == ";": return i + 1, "empty", None, None
    if x in ("namespace",) or (x == "inline" and t[i + 1][0] == "namespace"):
        j = i
        while t[j][0] not in ("{", ";", "="): j += 1
        name = "::".join(y[0] for y in t[i:j] if y[3] == "id" and y[0] not in ("inline", "namespace"))
        if t[j][0] == "{": return skip(t, j), "namespace", name, j
        while t[j][0] != ";": j += 1
        return j + 1, "nsalias", name, None
    if re.match(r"SIGMA_\w+$", x) and x not in ("SIGMA_IMPL",) and i + 1 < end and t[i + 1][0] == "(":
        j = skip(t, i + 1)
        if j < end and t[j][0] == ";": j += 1
        return j, "macro", x, None
    start = i
    while t[i][0] == "template" and t[i + 1][0] == "<":
        i = skip_angles(t, i + 1)
        if t[i][0] == "requires": i = skip_requires(t, i + 1)
    name = kind = qual = None
    first = t[i][0]
    if first == "static_assert": kind = "none"
    elif first == "using":
        if t[i + 1][0] == "namespace": kind = "none"
        else:
            j, last = i + 1, None
            while t[j][0] not in ("=", ";"):
                if t[j][3] == "id": last = t[j][0]
                elif t[j][0] == "[": j = skip(t, j); continue
                j += 1
            name, kind = last, "alias" if t[j][0] == "=" else "using"
    elif first == "concept": name, kind = t[i + 1][0], "concept"
    elif first == "template" or (first == "extern" and t[i + 1][0] == "template"): kind = "none"
    if kind is None:
        j, prev, prevq, params = i, None, None, None
        while j < end:
            x = t[j][0]
            if x in ("struct", "class", "union", "enum"):
                k = j + 1
                if t[k][0] in ("class", "struct"): k += 1
                while t[k][0] in ("[", "alignas", "__attribute__"): k = skip(t, k if t[k][0] == "[" else k + 1)
                if t[k][3] == "id":
                    n, m, q = t[k][0], k + 1, None
                    if t[m][0] == "<": m = skip_angles(t, m)
                    while t[m][0] == "::":
                        q = q or n; n = t[m + 1][0]; m += 2
                        if t[m][0] == "<": m = skip_angles(t, m)
                    if t[m][0] in ("{", ";", ":", "final"):
                        kind, name, qual = "type", n, q; break
                    j, prev, prevq = m, n, None; continue
            if x == "operator": name, kind, qual = "operator", "function", prevq if t[j - 1][0] == "::" else None; break
            if x in ("decltype", "alignas", "__attribute__", "noexcept", "explicit") and t[j + 1][0] == "(":
                j = skip(t, j + 1); prev = None; continue
            if x == "requires": j = skip_requires(t, j + 1); continue
            if x == "[" and t[j + 1][0] == "[": j = skip(t, j); continue
            if x == "<" and prev: j = skip_angles(t, j); continue
            if x == "(": name, kind, qual = prev, "function", prevq; break
            if x in ("=", "{", ";", "["): name, kind, qual = prev, "variable", prevq; break
            if t[j][3] == "id":
                if t[j - 1][0] == "::" and prev: prevq = prevq or prev
                else: prevq = None
                prev = x
            j += 1
    # the end
    i0 = i
    while i < end:
        x = t[i][0]
        if x == "{":
            i = skip(t, i)
            if kind == "function":
                if i < end and t[i][0] in (",", "{"): continue
                if i < end and t[i][0] == ";" : i += 1
                break
            continue
        if x in ("(", "["): i = skip(t, i); continue
        if x == ";": i += 1; break
        i += 1
    return i, kind or "none", name, qual

def items(t, i, end):
    while i < end:
        j, kind, name, qual = item_at(t, i, end)
        if j <= i: raise RuntimeError("stuck")
        yield i, j, kind, name, qual
        i = j

# ---- step 1: declarations ---------------------------------------------------------------------------------------------
def line_end(text, at):
    m = re.compile(r"[ \t]*(//[^\n]*)?\n?").match(text, at)
    return m.end()

def moves(text, t, it, whole):
    i, j, kind, name, qual = it
    if kind in ("namespace", "nsalias", "pp", "empty", "macro"): return None if kind != "namespace" else False
    if kind == "using" and not whole: return name in MOVE
    if whole: return True
    if qual: return qual in MOVE
    if kind == "none":
        return False
    if name == "operator":
        # what its operands' types find must be beside them
        return any(x[0] in OPERATOR_TYPES for x in t[i:next((k for k in range(i, j) if t[k][0] == "{"), j)])
    if name in MOVE: return True
    return False

def rewrite_namespace(text, t, i, j, brace, whole, path):
    """New text of `namespace sigma { ... }` (tokens i to j), or None."""
    inner = list(items(t, brace + 1, j - 1))
    units, pos = [], line_end(text, t[brace][2])
    for it in inner:
        endpos = line_end(text, t[it[1] - 1][2])
        endpos = min(endpos, t[j - 1][1])
        is_detail = it[2] == "namespace" and it[3] == "detail"
        units.append([pos, endpos, "detail" if is_detail else moves(text, t, it, whole), it])
        pos = endpos
    tail = text[pos:t[j - 1][1]]
    if not any(u[2] is True for u in units): return None
    body = lambda u: text[u[0]:u[1]]
    def inside_detail(u):
        it = u[3]
        b = line_end(text, t[it[4]][2])
        lead = text[u[0]:t[it[0]][1]]
        e = t[it[1] - 1][1]
        return lead + text[b:e]
    hard = lambda u: u[3][2] == "pp" and re.match(r"\s*#\s*(if|el|endif)", u[3][3])
    everything = all(u[2] in (True, "detail", None) for u in units)
    if everything and whole:
        out = "namespace sigma::detail {\n" + "".join(inside_detail(u) if u[2] == "detail" else body(u) for u in units) + tail
        return out + "}  // namespace sigma::detail\n"
    state, pieces, pending = False, [], []
    for u in units:
        m = u[2]
        if m is None:
            if hard(u):
                pieces += [(state, p) for p in pending]; pending = []
                # a conditional block: stays outside of any run
                pieces.append((False, body(u))); state = False
            else: pending.append(body(u))
            continue
        now = m in (True, "detail")
        if m == "detail" and not state:
            # joins only a run: look whether the next real unit moves
            k = units.index(u) + 1
            while k < len(units) and units[k][2] is None and not hard(units[k]): k += 1
            joins = k < len(units) and units[k][2] is True
            if not joins:
                pieces += [(False, p) for p in pending]; pending = []
                pieces.append((False, body(u))); continue
        join = now and state
        pieces += [(join, p) for p in pending]; pending = []
        pieces.append((now, inside_detail(u) if m == "detail" else body(u)))
        state = now
    pieces += [(False, p) for p in pending]
    if all(p[0] or not p[1].strip() for p in pieces) and not tail.strip():
        return "namespace sigma::detail {\n" + "".join(p[1] for p in pieces) + tail + "}  // namespace sigma::detail\n"
    out, state = "namespace sigma {\n", False
    for s, p in pieces:
        if s and not state: out += "\nnamespace detail {\n\n"
        if state and not s: out += "\n}  // namespace detail\n\n"
        out += p; state = s
    if state: out += "\n}  // namespace detail\n\n"
    return out + tail + "}  // namespace sigma\n"

def declarations_moved(text, path):
    whole = bool(WHOLE.search(path))
    t = lex(text)
    out, at = [], 0
    for i, j, kind, name, brace in items(t, 0, len(t)):
        if kind == "namespace" and name == "sigma":
            new = rewrite_namespace(text, t, i, j, brace, whole, path)
            if new is not None:
                out += [text[at:t[i][1]], new]
                at = line_end(text, t[j - 1][2])
    out.append(text[at:])
    return "".join(out)

DECLARED = collections.defaultdict(set)  # by namespace, what namespaces other than sigma and sigma::detail declare
def collect(text):
    t = lex(text)
    def walk(i, end, ns):
        for i, j, kind, name, qual in items(t, i, end):
            if kind == "namespace":
                inner = [n for n in name.split("::") if n]
                # inline namespaces are transparent
                k = i
                inline = False
                while t[k][0] != "{": inline |= t[k][0] == "inline"; k += 1
                walk(qual + 1, j - 1, ns + (inner[:-1] if inline else inner or ["(anonymous)"]))
            elif name in MOVE and kind not in ("using", "pp", "macro", "none") and not qual and ns != ["sigma"] and ns[:2] != ["sigma", "detail"]:
                DECLARED[tuple(ns)].add(name)
    try: walk(0, len(t), [])
    except (IndexError, RuntimeError): pass
LOCAL = collections.defaultdict(set)
# Where a function is meant although the same file's namespace has one of this name for other arguments; and where a word
# that is a member elsewhere is the function.
FORCED = {"name_of": r"sigma/data/reader/|sigma/data/transform/impl/(preprocessing_file|entries)\.ipp", "size_of": r"sigma/data/reader/"}
ONLY = {"text": r"tests/support/traces\.hpp", "resolve": r"^(.*/)?(include/sigma/device|cuda|tests/unit/(device|plan)|tests/support|tests/gpu)/", **{w: r"/tape/|tests/(unit|support|static|gpu|oracle)/" for w in ("step", "copy", "product", "reduce", "stack", "advance", "lu", "cofactors")}}
NOT_IN = {"code_of": r"(^|/)cuda/", "Step": r"sigma/data/", "Criterion": r"hook/impl/toggle\.ipp"}  # members of this name, spelled outside of their class
PATH = [""]
SUPPORT = {}
def elsewhere(x, ns):
    if x in FORCED and re.search(FORCED[x], PATH[0]): return False
    if x in NOT_IN and re.search(NOT_IN[x], PATH[0]): return True
    if x in ONLY and not re.search(ONLY[x], PATH[0]): return True
    return any(x in DECLARED.get(tuple(ns[:k]), ()) for k in range(0 if not ns or ns[0] != "sigma" else 2, len(ns) + 1))

def without_calls(text, x):
    """what may declare a variable x: not `return x;`"""
    return re.sub(r"\b(return|case|else|throw)\s+%s\b" % x, "", re.sub(r"//[^\n]*", "", text))

def of_includes(path, text, seen):
    """what the headers of tests declare that a test includes"""
    found = set()
    for name in re.findall(r'#include [<"]([\w./]+\.hpp)[>"]', text):
        here = pathlib.Path(path).resolve()
        tests = next((p for p in here.parents if p.name == "tests"), None)
        for at in (here.parent / name, *([tests / name, tests.parent / name] if tests else [])):
            at = str(at.resolve())
            if at in SUPPORT and at not in seen:
                seen.add(at)
                found |= SUPPORT[at] | of_includes(at, pathlib.Path(at).read_text(), seen)
    return found

# ---- step 2: uses -----------------------------------------------------------------------------------------------------
def template_parameters(t, i):
    """names of the parameters of the template head whose < is at i"""
    j = skip_angles(t, i)
    names, depth = set(), 0
    for k in range(i + 1, j - 1):
        if t[k][3] == "id" and t[k + 1][0] in (",", ">", "=") or (t[k][3] == "id" and k == j - 2):
            if t[k - 1][0] not in ("::", "<", ",", "(") or t[k-1][0] in ("class", "typename", "."): names.add(t[k][0])
    return names, j

def nested_names(t, i, j):
    """names of MOVE that the class body (tokens i..j) declares itself"""
    names, depth = set(), 0
    for k in range(i, j):
        x = t[k][0]
        if x in OPEN: depth += 1
        elif x in CLOSE: depth -= 1
        elif depth == 1 and t[k][3] == "id" and x in MOVE:
            before = t[k - 1][0]
            if before in ("struct", "class", "enum", "union") and t[k - 2][0] != "friend" or (before == "using" and t[k + 1][0] == "="):
                names.add(x)
            elif not TYPE.match(x) and t[k + 1][0] == "(" and (t[k - 1][3] == "id" or before in (">", "&", "*")) and before not in ("return",):
                names.add(x)
    return names

def uses_renamed(text, path):
    t = lex(text)
    PATH[0] = path
    edits = []
    opened = bool(re.search(r"using namespace sigma\s*;", text))
    # Another open namespace may have a `detail` of its own.
    others = any(n not in ("sigma", "std::chrono_literals") for n in re.findall(r"using namespace ([\w:]+)", text)) or (
        "namespace detail" in text)
    mine = set()
    if "/sigma/" not in path:
        mine = {x for x in MOVE if re.search(r"\b(?:struct|class|enum|using) %s\b(?!::)" % x, text)}
        mine |= {x for x in MOVE if not TYPE.match(x) and re.search(r"^(?:template <[^\n]*>\n)?(?!\s*return|\s*else)[\w:<>,&* ]*[\w>&*] %s\([^;]*?\{$" % x, text, re.M)}
        mine |= {x for x in MOVE if not TYPE.match(x) and re.search(r"^\s*(?:const |static )*(?:[\w:]*[A-Z]\w*|std::\w+)(?:<[^;\n]*>)?[&*]? %s[({]" % x, text, re.M)}
        mine |= of_includes(path, text, set())
        mine |= {x for x in MOVE if not TYPE.match(x) and x not in VALUES and re.search(r"(?<![\w.:>])%s\s*(?:\[|\.\w)" % x, re.sub(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"', "", text))}
        for ns, names in DECLARED.items():
            if not ns or ns[0] != "sigma": mine |= names
    # frames: (kind, name(s), shadowed names)
    stack = []
    templates = []  # (shadow names, depth at which the declaration ends)
    pending_shadow = set()
    i = 0
    scope_shadow = []
    def chain():
        return [p for f in stack if f[0] == "ns" for p in f[1]]
    def visit(i, end, ns, shadow, in_enum=False):
        """walks tokens; ns: namespace chain; shadow: names that mean something else here"""
        local = set(shadow)
        head = set()  # template parameters until the end of this declaration
        while i < end:
            x, b, e, k = t[i]
            if k == "pp":
                m = re.match(r"\s*#\s*define\s+\w+(\([^)]*\))?", x)
                if m and ns:
                    sub = x[m.end():]
                    for mm in re.finditer(r"(?<![\w.:>])(?<!->)(?:sigma::)?([A-Za-z]\w*)\b(?=(\(?))", sub):
                        if mm.group(1) in MOVE and mm.group(1) not in local and not elsewhere(mm.group(1), ns) and (TYPE.match(mm.group(1)) or (
                                mm.group(1) in QUALIFY_LOWER and mm.group(2))):
                            edits.append((b + m.end() + mm.start(), b + m.end() + mm.end(), mm.group(1), ns))
                i += 1; continue
            if x == "namespace" or (x == "inline" and i + 1 < end and t[i + 1][0] == "namespace"):
                j = i
                while t[j][0] not in ("{", ";", "="): j += 1
                if t[j][0] == "{" and not (i and t[i - 1][0] == "using"):
                    names = [y[0] for y in t[i:j] if y[3] == "id" and y[0] not in ("inline", "namespace")]
                    inline = any(y[0] == "inline" for y in t[i:j])
                    close = skip(t, j)
                    visit(j + 1, close - 1, ns + (names[:-1] if inline else (names or ["(anonymous)"])), local)
                    i = close; continue
                i = j; continue
            if x == "template" and i + 1 < end and t[i + 1][0] == "<":
                names, j = template_parameters(t, i + 1)
                shadow2 = names & MOVE
                # the declaration: up to its ; or }
                stop = j
                while stop < end:
                    y = t[stop][0]
                    if y == "{":
                        stop = skip(t, stop)
                        if stop < end and t[stop][0] in (",", "{", ")", "&&", "||", ";", "]") : 
                            if t[stop][0] == ";": stop += 1; break
                            continue
                        # a requires-expression is followed by the declaration
                        if is_requires_body(t, stop): continue
                        break
                    if y in ("(", "["): stop = skip(t, stop); continue
                    if y == ";": stop += 1; break
                    if y in ("}", ")"): break
                    stop += 1
                visit(i + 2, stop, ns, local | shadow2)
                i = stop; continue
            if x == "[" and i + 2 < end:
                close = skip(t, i)
                if close < end and t[close][0] == "<" and t[close + 1][0] in ("class", "typename", "int", "auto", "std", "Shape"):
                    names, j = template_parameters(t, close)
                    shadow2 = names & MOVE
                    if shadow2:
                        stop = j
                        while stop < end and t[stop][0] != "{":
                            stop = skip(t, stop) if t[stop][0] in ("(", "[") else stop + 1
                        stop = skip(t, stop) if stop < end else end
                        visit(i + 1, stop, ns, local | shadow2)
                        i = stop; continue
            if x in ("struct", "class", "union") and not (i and t[i - 1][0] in ("enum", "<", ",")) :
                j = i + 1
                nm = None
                while j < end and t[j][0] not in ("{", ";", "(", ")", ",", ">", "=", "*", "&"):
                    if t[j][3] == "id" and nm is None: nm = j
                    if t[j][0] == "<": j = skip_angles(t, j); continue
                    if t[j][0] == "[": j = skip(t, j); continue
                    j += 1
                if j < end and t[j][0] == "{":
                    close = skip(t, j)
                    # its own name is a declaration or a specialization
                    own = nested_names(t, j, close)
                    own_name = t[nm][0] if nm is not None else None
                    if own_name in MOVE and t[nm + 1][0] != "<" and ns[:2] != ["sigma", "detail"] and t[nm-1][0] != "::":
                        own |= {own_name}  # a class of the same name elsewhere
                    visit(i + 1, close, ns, local | own)
                    i = close; continue
            if x == "enum":
                j = i + 1
                while t[j][0] not in ("{", ";", "(", ")", ","): j += 1
                if t[j][0] == "{":
                    i = skip(t, j); continue
                i += 1; continue
            if k == "id" and x in MOVE and i > 1 and t[i - 1][0] == "::" and t[i - 2][0] == "sigma" and (
                    TYPE.match(x) or x in QUALIFY_LOWER or x in VALUES or t[i + 1][0] == "("):
                edits.append((b, e, x, "qualified")); i += 1; continue
            if k == "id" and x in MOVE and x not in local and not elsewhere(x, ns):
                before = t[i - 1][0] if i else ""
                after = t[i + 1][0] if i + 1 < len(t) else ""
                ok = before not in (".", "->")
                if before == "::":
                    q = t[i - 2][0] if i > 1 else ""
                    ok = q == "sigma" and (i < 3 or t[i - 3][0] != "::" or t[i - 4][0] not in ("sigma",))
                    if ok: edits.append((b, e, x, "qualified")); i += 1; continue
                    ok = False
                if ok and not TYPE.match(x):
                    ok = (x in QUALIFY_LOWER or x in VALUES) and (after in ("(", "<") or x in VALUES) and not (
                        i and t[i - 1][3] == "id" and before not in ("return", "co_return", "else", "case", "constexpr", "throw", "operator")) and before != ">" and not (before == "&" and (t[i - 2][3] == "id" or t[i - 2][0] == ">")) and not (before == "*" and TYPE.match(t[i - 2][0])) or (
                        x in VALUES and before not in (".", "->", "int"))
                if ok and before in ("class", "typename") and i > 1 and t[i - 2][0] in ("<", ","): ok = False
                if ok and before in ("using", "namespace") and after == "=": ok = False
                if ok and TYPE.match(x) and after == "=" and before in ("using",): ok = False
                if ok and not TYPE.match(x) and x not in VALUES and "/sigma/" not in path and re.search(r"(?:[A-Za-z_>][\w>]*[ \t]*[&*]?|\[)\s*&?(?<![\w:.])%s\s*(?:=[^=]|\{|,|\)|;|\]|:[^:])" % x, without_calls(text, x)): ok = False
                if ok: edits.append((b, e, x, ns))
            i += 1
    visit(0, len(t), [], mine)
    out, at = [], 0
    for b, e, x, ns in sorted(edits, key=lambda d: d[0]):
        if ns == "qualified": new = "detail::" + x
        elif ns[:2] == ["sigma", "detail"]: continue
        elif ns[:1] == ["sigma"]: new = ("detail::" if ns == ["sigma"] or ns[1] in ("on_cpu", "on_gpu", "debugging") and False else "sigma::detail::") + x
        elif opened: new = ("sigma::detail::" if others else "detail::") + x
        elif "tests" in pathlib.Path(path).parts and re.search(r"#include [<\"](?!sigma/)[\w./]+\.hpp", text): new = "sigma::detail::" + x  # a header of the test opens it
        else: continue
        if text[b:e].startswith("sigma::"): new = "sigma::detail::" + x
        out += [text[at:b], new]; at = e
    out.append(text[at:])
    return "".join(out)

def is_requires_body(t, stop):
    """whether the } before stop ended a requires-expression that is followed by a declaration: looked at by what follows"""
    y = t[stop - 1]
    depth, k = 0, stop - 1
    while k >= 0:
        if t[k][0] in CLOSE: depth += 1
        elif t[k][0] in OPEN:
            depth -= 1
            if depth == 0: break
        k -= 1
    k -= 1
    if k >= 0 and t[k][0] == ")":
        depth = 0
        while k >= 0:
            if t[k][0] in CLOSE: depth += 1
            elif t[k][0] in OPEN:
                depth -= 1
                if depth == 0: break
            k -= 1
        k -= 1
    return k >= 0 and t[k][0] == "requires"

# ---- the tree ---------------------------------------------------------------------------------------------------------
def files(root, folders, ends):
    for folder in folders:
        for f in sorted((root / folder).rglob("*")):
            if f.suffix in ends and f.is_file() and "build" not in f.relative_to(root).parts: yield f

def is_whole(rel):
    return WHOLE.search(rel)

FIXUPS = [("tests/support/gradient_suite.hpp", " = Adjoints", " = detail::Adjoints"), ("tests/support/traces.hpp", "look == text(", "look == sigma::detail::text(")]
def run(root):
    global OPERATOR_TYPES
    OPERATOR_TYPES = {n for n in MOVE if TYPE.match(n)}
    changed = collections.OrderedDict()
    for f in files(root, ["include", "cuda", "monitor", "tests/support"], {".hpp", ".ipp", ".cpp"}): collect(f.read_text())
    for f in files(root, ["tests"], {".hpp"}):
        kept = {k: set(v) for k, v in DECLARED.items()}
        DECLARED.clear(); collect(f.read_text())
        SUPPORT[str(f.resolve())] = set().union(*(v for k, v in DECLARED.items() if k[:1] != ("sigma",) or k[:2] == ("sigma", "test")))
        DECLARED.clear(); DECLARED.update(kept)
    DECLARED.pop((), None)
    library = {k: set(v) for k, v in DECLARED.items()}
    for f in files(root, ["include", "cuda"], {".hpp", ".ipp", ".cpp", ".cu", ".cuh"}):
        text = f.read_text(); new = declarations_moved(text, str(f.relative_to(root)))
        new = uses_renamed(new, str(f))
        if new != text: changed[f] = (text, new)
    for f in files(root, ["monitor", "tests", "benchmarks", "examples"], {".hpp", ".ipp", ".cpp", ".cu"}):
        text = f.read_text()
        DECLARED.clear(); DECLARED.update({k: set(v) for k, v in library.items()}); collect(text)
        new = uses_renamed(text, str(f))
        if new != text: changed[f] = (text, new)
    for f, (_, new) in changed.items(): f.write_text(new)
    for name, old, new in FIXUPS:
        f = root / name
        if f.exists(): f.write_text(f.read_text().replace(old, new))
    print(len(changed), "files")

FIX = re.compile(r'^fix-it:"([^"]*)":\{(\d+):(\d+)-(\d+):(\d+)\}:"((?:[^"\\]|\\.)*)"', re.M)
def fix(root, flags, sources):
    for source in sources:
        for turn in range(40):
            r = subprocess.run(["clang++-19", "-std=c++20", "-fsyntax-only", "-fconstexpr-steps=100000000", "-ferror-limit=0",
                                "-fdiagnostics-parseable-fixits", f"-I{root}/include", f"-I{root}/cuda", f"-I{root}/tests", *flags, str(source)],
                               capture_output=True, text=True)
            todo = collections.defaultdict(set)
            for m in FIX.finditer(r.stderr):
                file, l1, c1, l2, c2, new = m.groups()
                if "detail::" in new and str(pathlib.Path(file).resolve()).startswith(str(root.resolve())):
                    todo[file].add((int(l1), int(c1), int(l2), int(c2), new))
            n = 0
            for file, edits in todo.items():
                lines = pathlib.Path(file).read_bytes().split(b"\n")
                for l1, c1, l2, c2, new in sorted(edits, reverse=True):
                    old = lines[l1 - 1][c1 - 1:c2 - 1].decode()
                    if l1 != l2 or not new.endswith("::" + old): continue
                    lines[l1 - 1] = lines[l1 - 1][:c1 - 1] + new.encode() + lines[l1 - 1][c2 - 1:]; n += 1
                pathlib.Path(file).write_bytes(b"\n".join(lines))
            errors = len(re.findall(r": error:", r.stderr))
            print(source, "errors", errors, "fixed", n, flush=True)
            if n == 0:
                if errors: print(r.stderr[:6000])
                break

def docs(root):
    """Lines of sources that pages repeat (docs/design/*.md) follow the sources, of HEAD and of the working tree."""
    import difflib
    pairs = {}
    names = subprocess.run(["git", "-C", str(root), "diff", "--name-only", "HEAD", "--", "include", "cuda", "tests", "monitor"], capture_output=True, text=True).stdout.split()
    plain = lambda l: re.sub(r"\b(sigma::)?detail::", "", re.sub(r"\s+", "", l))
    for name in names:
        if not (root / name).exists(): continue
        old = subprocess.run(["git", "-C", str(root), "show", f"HEAD:{name}"], capture_output=True, text=True).stdout.splitlines()
        new = (root / name).read_text().splitlines()
        known = {plain(l): l.strip() for l in new}
        for l in old:
            if l.strip() and known.get(plain(l), l.strip()) != l.strip(): pairs.setdefault(l.strip(), known[plain(l)])
    n = 0
    for page in sorted((root / "docs").rglob("*.md")):
        lines = page.read_text().split("\n")
        for i, l in enumerate(lines):
            m = re.match(r"([-+ ]?\s*)(.*)$", l)
            if m and m.group(2) in pairs and page.name != "decisions.md": lines[i] = m.group(1) + pairs[m.group(2)]; n += 1
        page.write_text("\n".join(lines))
    page = root / "docs/design/architecture.md"
    page.write_text(page.read_text().replace("`constexpr CompiledProgram<T> make_compiled_program`", "`CompiledProgram<T> make_compiled_program`"))
    for script in ("stations", "snippets"): subprocess.run([sys.executable, str(root / f"tests/docs/{script}.py"), str(root), "--write"])
    print(n, "lines of pages")

if __name__ == "__main__":
    if sys.argv[1] == "--docs": docs(pathlib.Path(sys.argv[2])); sys.exit()
    if sys.argv[1] == "--fix":
        flags = [a for a in sys.argv[3:] if a.startswith("-")]
        fix(pathlib.Path(sys.argv[2]), flags, [a for a in sys.argv[3:] if not a.startswith("-")])
    else: run(pathlib.Path(sys.argv[1]))
