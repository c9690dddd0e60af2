# SPDX-License-Identifier: BSL-1.0
"""Runs Doxygen on the public headers and reads its XML into plain objects.

`reference.py` makes the pages of the reference from them, `tests/docs/documented.py` counts what they lack. Doxygen reads
sigma::detail too, since public classes have members of bases there; only public names come out of `read`.
"""
import dataclasses
import pathlib
import re
import shutil
import subprocess
import xml.etree.ElementTree as tree

DOXYFILE = """
PROJECT_NAME = Sigma
INPUT = include/sigma cuda/sigma/gpu.hpp cuda/sigma/gpus.hpp cuda/sigma/device/gpu/backend.hpp cuda/sigma/device/gpu/cuda/cuda_backend.hpp
RECURSIVE = YES
FILE_PATTERNS = *.hpp *.h
EXCLUDE_PATTERNS = */impl/* */plan/* */device/cpu/*
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
EXTRACT_ALL = YES
EXTRACT_STATIC = YES
JAVADOC_AUTOBRIEF = NO
MARKDOWN_SUPPORT = YES
AUTOLINK_SUPPORT = NO
MACRO_EXPANSION = YES
INCLUDE_PATH = include cuda
PREDEFINED = SIGMA_COMPILED __cpp_exceptions __cpp_rtti __clang__
SORT_MEMBER_DOCS = NO
QUIET = YES
WARNINGS = NO
WARN_IF_DOC_ERROR = NO
"""
# Namespaces of users, and inline ones inside them, whose names are written without them.
SPACES = {"sigma", "sigma::data", "sigma::losses", "sigma::monitor", "sigma::storage", "sigma::terminal"}
INLINE = re.compile(r"::(?:hook_words|network_words|section_words)\b|\bon_(?:cpu|gpu::cuda)::")
# Bases whose public members are members of the public class, beside those of sigma::detail.
HIDDEN = re.compile(r"\b(?:detail|without_arithmetic|on_cpu|on_gpu|takes|debugging)::")
# Classes without a public name that users hold or write in braces: the namespace of their page, and their own.
ADOPTED = {("sigma", "sigma::detail::Convolution"), ("sigma", "sigma::detail::Pooling"), ("sigma", "sigma::detail::Log"),
           ("sigma", "sigma::detail::Workspace"),
           ("sigma::debugging", "sigma::debugging::NonFiniteOrigin")}
# Members of a hidden base that users call although the class has no `using` for them, since that would shadow parameters.
ADOPTED_MEMBERS = {"sigma::Model": ("sigma::detail::ModelStore", {"parameter_memory", "seed", "streams", "threads", "to"})}
# Parts of compile-time mistakes: names in a compiler's output, never written by users.
MISTAKE = re.compile(r"(?:error|write|use|include)_\w+$|\w+_(?:given|wanted|is|are)$|with_sizes|options_are$")


class MissingDoxygen(Exception):
    pass


@dataclasses.dataclass
class Parameter:
    type: str
    name: str
    default: str = ""
    text: str = ""


@dataclasses.dataclass
class Item:
    """A public name: a class, a function, a constructor, a variable, an enum, an enumerator, an alias or a concept."""
    kind: str
    name: str
    scope: str
    id: str
    file: str
    line: int
    type: str = ""
    suffix: str = ""           # const, -> type
    value: str = ""            # initializer
    parameters: list = dataclasses.field(default_factory=list)
    templates: list = dataclasses.field(default_factory=list)
    text: tree.Element = None  # brief and detailed description, one after the other
    members: list = dataclasses.field(default_factory=list)
    bases: list = dataclasses.field(default_factory=list)
    static: bool = False
    explicit: bool = False
    own: bool = True           # declared in the class itself, not in a hidden base
    constructor: bool = False

    @property
    def path(self):
        return f"{self.scope}::{self.name}" if self.scope else self.name

    @property
    def documented(self):
        return bool(self.text is not None and plain(self.text).strip())


def plain(element):
    return "".join(element.itertext()) if element is not None else ""


def run(root, out):
    """Runs Doxygen on the headers of ROOT, and returns the folder of its XML. Fails with MissingDoxygen if it is not there."""
    if not shutil.which("doxygen"):
        raise MissingDoxygen("doxygen is not installed: scripts/install-dependencies.sh site")
    out = pathlib.Path(out)
    shutil.rmtree(out / "xml", ignore_errors=True)
    out.mkdir(parents=True, exist_ok=True)
    settings = DOXYFILE + f'OUTPUT_DIRECTORY = "{out}"\n'
    ran = subprocess.run(["doxygen", "-"], input=settings, text=True, cwd=root, capture_output=True)
    if ran.returncode:
        raise RuntimeError(f"doxygen failed:\n{ran.stderr}")
    return out / "xml"


def parsed(path):
    """Reads one XML file. Doxygen 1.9.4 leaves quotes bare in the ids of `Called<Text("…")>`: they are escaped first."""
    text = path.read_text(encoding="utf-8", errors="replace")
    text = re.sub(r'\b(refid|id)="([^\s<>]*?)"(?= (?:kind|prot|virt|static|local)=|>|/>)',
                  lambda found: f'{found[1]}="{found[2].replace(chr(34), "&quot;")}"', text)
    return tree.fromstring(text)


def tidy(text):
    """A type or an expression as the project's own format writes it, without names that users never write."""
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"\[\[[^\]]*\]\]|\b(?:constexpr|inline|static|virtual|friend|typename|explicit|mutable)\b ?", "", text)
    text = re.sub(r"\bstd::type_identity_t< *(\w+) *>", r"\1", text)
    text = INLINE.sub("", text)
    text = re.sub(r"\b(?:sigma::)?(?:\w+::)*?(?:detail|without_arithmetic)::", "", text)
    text = re.sub(r"\bsigma::(?!sigma)", "", text)
    text = re.sub(r"< ", "<", text)
    text = re.sub(r" ?(?<!operator)(?<![=-])>(?!=)", ">", text) if "operator" not in text else text
    text = re.sub(r" (&&?|\*)(?=[\w\s,)>.]|$)", r"\1 ", text).replace("& &", "&&")
    text = re.sub(r"([&*]) +(?=[,)>&*.]|$)", r"\1", text)
    text = re.sub(r"\s+", " ", text)
    return text.strip()


def read_member(element, scope):
    where = element.find("location")
    item = Item(element.get("kind"), element.findtext("name") or "", scope, element.get("id"),
                where.get("file") if where is not None else "", int(where.get("line")) if where is not None else 0)
    item.static = element.get("static") == "yes"
    item.explicit = element.get("explicit") == "yes"
    item.type = plain(element.find("type"))
    arguments = element.findtext("argsstring") or ""
    close = arguments.rfind(")")
    item.suffix = arguments[close + 1:].strip() if close >= 0 else ""
    if "->" in arguments and item.kind == "function":  # the last parenthesis may belong to the trailing return type
        depth = 0
        for at, letter in enumerate(arguments):
            depth += (letter == "(") - (letter == ")")
            if depth == 0:
                item.suffix = arguments[at + 1:].strip()
                break
    item.value = re.sub(r"^=\s*", "", plain(element.find("initializer")))
    item.templates = read_templates(element)
    for p in element.findall("param"):
        name = p.findtext("declname") or p.findtext("defname") or ""
        item.parameters.append(Parameter(plain(p.find("type")), name + (p.findtext("array") or ""), plain(p.find("defval"))))
    item.text = description(element)
    for value in element.findall("enumvalue"):
        item.members.append(Item("enumvalue", value.findtext("name"), item.path, value.get("id"), item.file, item.line,
                                 value=re.sub(r"^=\s*", "", plain(value.find("initializer"))), text=description(value)))
    return item


def read_templates(element):
    return [Parameter(plain(p.find("type")), p.findtext("declname") or "", plain(p.find("defval")))
            for p in element.findall("templateparamlist/param")]


def description(element):
    both = tree.Element("description")
    for name in ("briefdescription", "detaileddescription"):
        part = element.find(name)
        if part is not None:
            both.extend(list(part))
    return both


def rejects(item):
    """Whether it is there only to be rejected: a deleted function, or one that returns a compile-time mistake."""
    everything = " ".join([item.type, item.suffix, *(p.type for p in item.parameters)])
    return bool("delete" in item.suffix or re.search(r"\berror_|Mistake(?:Of|If)?\b *<|\bplainly\b|Rejected|NotIncluded|__VA_", everything)
                or item.type.strip() in ("Mistake", "constexpr Mistake")
                or any(re.search(r"error_|NotIncluded", p.type + p.default) for p in item.templates))


class Library:
    """All public names. `items` has those of namespaces; classes have their members."""

    def __init__(self, folder, root):
        self.folder, self.root = pathlib.Path(folder), pathlib.Path(root)
        self.items, self.by_id, self.compounds = [], {}, {}
        self.messages = set()  # names that only stand in messages of compilers
        self._lines, self._places = {}, set()
        index = parsed(self.folder / "index.xml")
        for compound in index:
            name, kind = compound.findtext("name"), compound.get("kind")
            if kind in ("struct", "class", "concept", "namespace", "union"):
                self.compounds[compound.get("refid")] = (name, kind)
        self._read = {}
        self._by_name = {name: refid for refid, (name, kind) in self.compounds.items()}
        for refid, (name, kind) in sorted(self.compounds.items(), key=lambda entry: entry[1]):
            bare = INLINE.sub("", name)
            if kind == "namespace":
                if bare in SPACES:
                    self._namespace(refid, bare)
            elif "<" not in name and bare.rpartition("::")[0] in SPACES and "on_gpu::cuda::" not in name:
                self._compound(refid, bare, kind)
        for space, name in sorted({(space, f"{space}::detail::{name}") for space, name in self._adopted()} | ADOPTED):
            if refid := self._by_name.get(name):
                self._compound(refid, f"{space}::{name.split('::')[-1]}", "class" if refid.startswith("class") else "struct")
        self._named_classes()
        for path, (base, names) in ADOPTED_MEMBERS.items():
            item, refid = next((item for item in self.items if item.path == path), None), self._by_name.get(base)
            if item and refid:
                found = Item("class", item.name, item.scope, refid, item.file, item.line)
                self._members(found, self._xml(refid), {refid}, own=False)
                item.members += [member for member in found.members if member.name in names]

    def lines(self, file):
        """The lines of a header."""
        if file not in self._lines:
            self._lines[file] = (self.root / file).read_text().split("\n")
        return self._lines[file]

    def _deprecated(self, item):
        lines = self.lines(item.file)
        return any("[[deprecated" in line for line in lines[max(0, item.line - 2):item.line]
                   if not line.rstrip().endswith(";") or line is lines[item.line - 1])

    def _named_classes(self):
        """Puts the class in place of an alias that is its only public name: `using Sigma = detail::Environment;`."""
        for number, alias in enumerate(self.items):
            name = re.fullmatch(r"(?:sigma::)?((?:\w+::)*detail::\w+)", alias.type.strip()) if alias.kind == "typedef" else None
            refid = name and (self._by_name.get(f"sigma::{name[1]}") or self._by_name.get(f"{alias.scope}::{name[1]}"))
            if not refid:
                continue
            before = len(self.items)
            self._compound(refid, f"{alias.scope}::{alias.name}", "class" if refid.startswith("class") else "struct")
            for item in self.items[before:]:
                for member in item.members:
                    member.name = alias.name if member.constructor else member.name
                item.text = item.text if item.documented else alias.text
                self.items[number] = item
            del self.items[before:]

    def _adopted(self):
        """Classes of sigma::detail that a header gives to users: `using detail::LiveValue;`, and structs of options."""
        found = set()
        listed = set((self.root / "tests/names/names.txt").read_text().split())
        for header in sorted(self.root.glob("include/sigma/**/*.hpp")):
            if "impl" not in header.parts:
                for name in re.findall(r"^using (?:sigma::)?detail::(\w+);", header.read_text(), re.MULTILINE):
                    found |= {("sigma", name)} if name in listed else set()
        for item in self.items:
            for one in [item, *item.members]:
                for p in one.parameters:
                    options = re.fullmatch(r"(?:const )?(?:sigma::)?((?:\w+::)*)detail::(\w*(?:Options|Plateau|How))(?: ?&)?", p.type.strip())
                    if options and p.default:
                        found.add((f"sigma::{options[1]}".rstrip(":"), options[2]))
        return found

    def _xml(self, refid):
        if refid not in self._read:
            path = self.folder / f"{refid}.xml"
            self._read[refid] = parsed(path).find("compounddef") if path.exists() else None
        return self._read[refid]

    def _namespace(self, refid, name):
        definition = self._xml(refid)
        for member in definition.iter("memberdef"):
            item = read_member(member, name)
            if item.kind == "function" and (rejects(item) or item.name.startswith("error_") or item.type == "" and "->" in item.suffix) or (
                    item.kind in ("variable", "typedef") and re.search(r"\b(?:Given::Label|Fault)\b|\berror_", item.type)):
                self.messages.add(item.name)
                continue
            if self._deprecated(item):
                self.messages.add(item.name)
                continue
            if MISTAKE.match(item.name) and item.kind in ("variable", "typedef") and not item.documented:
                continue
            if item.kind == "function" and len(item.parameters) == 1 and not item.parameters[0].name and re.fullmatch(
                    r"detail::\w+Word", item.parameters[0].type):  # `jointly`, which is a function only to be no constant
                item.kind, item.type, item.parameters = "variable", "auto", []
            if item.kind in ("function", "variable", "enum", "typedef") and not re.search(r"::|\w *<", item.name):
                self._add(item)

    def _compound(self, refid, name, kind):
        definition = self._xml(refid)
        scope, _, short = name.rpartition("::")
        if definition is None or short.startswith(("error_", "write_", "use_", "include_")):
            return
        where = definition.find("location")
        item = Item("concept" if kind == "concept" else "class", short, scope, refid, where.get("file"), int(where.get("line")),
                    type=kind, value=plain(definition.find("initializer")))
        item.text = description(definition)
        item.templates = read_templates(definition)
        if kind != "concept":
            self._members(item, definition, set())
            if not item.members and not item.documented and definition.find("location").get("bodyfile") is None:
                return  # declared here and not defined: a tag
        self._add(item)

    def _members(self, item, definition, seen, own=True):
        """Adds the public members, those of hidden bases too; names public bases."""
        taken = {(m.name, tuple(p.type for p in m.parameters)) for m in item.members}
        names = {m.name for m in item.members} if not own else set()
        class_name = definition.findtext("compoundname").split("<")[0].split("::")[-1].strip()
        bases = {(base.text or "").split("<")[0].split("::")[-1].strip() for base in definition.findall("basecompoundref")}
        inherits = not own and self._inherits_constructors(item, class_name)
        for section in definition.findall("sectiondef"):
            for element in section.findall("memberdef"):
                if element.get("prot") != "public" or element.get("kind") not in ("function", "variable", "enum", "typedef", "friend"):
                    continue
                member = read_member(element, item.path)
                if member.kind == "friend":
                    if "(" not in (element.findtext("argsstring") or "") or not member.documented:
                        continue
                    member.kind = "function"
                if member.name in bases and member.name != class_name or member.name == "explicit":  # `using Base::Base;`, `explicit(…)`
                    continue
                member.own = own
                member.constructor = member.name == class_name
                if member.name.startswith(("~", "@")) or member.kind == "function" and rejects(member):
                    continue
                if not own and member.constructor and inherits:
                    member.name = item.name
                elif not own and (member.constructor or member.name in names or member.name.startswith("operator")):
                    continue
                if (member.name, tuple(p.type for p in member.parameters)) in taken:
                    continue
                if member.constructor and is_copy(member, class_name) or member.name == "operator=":
                    continue
                alias = re.fullmatch(r"(?:sigma::)?(detail::\w+)", member.type.strip()) if member.kind == "typedef" and own else None
                if alias and (refid := self._by_name.get(f"sigma::{alias[1]}")):  # `using CostScore = detail::CostScore;`
                    self._inner(item, refid)
                    continue
                item.members.append(member)
                self.by_id[member.id] = member
                for value in member.members:
                    self.by_id.setdefault(value.id, value)
        for one, next_one in zip(item.members, item.members[1:]):  # `int first, second;  ///< Both.`
            if one.kind == next_one.kind == "variable" and (one.file, one.line) == (next_one.file, next_one.line) and not one.documented:
                one.text = next_one.text
        for inner in definition.findall("innerclass") if own else []:
            if inner.get("prot") == "public" and "<" not in plain(inner):
                self._inner(item, inner.get("refid"))
        for base in definition.findall("basecompoundref"):
            name = INLINE.sub("", base.text or "")
            if base.get("prot") != "public":
                continue
            refid = base.get("refid") or self._by_name.get(name.split("<")[0].strip()) or self._by_name.get(
                "sigma::" + name.split("<")[0].strip())
            if HIDDEN.search(name):
                if refid and refid not in seen and self._xml(refid) is not None:
                    seen.add(refid)
                    before = len(item.members)
                    self._members(item, self._xml(refid), seen, own=False)
                    substitute(item.members[before:], self._xml(refid), name)
            elif not own:  # the public base of a hidden base
                item.bases += [name] if name not in item.bases and "<" not in name else []
            else:
                item.bases.append(name)
                if refid and self._xml(refid) is not None and self._inherits_constructors(item, name.split("<")[0].split("::")[-1].strip()):
                    base = Item("class", item.name, item.scope, refid, item.file, item.line)
                    self._members(base, self._xml(refid), {refid}, own=True)
                    for member in base.members:
                        if member.constructor:
                            member.name = item.name
                            item.members.append(member)

    def _inner(self, item, refid):
        """Adds a public class inside a class, unless it is only declared or a compile-time mistake."""
        definition = self._xml(refid)
        name = plain(definition.find("compoundname")).split("::")[-1] if definition is not None else "error_"
        where = None if MISTAKE.match(name) else definition.find("location")
        if where is None or where.get("bodyfile") is None or where.get("file", "").find("/impl/") >= 0:
            return
        inner = Item("class", name, item.path, refid, where.get("file"), int(where.get("line")), type=definition.get("kind"))
        inner.text = description(definition)
        inner.templates = read_templates(definition)
        self._members(inner, definition, set())
        if inner.members and (inner.documented or any(m.documented for m in inner.members)):
            item.members.append(inner)
            self.by_id[inner.id] = inner

    def _inherits_constructors(self, item, base):
        """Whether a class has `using Base::Base;`."""
        depth = 0
        for line in self.lines(item.file)[item.line - 1:]:
            if re.search(rf"\busing [^;]*\b{re.escape(base)}(?:<[^;]*>)?::{re.escape(base)};", line):
                return True
            depth += line.count("{") - line.count("}")
            if depth <= 0 and ("}" in line or line.rstrip().endswith(";")):
                return False
        return False

    def _add(self, item):
        place = (item.kind, item.path, item.file, item.line, tuple(p.type for p in item.parameters))
        if place in self._places:  # Doxygen has members of inline namespaces twice
            return
        self._places.add(place)
        self.items.append(item)
        self.by_id[item.id] = item
        for member in item.members:
            self.by_id.setdefault(member.id, member)


def substitute(members, base, written):
    """Gives members of a base template the arguments that the class passes to it, for names of its parameters."""
    names = [re.sub(r"^.*?(\w+)$", r"\1", (plain(p.find("declname")) or plain(p.find("type"))).strip())
             for p in base.findall("templateparamlist/param")]
    arguments, depth, part = [], 0, ""
    for letter in written.partition("<")[2].rpartition(">")[0]:
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            arguments.append(part.strip())
            part = ""
        else:
            part += letter
    arguments.append(part.strip())
    given = {name: argument for name, argument in zip(names, arguments) if argument and name != argument}
    if not given:
        return
    pattern = re.compile(r"\b(" + "|".join(map(re.escape, given)) + r")\b")
    for member in members:
        for one in [member, *member.parameters]:
            one.type = pattern.sub(lambda found: given[found[0]], one.type)


def is_copy(item, name):
    """Whether it is a copy or move constructor, of which nothing need be said."""
    return len(item.parameters) == 1 and not item.parameters[0].default and re.fullmatch(
        rf"(?:const )?(?:\w+::)*{re.escape(name)}(?: ?<[^>]*>)? ?&&?", item.parameters[0].type.strip()) is not None


def read(root, out):
    return Library(run(root, out), root)
