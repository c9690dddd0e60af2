#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes the reference: one Markdown page for each family of public names, from the comments of the public headers.

    reference.py [ROOT] [--out FOLDER]     writes the pages to FOLDER, build/site/docs/reference if none is given
    reference.py [ROOT] --check            checks that each name of tests/names/names.txt stands on a page, that no declaration
                                           shows a name of the library's own, and that anchors are unique; writes nothing

Doxygen reads the headers; documentation/doxygen.py reads its XML; documentation/families.txt has the pages.
"""
import argparse
import collections
import dataclasses
import fnmatch
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "documentation"))
import doxygen  # noqa: E402
from doxygen import tidy  # noqa: E402
from markdown import (Converter, Description, bare_default, bare_type, cell, declared_parameter, default_cell, escaped, kept_templates,  # noqa: E402
                      one_line, operator_name, phrase_of, result_type, sentence_end, shown_parameters, signature, strip_name, template_name,
                      variable_type, without_arguments)


# Members for the library, which no user reads.
MECHANISM = {"kind", "name", "in_background", "in_worker", "needs", "each_size", "forward", "text", "archive"}
# Types of sigma::detail that stand for anything on a page.
PAGES_OF_TYPES = {"Activation": "activations.md", "Initializer": "initializers.md"}
# Words of the language in declarations.
WORDS = set("auto bool char class concept const constexpr double enum explicit false float inline int long nullptr operator short signed sizeof "
            "static struct template this true typename unsigned using void decltype infinity NaN stdout stderr".split())


@dataclasses.dataclass
class Family:
    page: str
    title: str
    text: list = dataclasses.field(default_factory=list)
    table: str = ""
    files: list = dataclasses.field(default_factory=list)
    names: list = dataclasses.field(default_factory=list)
    first: list = dataclasses.field(default_factory=list)
    more: dict = dataclasses.field(default_factory=dict)
    members: dict = dataclasses.field(default_factory=dict)
    backgrounds: dict = dataclasses.field(default_factory=dict)
    entries: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Entry:
    """All declarations of one name in one namespace: a class, or the overloads of a function."""
    name: str
    scope: str
    items: list
    anchor: str = ""
    page: str = ""

    @property
    def kind(self):
        return self.items[0].kind

    @property
    def short(self):
        """The name with the namespaces inside sigma."""
        inner = re.sub(r"^sigma(?:::)?", "", self.scope)
        return f"{inner}::{self.name}" if inner else self.name


def read_families(path):
    """The families, and the names that need no page."""
    families, apart = [], set()
    for line in path.read_text().split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        if begin := re.fullmatch(r"\[([\w-]+)\] (.*)", line):
            families.append(Family(*begin.groups()))
            continue
        word, _, rest = line.partition(" ")
        if word == "internal":
            apart |= set(rest.split())
            continue
        family = families[-1]
        if word == "text":
            family.text.append(rest)
        elif word == "table":
            family.table = rest
        elif word in ("more", "members", "backgrounds"):
            getattr(family, word).update(part.split("=") for part in rest.split())
        elif word in ("files", "names", "first"):
            getattr(family, word).extend(rest.split())
        else:
            raise SystemExit(f"{path}: unknown line: {line}")
    return families, apart


def below(file):
    return re.sub(r"^(?:include|cuda)/sigma/", "", file)


def read_elementwise(path):
    """Descriptions of functions that macros declare, which no comment of a header can reach, by names and numbers of parameters."""
    sentences, parameters, returns = {}, {}, {}
    for line in path.read_text().split("\n"):
        if not line.strip() or line.startswith("#"):
            continue
        name, *texts = [part.strip() for part in line.split(" | ")]
        word, _, rest = name.partition(" ")
        if word == "parameter":
            parameters[rest] = texts[0]
        elif word == "returns":
            returns[int(rest)] = texts[0]
        else:
            sentences[name] = texts[0]
    found = {}
    for name, text in sentences.items():
        for count, result in returns.items():
            own = {key.split(" of ")[0]: value for key, value in parameters.items() if key.endswith(f" of {count}")}
            found[name, count] = Description(summary=text, parameters=parameters | own, returns=result)
    return found


def assign(library, families):
    """Gives each public name to the first family that lists it, else to the first whose files have it."""
    grouped = collections.defaultdict(list)
    for item in library.items:
        if item.file.endswith(("data/names.hpp", "words_of_other_headers.hpp")) or internal(item):
            continue
        kind = {"typedef": "class", "variable": "function"}.get(item.kind, item.kind)  # `schedule` is both, and one entry
        grouped[(item.scope, item.name, kind)].append(item)
    lost = []
    for (scope, name, kind), items in sorted(grouped.items(), key=lambda entry: (entry[0][1].lower(), entry[0][1])):
        entry = Entry(name, scope, items)
        if kind == "function":  # overloads of other headers stand where these do
            parts = collections.defaultdict(list)
            for item in items:
                family = family_of(families, entry.short, item.file, kind)
                parts[family.page if family else None].append(item)
        else:
            family = family_of(families, entry.short, items[0].file, kind)
            parts = {family.page if family else None: items}
        for page, part in parts.items():
            if page is None:
                lost += part
            else:
                family = next(f for f in families if f.page == page)
                family.entries.append(Entry(name, scope, sorted(part, key=written_first), page=page))
    return lost


def written_first(item):
    """The order of overloads: that of the headers, but hyperparameters of networks after numbers of the trainer."""
    return any("NamedHyperparameters" in p.type for p in item.parameters), item.file, item.line


def family_of(families, short, file, kind):
    path = below(file)
    by_name = [f for f in families if any(pattern == short or "*" in pattern and fnmatch.fnmatchcase(short, pattern) for pattern in f.names)]
    by_file = [f for f in families if path in f.files] or [
        f for f in families if any(fnmatch.fnmatchcase(path, pattern) for pattern in f.files)]
    if len(by_name) > 1 and kind == "function":  # hooks and functions share names: the one that has the header
        both = [f for f in by_name if f in by_file]
        by_name = both or by_name
    if by_name and kind == "function" and by_file and by_name[0] is not by_file[0]:
        listed_elsewhere = by_file[0] in by_name or short in by_file[0].first
        if listed_elsewhere:
            return by_file[0]
    return (by_name or by_file or [None])[0]


def internal(item):
    """Whether a name only stands in messages of compilers, or in the library's own text."""
    return item.kind in ("class", "typedef", "variable") and not item.documented and doxygen.MISTAKE.match(item.name) is not None


class Reference:
    def __init__(self, root, library):
        self.root, self.library = root, library
        self.families, self.apart = read_families(HERE / "documentation/families.txt")
        self.elementwise = read_elementwise(HERE / "documentation/elementwise.txt")
        self.lost = assign(library, self.families)
        self.targets = collections.defaultdict(list)
        for family in self.families:
            taken = set()
            for entry in family.entries:
                anchor = anchor_of(entry.name)
                while anchor in taken:
                    anchor += "-" + (entry.scope.split("::")[-1] if not anchor.endswith(entry.scope.split("::")[-1]) else entry.kind)
                taken.add(anchor)
                entry.anchor = anchor
                for name in {entry.name, entry.short}:
                    self.targets[name].append(entry)
                for item in entry.items:
                    if item.kind == "class":
                        for member in item.members:
                            self.targets[f"{entry.short}::{member.name}"].append(entry)
                            for inner in member.members if member.kind == "class" else []:
                                self.targets[f"{entry.short}::{member.name}::{inner.name}"].append(entry)
        self.name_options()
        self.common = {strip_name(name) for item in library.items for one in [item, *item.members]
                       for name in ([one.name] if one.kind == "variable" and one is not item else []) + [p.name for p in one.parameters]} | {"update"}
        self.primary = {(family.page, name) for family in self.families for name in family.first}
        self.homes = {}  # of a member that several classes have from a hidden base: (page, anchor) of the first
        for family in self.families:
            for entry in self.ordered(family):
                for item in entry.items:
                    for member in item.members if item.kind == "class" else []:
                        if not member.own and member.kind == "function" and not member.constructor and member.documented:
                            self.homes.setdefault((member.file, member.line, member.name), (family.page, self.member_anchor(entry, member.name)))
        self.page = ""
        self.entry = None
        self.inside = []  # the class whose members are written, and the class around it
        self.printed = {}  # (page, code, file, line): what `unlinked` finds in it
        self.converter = Converter(self.link, root / "docs")
        self.described = {}
        self.sources = set()

    def name_options(self):
        """Writes `SoftmaxOptions` for the parameter and member `Options` of losses, which is an alias in them or in their base."""
        for item in self.library.items:
            alias = next((tidy(m.type) for m in item.members if m.kind == "typedef" and m.name == "Options"), "")
            base = next((found for found in (re.search(r"\bElementLoss ?<(.*)>", base) for base in item.bases) if found), None)
            if base:  # ElementLoss<Mine, Reduction::over_elements, MineOptions>
                _, standard, *own = [part.strip() for part in base[1].split(",")]
                alias = own[0] if own else f"ReductionOptions<{standard}>"
            if re.match(r"\w+Options\b", alias):
                for one in [m for member in item.members for m in [member, *member.parameters] if m.type.strip() == "Options"]:
                    one.type = alias

    @staticmethod
    def member_anchor(entry, name):
        return f"{entry.anchor}.{anchor_of(name)}"

    @staticmethod
    def ordered(family):
        order = {name: number for number, name in enumerate(family.first)}
        return sorted(family.entries, key=lambda e: (order.get(e.name, len(order)), e.name.startswith("operator"), e.name.lower(), e.name))

    # ---- links ----

    def link(self, name, text, sure=False):
        found = self.targets.get(name) or []
        if name in PAGES_OF_TYPES and not found:
            return f"[{text}]({PAGES_OF_TYPES[name]})"
        if "::" not in name and name[:1].islower() and not any(e.page == self.page for e in found):
            # a plain word in code may be a parameter or a member
            found = [] if name in self.common and "(" not in text and not sure else [e for e in found if e.scope == "sigma"]
        if not found:
            return None
        best = next((e for e in found if e.page == self.page), None) or (
            next((e for e in found if (e.page, e.name) in self.primary), None) or next((e for e in found if e.kind == "class"), found[0]))
        inner = next((m for item in best.items for m in item.members if m.kind == "class" and name.endswith("::" + m.name)), None)
        if best is self.entry and not inner:
            return None
        anchor = self.member_anchor(best, inner.name) if inner else best.anchor
        return f"[{text}]({'' if best.page == self.page else best.page + '.md'}#{anchor})"

    def description(self, item):
        key = (self.page, item.id)
        if key not in self.described:
            description = self.converter.describe(item.text)
            if description.empty and item.kind == "function" and (made := self.elementwise.get((item.name, len(shown_parameters(item))))):
                first = sentence_end(made.summary)
                description = dataclasses.replace(made, summary=made.summary[:first], body=made.summary[first:].strip())
            self.described[key] = description
        return self.described[key]

    # ---- what stands in code ----

    def shown(self, code, item):
        """Code of a declaration, as it is; keeps what readers cannot look up in it."""
        key = (self.page, code, item.file, item.line)
        if key not in self.printed:
            self.printed[key] = self.unlinked(code, item)
        return code

    def declared(self, item, owner=None):
        """The declaration of a function."""
        return self.shown(signature(item, owner, lambda result: not self.unlinked(result, item)), item)

    def unlinked(self, code, item):
        """Names in a declaration that are neither of the language, nor declared with it, nor on a page."""
        known = set()
        for one in [item, *self.inside, *(self.entry.items if self.entry else [])]:
            written = [one.name, *(p.name for p in one.parameters)] + [m.name for m in one.members] + [
                value.name for m in one.members if m.kind == "enum" for value in m.members]
            for p in one.templates:
                written += [p.name, *re.findall(r"\w+$", p.type.strip() if not p.name else "")]
            known |= {name for whole in written for name in (re.sub(r"\[.*", "", whole), strip_name(re.sub(r"\[.*", "", whole)))}
        while (shorter := re.sub(r"<[^<>]*>(?=::)", "", code)) != code:
            code = shorter
        code = re.sub(r'"[^"]*"|\'[^\']*\'|//.*|\bstd::[\w:]+|\.\s*\w+|\b\d[\w.]*', " ", code)
        found = []
        for path in re.findall(r"(?:\w+::)*\w+", code):
            outer, _, name = path.rpartition("::")
            if outer and (outer.split("::")[-1] in known or self.targets.get(outer)):
                continue  # a member or an enumerator of what has a page
            if name not in WORDS and name not in known and name not in PAGES_OF_TYPES and not self.targets.get(path) and (
                    outer or not self.targets.get(name)):
                found.append(path)
        return found

    # ---- parts of pages ----

    def parameters(self, item, description):
        """The table of parameters, or nothing if none is described and the signature shows all."""
        shown = [p for p in shown_parameters(item) if p.name]
        if not shown or not (description.parameters or description.templates):
            return ""
        rows = []
        for name, text in description.templates.items():
            rows.append(f"| `{name}` | template |  | {cell(text)} |")
        for p in shown:
            name = strip_name(re.sub(r"\[.*\]$", "", p.name))
            default = default_cell(p.default, p.type, name)
            rows.append(f"| `{name}` | {self.type_cell(p.type, item)} | {default} | {cell(description.parameters.get(name, ''))} |")
        return "| Parameter | Type | Default | Meaning |\n|---|---|---|---|\n" + "\n".join(rows)

    def type_cell(self, type_, item):
        if phrase := phrase_of(type_):
            return re.sub(r"(?<!\{)\{([\w:]+)\}", lambda found: self.link(found[1], f"`{found[1]}`", True) or f"`{found[1].split('::')[-1]}`",
                          phrase).replace("{{", "{").replace("}}", "}")
        written = bare_type(type_)
        if re.search(r"conditional|enable_if|declval", written) or len(written) > 100:
            written = "auto"
        self.shown(written, item)
        shorter = without_arguments(written)
        name = re.fullmatch(r"(?:const )?((?:\w+::)*\w+)\s*[&*]*", shorter) or re.fullmatch(r"(?:const )?std::(?:vector|optional)<((?:\w+::)*\w+)>\s*&?", written)
        inner = name and self.inner_name(name[1])
        return (name and self.link(inner or name[1], f"`{cell(written)}`")) or f"`{cell(written)}`"

    def inner_name(self, name):
        """`Model::Score` for `Score` in Model, or for `Model::Score` anywhere; None for other names."""
        if self.entry and any(m.kind == "class" and m.name == name for one in self.inside for m in one.members):
            return f"{self.entry.short}::{name}"
        owner, _, short = name.rpartition("::")
        return name if any(m.kind == "class" and m.name == short for e in self.targets.get(owner, []) for item in e.items for m in item.members) else None

    def text(self, item, description, owner=None):
        """What follows a declaration."""
        out = [description.summary, description.body, self.parameters(item, description)]
        if description.returns:
            inner = self.inner_name(re.sub(r"^const | ?&$", "", without_arguments(result_type(item))))
            link = inner and self.link(inner, f"`{inner}`")
            out.append("**Returns** " + (f"{link}: " if link else "") + description.returns)
        if description.throws:
            lines = [f"- {self.link(name, f'`{name}`') or f'`{name}`'} {text}" for name, text in description.throws]
            out.append("**Throws**\n\n" + "\n".join(lines))
        for title, text in description.sections:
            if title.startswith("!"):
                out.append(f"!!! {title[1:]}\n\n    " + text.replace("\n", "\n    "))
            else:
                out.append(f"**{title}**\n\n{text}")
        if description.see:
            out.append("**See also** " + ", ".join(description.see))
        return "\n\n".join(part for part in out if part.strip())

    def place(self, item):
        self.sources.add(item.file)
        return f"[`<{re.sub(r'^(?:include|cuda)/', '', item.file)}>`](../source/{item.file}.html#L{item.line})"

    def overloads(self, items, owner=None):
        """Declarations with their texts; those without a text of their own stand with the one before."""
        groups = []
        for item in items:
            description = self.description(item)
            key = (description.summary, description.body)
            if groups and (description.empty or key == groups[-1][1]):
                groups[-1][0].append(item)
            elif description.empty:
                groups.append(([item], None, item, description))
            else:
                if len(groups) == 1 and groups[0][1] is None:  # the first declarations have none
                    groups[0] = (groups[0][0] + [item], key, item, description)
                    continue
                groups.append(([item], key, item, description))
        out = []
        for declared, _, item, description in groups:
            lines = list(dict.fromkeys(self.declared(one, owner) for one in declared))
            out.append("```cpp\n" + "\n".join(lines) + "\n```")
            if text := self.text(item, description, owner):
                out.append(text)
        return "\n\n".join(out)

    def members_table(self, variables):
        rows = []
        for item in variables:
            code = bare_default(item.value, item.type) if len(item.value) < 80 else ""
            if item.static and (self.unlinked(code, item) or strip_name(code) == item.name):  # computed from what only the library knows
                code = ""
            default = default_cell(item.value, item.type, item.name) if self.shown(code, item) else ""
            description = self.description(item)
            rows.append(f"| `{strip_name(item.name)}` | {self.type_cell(item.type, item)} | {default} | "
                        f"{cell(' '.join([description.summary, description.body]))} |")
        return "| Member | Type | Default | Meaning |\n|---|---|---|---|\n" + "\n".join(rows)

    def class_section(self, entry, item):
        self.inside = [item]
        try:
            return self.class_body(entry, item)
        finally:
            self.inside = []

    def class_body(self, entry, item):
        templates = kept_templates(item)
        arguments = {p.name or template_name(p.type) for p in item.templates}
        bases = [bare_type(b) for b in item.bases if not re.search(r"detail|std::", b) and b not in arguments]
        head = (f"template <{', '.join(templates)}>\n" if templates else "") + f"{item.type} {entry.short}" + (
            " : " + ", ".join(bases) if bases else "") + ";"
        out = [f"```cpp\n{self.shown(head, item)}\n```", self.text(item, self.description(item))]
        hidden = [m for m in item.members if not m.documented and (m.kind == "variable" or m.constructor) and
                  any(re.search(r"detail::(?!Integer|TensorFunction|Activation|Initializer|At\b|AnyFunction)", p.type) for p in [m, *m.parameters]) and
                  not is_helper(entry)]
        constructors = [m for m in item.members if m.constructor and m not in hidden]
        if constructors:
            out.append("**Constructors**\n\n" + self.overloads(constructors, entry.name))
        variables = [m for m in item.members if m.kind == "variable" and not m.static and m not in hidden]
        fixed = [m for m in item.members if m.kind == "variable" and m.static and m.documented and m.name not in MECHANISM]
        if variables:
            out.append("**Members**\n\n" + self.members_table(variables))
        if fixed:
            out.append("**Constants**\n\n" + self.members_table(fixed))
        for enum in (m for m in item.members if m.kind == "enum" and m.documented):
            out.append(f"**`{enum.name}`**\n\n" + self.enum_section(enum))
        for inner in (m for m in item.members if m.kind == "class"):
            out.append(self.inner_class(entry, item, inner))
        functions = collections.OrderedDict()
        for member in item.members:
            if member.kind == "function" and not member.constructor:
                functions.setdefault(member.name, []).append(member)
        bare, elsewhere = [], []
        for name, overloads in functions.items():
            homes = {self.homes.get((m.file, m.line, m.name)) for m in overloads} - {None}
            if homes and all(not m.own for m in overloads) and (self.page, self.member_anchor(entry, name)) not in homes:
                page, anchor = sorted(homes)[0]
                elsewhere.append(f"[`{name}`]({'' if page == self.page else page + '.md'}#{anchor})")
                continue
            if name in MECHANISM and not any(m.documented and m.own for m in overloads):
                continue
            if any(m.documented for m in overloads):
                out.append(f"### {escaped(entry.name)}::{escaped(operator_name(name))} {{ #{self.member_anchor(entry, name)} }}\n\n" +
                           self.overloads(overloads))
            else:
                bare += overloads
        if elsewhere:
            out.append("**Also has** " + ", ".join(elsewhere))
        if bare:
            lines = list(dict.fromkeys(self.declared(m) for m in bare))
            out.append("**More members**\n\n```cpp\n" + "\n".join(lines) + "\n```")
        return "\n\n".join(part for part in out if part.strip())

    def inner_class(self, entry, item, inner):
        """A public class inside a class: its text, its members, and the declarations of its functions."""
        self.inside = [inner, item]
        templates = kept_templates(inner)
        head = (f"template <{', '.join(templates)}>\n" if templates else "") + f"{inner.type} {item.name}::{inner.name};"
        out = [f'**`{inner.name}`**{{ #{self.member_anchor(entry, inner.name)} }}', f"```cpp\n{self.shown(head, inner)}\n```",
               self.text(inner, self.description(inner))]
        if variables := [m for m in inner.members if m.kind == "variable" and not m.static]:
            out.append(self.members_table(variables))
        constructors = [m for m in inner.members if m.constructor and (m.documented or m.parameters)]
        functions = [m for m in inner.members if m.kind == "function" and not m.constructor]
        if constructors:
            out.append(self.overloads(constructors, inner.name))
        for name in dict.fromkeys(m.name for m in functions):
            out.append(self.overloads([m for m in functions if m.name == name]))
        self.inside = [item]
        return "\n\n".join(part for part in out if part.strip())

    def enum_section(self, item):
        rows = [f"| `{value.name}` | {cell(' '.join([d.summary, d.body]))} |" for value in item.members
                for d in [self.description(value)]]
        return "\n\n".join(part for part in [self.text(item, self.description(item)),
                                              "| Value | Meaning |\n|---|---|\n" + "\n".join(rows)] if part)

    def calls(self, item):
        """What a constant is called with: `save` is an object that has `operator()`."""
        name = re.sub(r"<.*", "", bare_type(item.type)).strip()
        if item.templates:
            return []
        return [m for e in self.targets.get(name, []) if e.kind == "class" for m in e.items[0].members if m.name == "operator()"]

    def variable_section(self, entry, item):
        front = f"template <{', '.join(kept_templates(item))}>\n" if item.templates else ""
        shown = f" = {bare_type(item.value)}" if item.value and not re.match(r"\{|detail", item.value) and len(item.value) < 50 else ""
        type_ = variable_type(item)
        type_ = "auto" if self.unlinked(type_, item) or "decltype" in type_ else type_
        code = self.shown(f"{front}inline constexpr {type_} {entry.short}{shown};", item)
        out = [f"```cpp\n{code}\n```", self.text(item, self.description(item))]
        if calls := self.calls(item):
            out.append(self.overloads([dataclasses.replace(one, name=entry.name, suffix=re.sub(r"^const\b", "", one.suffix)) for one in calls]))
        return "\n\n".join(part for part in out if part.strip())

    def section(self, entry):
        self.entry = entry
        item = entry.items[0]
        if item.kind == "class":
            body = self.class_section(entry, item)
        elif item.kind == "enum":
            values = ", ".join(v.name for v in item.members)
            body = f"```cpp\nenum class {entry.short} {{ {values} }};\n```\n\n" + self.enum_section(item)
        elif any(one.kind == "variable" for one in entry.items):
            body = "\n\n".join(self.variable_section(entry, one) for one in entry.items if one.kind == "variable")
            functions = [one for one in entry.items if one.kind == "function"]
            if functions:
                body += "\n\n" + self.overloads(functions)
        elif item.kind == "typedef":
            shown = bare_type(item.type)
            hidden = len(shown) >= 80 or "decltype" in shown or "SharedOwner" in item.type or self.unlinked(shown, item)
            code = f"using {entry.short}" + ("" if hidden else f" = {shown}") + ";"
            body = (f"```cpp\n{code}\n```\n\n" +
                    self.text(item, self.description(item)))
        elif item.kind == "concept":
            body = f"```cpp\ntemplate <class T>\nconcept {entry.short};\n```\n\n" + self.text(item, self.description(item))
        else:
            body = self.overloads(entry.items)
        self.entry = None
        return (f"## {escaped(entry.short)} {{ #{entry.anchor} }}\n\n{body}\n\n"
                f'<p class="place" markdown>Declared in {self.place(item)}</p>')

    # ---- the table at the top of a page ----

    def summary(self, entry):
        for item in entry.items:
            if (description := self.description(item)).summary:
                return one_line(description.summary)
        return ""

    def calls_of(self, entry):
        """How it is written, in one line each: its first declaration, and the one with most parameters."""
        item = entry.items[0]
        if item.kind == "class":
            declared = [m for m in item.members if m.constructor]
            if not declared and entry.page in ("optimizers", "modifiers") and entry.name in {name for page, name in self.primary if page == entry.page}:
                own = [m for m in item.members if m.kind == "variable" and not m.static and m.value and m.name == "learning_rate"]
                return [f"{entry.short}{{.{m.name} = {bare_default(m.value)}}}" for m in own[:1]] or [f"{entry.short}{{}}"]
            if not declared and not item.templates and re.search(r"\b(?:Layer|Loss)\b", " ".join(item.bases)) and entry.name not in ("Layer", "Loss", "RowLoss"):
                return [f"{entry.short}()"]
        else:
            declared = [m for m in entry.items if m.kind == "function"] + [
                m for one in entry.items if one.kind == "variable" for m in self.calls(one) if shown_parameters(m)]
        if not declared:
            return [entry.short + explicit_templates(item)] if item.kind == "variable" and item.templates else []
        if item.kind == "variable" and not item.templates and entry.items[0] is item and all(shown_parameters(m) for m in declared) and (
                entry.page == "hooks-actions"):
            found = [entry.short]  # `save` alone is an action, too
        else:
            found = []
        most = max(declared, key=lambda m: (len(shown_parameters(m)), not explicit_templates(m)))
        for one in [declared[0], most]:
            text = f"{entry.short}{explicit_templates(one)}(" + ", ".join(called_with(p) for p in shown_parameters(one)) + ")"
            found.append(text if len(text) <= 170 else text[:text.find("(") + 1] + "…)")
        return list(dict.fromkeys(found))

    def options(self, entry, family):
        """Members of the option structs that it takes, with their defaults; for classes without any, its own members."""
        found = []
        for item in entry.items:
            taken = [item] if item.kind != "class" else [m for m in item.members if m.constructor]
            for declaration in taken:
                for p in declaration.parameters:
                    name, _, argument = tidy(p.type).replace("const ", "").rstrip("& ").partition("<")
                    others = self.targets.get(name, [])
                    for other in [o for o in others if o.scope == entry.scope] or others:
                        if other.items[0].kind == "class" and re.search(r"Options$|Stopping$|Format$|Limits$|\wShape$", name):
                            found += [dataclasses.replace(m, value=argument.rstrip(">")) if argument and m.value == "standard" else m
                                      for m in other.items[0].members if m.kind == "variable" and not m.static]
        if not found and entry.items[0].kind == "class" and not any(m.constructor for m in entry.items[0].members):
            found = [m for m in entry.items[0].members if m.kind == "variable" and not m.static]
            if not any(m.value for m in found) or self.page == "errors":  # a result, such as the members of an exception
                return ""
        shown = {}
        for member in found:
            value = bare_default(member.value, member.type)
            if member.name == "stride" and value == "{0}":  # the size of the window
                value = ""
            shown[member.name] = f"`.{member.name}" + (f" = {value}`" if value and len(value) < 40 and "numeric_limits" not in value else "`")
        return ", ".join(shown.values())

    def fact(self, name, word):
        """The value of a constant such as in_background in the class of this name, or in its bases; None if nothing has it."""
        seen = set()
        while name and name not in seen:
            seen.add(name)
            item = next((e.items[0] for e in self.targets.get(name, []) if e.kind == "class"), None)
            if item is None:
                return None
            lines, depth, begun = self.library.lines(item.file), 0, False
            for line in lines[item.line - 1:]:
                found = re.search(rf"\b{word} = (\w+)", line)
                if found:
                    return found[1]
                depth += line.count("{") - line.count("}")
                begun = begun or "{" in line
                if begun and depth <= 0:
                    break
            base = re.search(r":\s*(?:public )?(?:sigma::)?(?:detail::)?(\w+)", lines[item.line - 1])
            name = base[1] if base else None
        return None

    def background(self, entry, family):
        if entry.name in family.backgrounds:
            return family.backgrounds[entry.name].replace("_", " ")
        for item in entry.items:
            for title, text in self.description(item).sections:
                if title == "Background":
                    condition = re.match(r"Can run in the background( if [^.]*)\.", text)
                    return "yes," + condition[1] if condition else "no" if text.startswith("Cannot") else "yes"
        name = family.more.get(entry.name)
        if not name and entry.kind == "function":
            name = re.sub(r"<.*", "", result_type(entry.items[0]))
        if not name and entry.kind == "variable":
            name = re.sub(r"<.*", "", bare_type(entry.items[0].type))
        if not name or not any(e.kind == "class" for e in self.targets.get(name, [])):
            return ""
        if fact := self.fact(name, "in_background"):
            return "no" if fact == "false" else "yes"
        item = next(e.items[0] for e in self.targets[name] if e.kind == "class")
        return "yes" if re.search(r"\bAction\b|MadeAction", "".join(self.library.lines(item.file)[item.line - 1:item.line + 2])) else ""

    def top_table(self, title, entries, family):
        options = {entry.anchor: self.options(entry, family) for entry in entries}
        with_options = any(options.values())
        with_background = family.page == "hooks-actions" and title == family.table
        head = ["Name and call", "What it does"] + ["Options and defaults"] * with_options + ["Background"] * with_background
        rows = []
        for entry in entries:
            name = f"[`{cell(entry.short)}`](#{entry.anchor})"
            row = [name + "".join(f"<br>`{cell(call)}`" for call in self.calls_of(entry)), cell(self.summary(entry))]
            row += [cell(options[entry.anchor])] * with_options + [self.background(entry, family)] * with_background
            rows.append("| " + " | ".join(row) + " |")
        if title == family.table:
            rows = self.member_rows(family, len(head)) + [row for row, entry in zip(rows, entries) if entry.name not in family.members]
        anchor = re.sub(r"\W+", "-", title.lower()).strip("-")
        if any(entry.anchor == anchor for entry in family.entries):
            anchor += "-of-" + family.page
        return f"## {title} {{ #{anchor} }}\n\n| " + " | ".join(head) + " |\n" + "|---" * len(head) + "|\n" + "\n".join(rows)

    def member_rows(self, family, columns):
        """Rows for members of classes that stand in the first table."""
        rows = []
        for name, owner in family.members.items():
            entry = next((e for e in family.entries if e.name == name), None)
            if entry is None:
                continue
            shown = set()
            for member in entry.items[0].members:
                if member.kind != "function" or member.constructor or not member.documented or member.name in shown or member.name in MECHANISM:
                    continue
                shown.add(member.name)
                call = f"{owner}.{member.name}(" + ", ".join(called_with(p) for p in shown_parameters(member)) + ")"
                description = self.description(member)
                rows.append(f"| [`{member.name}`](#{self.member_anchor(entry, member.name)})<br>`{cell(call)}` | {cell(description.summary)} |" +
                            " |" * (columns - 2))
        return rows

    def write(self, family):
        self.page = family.page
        order, entries = set(family.first), self.ordered(family)
        helpers = [e for e in entries if is_helper(e) or (order and e.name not in order)]
        main = [e for e in entries if e not in helpers]
        out = [f"# {family.title}", "\n".join(family.text), '<div class="reference"></div>']
        if main:
            out.append(self.top_table(family.table or "Overview", main, family))
        if helpers:
            out.append(self.top_table("Options and other types" if main else family.table or "Overview", helpers, family))
        out += [self.section(entry) for entry in main + helpers]
        return "\n\n".join(part for part in out if part) + "\n"


def anchor_of(name):
    """A name as the anchor of a heading: `operator+` is `operator2b`, `operator bool` is `operator-bool`."""
    if re.fullmatch(r"operator *\W+", name):
        return "operator" + "".join(f"{ord(c):x}" for c in name[8:])
    return re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-")


def called_with(parameter):
    """A parameter as a call shows it: its name and its default."""
    name = strip_name(re.sub(r"\[.*\]$", "", parameter.name))
    if not name and (found := re.fullmatch(r"decltype\((.*)\)", bare_type(parameter.type))):
        return found[1]
    pack = "..." if parameter.type.rstrip().endswith("...") else ""
    return name + pack + (f" = {bare_type(parameter.default)}" if parameter.default else "") if name else declared_parameter(parameter)


def explicit_templates(item):
    """The template arguments that a call must name, as `<pattern>`."""
    types = " ".join(p.type for p in item.parameters)
    names = [] if item.constructor else [re.sub(r"^.*?(\w+)$", r"\1", written) for written in kept_templates(item)
                                         if "=" not in written and "..." not in written]
    named = [name for name in names if not re.search(rf"\b{name}_?\b", types)]
    return f"<{', '.join(named)}>" if named else ""


def is_helper(entry):
    return bool(re.search(r"Options$|Word$|Error_", entry.name)) or entry.kind in ("concept", "typedef")


def mistakes_page(names):
    return ("# Names in compiler messages\n\nThese names stand in the messages of a compiler that rejects a program: a mistake, what was given, and "
            "what to write instead. You never write them. The guide [Errors](../errors.md) explains the messages.\n\n" +
            "\n".join(f"- `{name}`" for name in sorted(names)) + "\n")


def check(root, reference):
    """Names of names.txt that are on no page, and public names that no family has."""
    listed = set((root / "tests/names/names.txt").read_text().split())
    shown = {entry.name for family in reference.families for entry in family.entries if entry.page}
    shown |= {space.split("::")[-1] for space in doxygen.SPACES}
    in_messages = {name for name in listed - shown if doxygen.MISTAKE.match(name)} | (listed - shown) & reference.library.messages
    faults = [f"'{name}' is on no page of the reference: give it or its header to a family in scripts/documentation/families.txt"
              for name in sorted(listed - shown - in_messages - reference.apart)]
    faults += [f"{item.file}:{item.line}: '{item.path}' is on no page of the reference: give it or its header to a family in "
               "scripts/documentation/families.txt" for item in reference.lost]
    return faults, in_messages


def unexplained(reference):
    """Names in printed declarations that readers find nowhere. Needs the pages to be made."""
    return [f"{file}:{line}: '{name}' in the reference of {page} is no public name and on no page: '{one_line(code)}'; write what users pass "
            "in TYPES of scripts/documentation/markdown.py, or hide the declaration by @cond internal"
            for (page, code, file, line), names in reference.printed.items() for name in dict.fromkeys(names)]


def twice(pages):
    """Anchors that a page has twice."""
    for name, text in pages.items():
        anchors = collections.Counter(re.findall(r"\{ #(\S+) \}", text))
        yield from (f"{name} has the anchor '{anchor}' {count} times" for anchor, count in anchors.items() if count > 1)


def make_all(reference, root):
    """The pages by their names, and their faults."""
    faults, in_messages = check(root, reference)
    pages = {f"{family.page}.md": reference.write(family) for family in reference.families if family.entries}
    pages["messages.md"] = mistakes_page(in_messages)
    return pages, faults + unexplained(reference) + list(twice(pages))


def write_all(reference, out, root):
    """Writes the pages; returns their faults."""
    pages, faults = make_all(reference, root)
    out.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (out / name).write_text(text)
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path, nargs="?", default=HERE.parent)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--xml", type=pathlib.Path, help="folder for Doxygen's XML")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    out = (arguments.out or root / "build/site/docs/reference").resolve()
    try:
        library = doxygen.read(root, (arguments.xml or root / "build/site/doxygen").resolve())
    except doxygen.MissingDoxygen as missing:
        print(missing)
        return 77
    reference = Reference(root, library)
    faults = make_all(reference, root)[1] if arguments.check else write_all(reference, out, root)
    for fault in faults:
        print(fault)
    entries = sum(len(family.entries) for family in reference.families)
    print(f"{entries} names on {len(reference.families)} pages")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
