# SPDX-License-Identifier: BSL-1.0
"""Finds by text which typed exceptions the definitions of functions throw. `documented.py` compares them with `@throws`.

A definition throws what its own body throws, and what these functions throw that it calls: helpers whose only purpose is to
throw or to check, by their names (HELPER), and free functions with a name that is unique in the library. Calls of members are
not followed, so some exceptions are not found. What a function catches, and MemoryError of what it calls, do not count.
"""
import collections
import dataclasses
import re

from markdown import without_arguments

SOURCES = [f"{folder}/**/*.{suffix}" for folder in ("include/sigma", "cuda/sigma", "components")
           for suffix in ("hpp", "ipp", "cpp", "cuh", "cu")]
HELPER = re.compile(r"(?:check|checked|require|reject|refuse|fail|throw|expect|ensure|valid|missing|must)(?:_\w+)?$")
NEVER = set("if for while switch catch return decltype noexcept alignas sizeof requires defined static_assert new throw".split())
THROW = re.compile(r"\bthrow\s+((?:\w+::)*\w*Error)(?:::(\w+))?\s*[({]")
CALL = re.compile(r"(?<![\w.>:])((?:\w+::)*)(\w+)\s*(?:<[^<>;(){}]*>)?\s*\(|(?:\.|->)()(\w+)\s*(?:<[^<>;(){}]*>)?\s*\(")
# Ends of texts before a brace: of a class, of a member's initializer, of a requirement.
CLASS = re.compile(r"\b(?:struct|class|union)\s+(?:\[\[.*?\]\]\s*|[A-Z_]+\s+)?([\w:]+)(?:<[^;{}]*>)?\s*(?:final\s*)?(?::[^:][^;{}()]*)?$")
MEMBER = re.compile(r"[,:]\s*[\w:]+(?:<[^;{}]*>)?\s*$")
REQUIRES = re.compile(r"\brequires\b\s*(?:\([^()]*\))?\s*$")
DEPTH = 2


@dataclasses.dataclass
class Definition:
    scope: tuple     # namespaces and classes around it, and those written before its name
    name: str
    parameters: tuple
    file: str
    line: int
    body: str
    throws: set = dataclasses.field(default_factory=set)

    @property
    def owner(self):
        """The class of a member, or the innermost namespace."""
        return self.scope[-1] if self.scope else ""


def blanked(text):
    """The text without comments, literals and directives of the preprocessor, with all its line breaks."""
    def blank(found):
        kept = found[0]
        if kept.startswith(('"', "R\"")):
            return '""' + "\n" * kept.count("\n")
        return "' '" if kept.startswith("'") else re.sub(r"[^\n]", " ", kept)
    text = re.sub(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|(?<![\w])\'(?:[^\'\\\n]|\\.)+\'', blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def parameter_types(text):
    """The types of parameters, so far as two declarations of the same function write them alike."""
    parts, depth, part = [], 0, ""
    for letter in text.replace("->", "  ").replace(">=", "  ").replace("<=", "  "):
        depth += (letter in "<([{") - (letter in ">)]}")
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    parts.append(part)
    return tuple(kind for kind in map(bare_type, parts) if kind)


def bare_type(text):
    text = re.sub(r"=.*$", "", text, flags=re.S)
    text = re.sub(r"\[\[[^\]]*\]\]|\b(?:const|typename|struct|class|constexpr|noexcept)\b", " ", text)
    text = re.sub(r"\b(?:\w+::)+", "", text)
    text = re.sub(r"([\w>&*.\])])\s+\w+\s*$", r"\1", text.strip())
    return re.sub(r"\s+", "", text)


def head_of(text):
    """(scopes, name, parameters) of what stands before a function's body, or None."""
    text = re.sub(r"^\s*(?:(?:public|private|protected)\s*:)+", "", text)
    text = re.sub(r"\[\[.*?\]\]", " ", text)
    at = 0
    while True:  # the first parenthesis that follows a name, outside of `template <…>` and `requires(…)`
        found = re.compile(r"((?:~?\w+(?:<[^;(){}]*?>)?::)*)(operator\s*(?:\(\)|[^\s(]+|\s\w[\w:<> ]*)|~?\w+)\s*\(").search(text, at)
        if not found:
            return None
        depth, end = 0, found.end() - 1
        for end in range(found.end() - 1, len(text)):
            depth += (text[end] == "(") - (text[end] == ")")
            if depth == 0:
                break
        if found[2] in NEVER or text.count("<", 0, found.start()) > text.count(">", 0, found.start()) and text.lstrip().startswith("template"):
            at = end + 1 if found[2] in NEVER else found.end()
            continue
        if re.match(r"[A-Z0-9]+_[A-Z0-9_]+$", found[2]):
            at = end + 1  # a macro before the declaration
            continue
        scopes = tuple(one for one in without_arguments(found[1]).split("::") if one)
        return scopes, re.sub(r"\s+", "", found[2]), parameter_types(text[found.end():end])


def definitions(file, text, places=None):
    """All functions that a file defines. Appends (first line, last line, scope) of its namespaces and classes to `places`."""
    text = blanked(text)
    result, stack, opened, start, parentheses = [], [], [], 0, 0

    def open_scope(names):
        stack.append(names)
        opened.append((text.count("\n", 0, i) + 1, tuple(one for part in stack for one in part)))
    i, size = 0, len(text)
    while i < size:
        letter = text[i]
        if letter == "(":
            parentheses += 1
        elif letter == ")":
            parentheses = max(0, parentheses - 1)
        elif letter == ";" and parentheses == 0:
            start = i + 1
        elif letter == "}" and parentheses == 0:
            if stack:
                stack.pop()
                first, scope = opened.pop()
                if places is not None:
                    places.append((first, text.count("\n", 0, i) + 1, scope))
            start = i + 1
        elif letter == "{":
            head = text[start:i]
            if parentheses == 0 and (scope := re.match(r"(?s).*?\b(?:inline\s+)?namespace\b\s*([\w:]*)\s*$", head)):
                open_scope([one for one in scope[1].split("::") if one])
                start = i + 1
            elif parentheses == 0 and (scope := CLASS.search(head)) and not re.search(r"\benum\s", head):
                open_scope([one for one in scope[1].split("::") if one])
                start = i + 1
            elif parentheses == 0 and re.match(r'\s*extern\s+""\s*$', head):
                open_scope([])
                start = i + 1
            else:
                end = closing(text, i)
                assigned = "=" in re.sub(r"operator\s*[=<>!]+|\([^()]*\)|[<>=!]=", "", without_parentheses(head))
                found = head_of(head) if parentheses == 0 and not assigned else None
                continues = MEMBER.search(head) and re.search(r"\)[^{}]*?[^:]:[^:]", head) or REQUIRES.search(head)
                if continues or parentheses:
                    i = end  # a member initialized by braces, or a requirement: the head continues
                elif found:
                    scopes, name, parameters = found
                    around = tuple(one for part in stack for one in part)
                    begin = re.search(r"\)[^{}]*?[^:]:[^:]", head)
                    line = text.count("\n", 0, start + len(head) - len(head.lstrip())) + 1
                    result.append(Definition(around + scopes, name, parameters, file, line,
                                             (head[begin.start():] if begin else "") + text[i:end + 1]))
                    i, start = end, end + 1
                else:
                    i = end
                    if not re.match(r"\s*[,;)]", text[end + 1:end + 40]):
                        start = end + 1
        i += 1
    return result


def without_parentheses(text):
    while (less := re.sub(r"\([^()]*\)", "", text)) != text:
        text = less
    return re.sub(r"template\s*<[^{};]*?>(?=\s)", "", text)


def closing(text, at):
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return i
    return len(text) - 1


class Throws:
    """What the functions of a source tree throw."""

    def __init__(self, root):
        self.bases, self.all, self.places = {}, [], {}
        for pattern in SOURCES:
            for path in sorted(root.glob(pattern)):
                text = path.read_text(errors="replace")
                for name, base in re.findall(r"^\s*struct (\w+Error) : (?:public )?(?:\w+::)*(\w*Error)\b", text, re.M):
                    self.bases[name] = base
                file = str(path.relative_to(root))
                self.all += definitions(file, text, self.places.setdefault(file, []))
        self.known = {"Error", *self.bases}
        self.by_name = collections.defaultdict(list)
        for one in self.all:
            self.by_name[one.name].append(one)
            one.throws = set(self._thrown(one.body))
        for _ in range(DEPTH):
            more = [(one, self._of_helpers(one)) for one in self.all]
            for one, kinds in more:
                one.throws = one.throws | kinds

    def scope_at(self, file, line):
        """The namespaces and classes around a line."""
        return max((place for place in self.places.get(file, []) if place[0] <= line <= place[1]), default=(0, 0, ()), key=lambda p: (p[0], -p[1]))[2]

    def of(self, file, line, name, parameters):
        """The definition of a function that is declared at a line: itself, or elsewhere by its class, name and parameters."""
        scope = self.scope_at(file, line)
        owner = scope[-1] if scope else ""
        same = [one for one in self.by_name.get(name, []) if one.owner == owner and one.scope[:1] == scope[:1]]
        if here := [one for one in same if one.file == file and abs(one.line - line) <= 4 and len(one.parameters) == len(parameters)]:
            return [min(here, key=lambda one: abs(one.line - line))]
        types = tuple(map(bare_type, parameters))
        elsewhere = [one for one in same if one.file != file or owner[:1].isupper()]
        return ([one for one in elsewhere if one.parameters == types] or [one for one in elsewhere if len(one.parameters) == len(types)])[:1]

    def covers(self, documented, thrown):
        """Whether `@throws` of one type is enough for another one."""
        while thrown:
            if thrown == documented:
                return True
            thrown = self.bases.get(thrown)
        return False

    def _thrown(self, body):
        for found in THROW.finditer(body):
            parts = found[1].split("::")
            name = next((part for part in parts if part.endswith("Error")), parts[-1])
            if name in self.known:
                yield name

    @staticmethod
    def _nearest(one, written, candidates):
        """Those functions of a name that a call means: of the scope that it writes, else of its class, file or header."""
        def stem(file):
            return re.sub(r"(?:/impl)?/(\w+)\.\w+$", r"/\1", file)
        space = tuple(part for part in one.scope if part[:1].islower())
        tests = [lambda c: c.scope == (*space, written), lambda c: c.owner == written] if written else [
            lambda c: c.owner == one.owner and one.owner[:1].isupper()]
        for near in [*tests, lambda c: c.file == one.file, lambda c: stem(c.file) == stem(one.file)]:
            if close := [c for c in candidates if near(c)]:
                return close
        return candidates

    def _of_helpers(self, one):
        kinds = set()
        for found in CALL.finditer(one.body):
            name = found[2] or found[4]
            if name == one.name and not found[1]:
                continue
            candidates = self.by_name.get(name, [])
            if not HELPER.match(name):  # another function: only a free one of the library's own
                if found[4] or found[1] not in (None, "", "detail::", "sigma::detail::"):
                    continue
                if len({c.scope for c in candidates}) != 1 or candidates[0].owner[:1].isupper():
                    continue
            nearest = self._nearest(one, found[1].rstrip(":").split("::")[-1] if found[1] else "", candidates)
            if len({(c.scope, c.file) for c in nearest}) > 1 and nearest is candidates:
                continue
            for c in nearest:
                kinds |= c.throws - {"MemoryError"}  # whatever allocates throws it
        if "throw;" not in one.body and (caught := re.findall(r"\bcatch\s*\(\s*(?:const )?(?:std::|sigma::)?(\w+|\.\.\.)", one.body)):
            kinds = {kind for kind in kinds if not any(by in ("...", "exception") or self.covers(by, kind) for by in caught)}
        return kinds
