# SPDX-License-Identifier: BSL-1.0
"""Turns descriptions of Doxygen's XML and declarations into Markdown."""
import dataclasses
import re

from doxygen import plain, tidy

# What users write in place of a type of sigma::detail that takes it: (pattern, text in a declaration).
DETAIL = r"(?<![\w:])(?:(?:sigma::)?(?:data::)?detail::)?"
TYPES = [
    (DETAIL + r"Integer\b", "std::integral auto"),
    (r"\b(?:sigma::)?detail::At\b", "Tensor"),
    (r"\b(?:sigma::)?detail::TensorFunction\b", "Tensor (*)(Tensor)"),
    (DETAIL + r"AnyFunction *<", "std::function<"),
    (r"\bstd::type_identity_t ?< ?(?:\w+::)*layout_for ?<[^<>]*> ?>", "auto"),
    (r"\b(?:sigma::)?detail::(?:PathText|SomePath)\b", "std::string"),
    (DETAIL + r"Ignored\b", "std::optional<double>"),
    (DETAIL + r"(?:Cpu|Debug)\b", "Device"),
    (DETAIL + r"stored ?< ?(\w+) ?>", r"\1"),
    (DETAIL + r"SharedOwner *<", "std::shared_ptr<"),
    (DETAIL + r"Owned *<", "std::unique_ptr<"),
    (r"(?<![\w:.])(?:sigma::|data::|detail::)*Record\b", "std::span<const float>"),
    (r"(?:\btypename )?\bModel ?< ?N, T ?>::InputPointers\b|(?<![\w:])(?:Input|Target)Pointers\b", "std::span<const T* const>"),
    (r"(?<![\w:])ResultPointers\b", "std::span<T* const>"),
    (DETAIL + r"InitializerRule\b", "std::pair<std::string_view, Initializer>"),
    (DETAIL + r"MappedValues\b", "std::initializer_list<std::pair<std::string_view, double>>"),
    (DETAIL + r"AugmentFunction\b", "std::function<void(std::span<float>, std::span<const std::size_t>, PhiloxSequence&)>"),
    (DETAIL + r"UserFunction\b", "std::function<void(std::span<float>)>"),
    (r"const " + DETAIL + r"ActionElement ?< ?E ?>", "auto"),
    (r"\bsigma::detail::Environment\b", "Sigma"),
    (r"(?<![\w:])Environment ?&", "Sigma&"),
    (DETAIL + r"ModelStore ?< ?T ?>", "Model<auto, T>"),
    (r"(?:\btypename )?(?<![\w:])detail::EachOf ?< ?(\w+), ?([\w:]+) ?>::type\b", r"std::array<\1, \2>"),
    (r"(?<![\w:])M ?&", "Model<N, T>&"),
    (r"(?<![\w:])detail::Times\b", "int"),
    (r"\b(?:sigma::)?detail::DeviceGroup\b", "Gpus"),
    (DETAIL + r"Keep\b", "decltype(keep)"),
    (r"(?<![\w:])detail::Wrt *< ?([^<>]*?) ?>", r"decltype(wrt<\1>)"),
    (r"(?<![\w:])detail::Mapped *< ?([^<>]*?) ?>", r"decltype(over_rows_of<\1>)"),
    (r"(?<![\w:])detail::Element *< ?(\w+) ?>", r"decltype(element<\1>)"),
    (r"\bReductionOptions ?< ?(?:Reduction::\w+|standard) ?>", "ReductionOptions"),
    (r"(?:\btypename )?\bFacts::Definition\b", "N"),
    (r"(?<![\w:])(?:const )?detail::List ?< ?Variable ?> ?&?", "const auto&"),
    (r"(?<![\w:])detail::Tape ?\*", "auto*"),
    (r"\b(?:data::)?detail::(?:DropLast|Prefetch|Shard|Weighted|Balanced|Seeded)\b", "auto"),
    (r"(?:\bconst )?(?<![\w:])detail::Selection ?<[^<>]*> ?&?", "auto"),
    (r"\b(?:data::)?detail::Named(?:ImputeBy|StandardizeOver)\b", "auto"),
    (r"(?<![\w:])detail::GroupNumbers ?<.*>", "auto"),
]
# What stands in a table for the type of a parameter or a member: (pattern for the whole type, text). `{name}` becomes a link.
PHRASES = [
    (r"(?:Sequence)?Padding", "{valid}, {same}, or numbers of zeros"),
    (r"VolumePadding", "{valid}, {same}, or numbers of zeros"),
    (r"Keep", "{keep}"),
    (r"Wrt ?<.*>", "{wrt}"),
    (r"Mapped ?<.*>", "{over_rows_of}"),
    (r"Element ?<.*>", "{element}"),
    (r"NamedImputeBy", "{data::mean}, {data::median} or {data::constant}"),
    (r"NamedStandardizeOver", "{data::jointly}"),
    (r"(DropLast|Balanced)", "{lower}"),
    (r"(Prefetch|Shard|Weighted|Seeded)", "result of {lower}"),
    (r"Selection ?<.*>", "result of {parameters}, {gradients} or {updates}"),
    (r"GroupNumbers ?<.*>", "`{{.rate_factor, .decay_factor}}`"),
    (r"(?:typename )?NamesOfSizes ?<.*", "values of {dim}"),
    (r"DeviceGroup", "{Gpus} or {DeviceChoice}"),
    (r"Debug", "result of {debug}"),
    (r"List ?< ?Variable ?>", "list of {Variable}"),
    (r"Tape ?\*", "tape of a {Variable}"),
    (r"UserFunction", "`float(float)` or `void(std::span<float>)`, or with `double`"),
    (r"std::type_identity_t ?<.*layout_for.*>", "text, known at compile time"),
]
# What users write in place of a default: (pattern, text).
DEFAULTS = [
    (r"^(?:typename )?(?:\w+::)?Core::", ""),
    (r"std::numeric_limits ?< ?\w+ ?>::quiet_NaN\(\)", "NaN"),
    (r"(?:detail::)?dtype_of ?< ?(\w+) ?>", "…"),
    (r"^standard$", ""),
]
ENTITIES = {"ndash": "–", "mdash": "—", "nonbreakablespace": " ", "sp": " ", "linebreak": "<br>", "times": "×", "le": "≤", "ge": "≥",
            "deg": "°", "micro": "µ", "middot": "·", "hellip": "…", "rarr": "→", "larr": "←", "sum": "Σ", "copy": "©",
            "alpha": "α", "beta": "β", "epsilon": "ε", "lambda": "λ", "sigma": "σ", "radic": "√", "infin": "∞", "ne": "≠"}


@dataclasses.dataclass
class Description:
    """The parts of a comment, each as Markdown."""
    summary: str = ""
    body: str = ""
    parameters: dict = dataclasses.field(default_factory=dict)
    templates: dict = dataclasses.field(default_factory=dict)
    returns: str = ""
    throws: list = dataclasses.field(default_factory=list)
    sections: list = dataclasses.field(default_factory=list)  # (title, text)
    see: list = dataclasses.field(default_factory=list)
    code: bool = False  # whether there is an example

    @property
    def empty(self):
        return not (self.summary or self.body or self.parameters or self.returns or self.throws or self.sections)


def one_line(text):
    return re.sub(r"\s+", " ", text).strip()


def cell(text):
    """Text for a cell of a table."""
    text = re.sub(r"\n\s*\n", "<br>", text.strip())
    return re.sub(r"(?<!\\)\|", r"\\|", one_line(text))


def escaped(text):
    if not text:
        return ""
    text = re.sub(r"([*\[\]])|(?<!\w)(_)|(_)(?!\w)", lambda found: "\\" + found.group(), text)
    return text.replace("<", "&lt;")


def strip_name(name):
    """A parameter's name without what -Wshadow makes the sources add at its end."""
    return re.sub(r"(?:_of_it|_)$", "", name)


def bare_default(text, type_=""):
    """A default as users may write it, or nothing if it depends on what is declared."""
    text = text.strip()
    for pattern, written in DEFAULTS:
        text = re.sub(pattern, written, text)
    if re.search(r"Padding$", type_) and text == "{}":
        return "valid"
    return bare_type(text)


def default_cell(text, type_="", name=""):
    """A default in a table, as Markdown."""
    written = bare_default(text, type_)
    if not written:
        return ""
    if name == "stride" and re.fullmatch(r"\{?0\}?", written):
        return "the window"
    if "dtype_of" in text:
        return "that of `T`"
    if re.fullmatch(r"std::numeric_limits ?<.*>::max\(\)", written):
        return "no limit"
    if power := re.fullmatch(r"1 << (\d+)", written):
        return f"2<sup>{power[1]}</sup>"
    return f"`{cell(written)}`"


def phrase_of(type_):
    """What stands in a table for a type, with `{name}` for links; nothing if the type itself stands there."""
    bare = re.sub(r"^const | ?&$", "", re.sub(r"\b(?:sigma::|data::)*detail::", "", type_.strip())).strip()
    for pattern, text in PHRASES:
        if found := re.fullmatch(pattern, bare):
            return text.replace("lower", re.sub(r"(?<!^)([A-Z])", r"_\1", found[1]).lower()) if found.groups() else text
    return None


def without_arguments(type_):
    """A type without its template arguments."""
    while (less := re.sub(r"<[^<>]*>", "", type_)) != type_:
        type_ = less
    return type_


def bare_type(text):
    text = re.sub(r"std::numeric_limits ?< ?\w+ ?>::infinity\(\)", "infinity", text)
    for pattern, plain_type in TYPES:
        text = re.sub(pattern, plain_type, text)
    text = re.sub(r"\bconst (std::span<[^<>]*>) ?&", r"\1", text)
    text = re.sub(r"^::of_one_input ", "", text)  # Doxygen takes the end of a `requires` for the type
    text = re.sub(r"static_cast ?< ?int ?> ?\((\w+)\)", r"\1", text)
    text = re.sub(r"\.{4,}", "...", tidy(text))  # Doxygen writes `L... ...`
    text = re.sub(r"(?:std::size_t\{(\d+)\}|\b(\d+)) ?<< ?(?=\d)", r"\1\2 << ", text)
    return re.sub(r"([{,]) ?(\.\w+) ?= ?(?=\S)", lambda found: f"{found[1]}{' ' * (found[1] == ',')}{found[2]} = ", text)


class Converter:
    def __init__(self, link, pages=None):
        """`link(name, text, sure)` gives the Markdown of a link to a public name, or None if there is no such name; `sure` if it
        cannot be the name of anything else. `pages` is the folder
        docs/: a page that it lacks is named, not linked."""
        self.link, self.pages = link, pages

    def title(self, page):
        """The title of a page of docs/."""
        heading = re.search(r"^# (.*)$", (self.pages / page).read_text(), re.MULTILINE) if self.pages else None
        return re.sub(r"[`*]", "", heading[1]) if heading else page

    def inline(self, element):
        """The inside of a paragraph."""
        parts = [escaped(element.text)]
        for child in element:
            parts.append(self.phrase(child))
            parts.append(escaped(child.tail))
        return "".join(parts)

    def code(self, text):
        text = text.replace("\u00a0", " ")
        fence = "``" if "`" in text else "`"
        written = f"{fence}{text}{fence}"
        name = re.fullmatch(r"(?:sigma::)?((?:\w+::)*\w+)(?:\(\))?", text)
        return (name and self.link(name[1], written)) or written

    def phrase(self, child):
        tag = child.tag
        if tag == "computeroutput":
            return self.code(plain(child))
        if tag in ("bold", "strong"):
            return f"**{self.inline(child).strip()}**"
        if tag in ("emphasis", "em"):
            return f"*{self.inline(child).strip()}*"
        if tag == "ref":
            text = plain(child)
            return self.link(text, f"`{text}`") or f"`{text}`"
        if tag == "ulink":
            return f"[{self.inline(child)}]({child.get('url')})"
        if tag in ("subscript", "superscript"):
            return f"<{tag[:3]}>{self.inline(child)}</{tag[:3]}>"
        if tag in ENTITIES:
            return ENTITIES[tag]
        return self.inline(child)

    def list(self, element, indent):
        lines = []
        for number, entry in enumerate(element.findall("listitem"), 1):
            mark = f"{number}. " if element.tag == "orderedlist" else "- "
            blocks = self.blocks(entry, Description())
            lines.append(indent + mark + blocks.strip().replace("\n", "\n" + indent + "    "))
        return "\n".join(lines)

    def listing(self, element):
        language = (element.get("filename") or ".cpp").lstrip(".")
        lines = []
        for line in element.findall("codeline"):
            lines.append("".join(self.code_text(part) for part in line).rstrip())
        while lines and not lines[-1]:
            lines.pop()
        return f"```{'text' if language == 'txt' else language}\n" + "\n".join(lines) + "\n```"

    def code_text(self, element):
        if element.tag == "sp":
            return " "
        return (element.text or "") + "".join(self.code_text(child) + (child.tail or "") for child in element)

    def table(self, element):
        rows = [[cell(" ".join(self.inline(p) for p in entry.findall("para"))) for entry in row.findall("entry")]
                for row in element.findall("row")]
        if not rows:
            return ""
        return "\n".join(["| " + " | ".join(rows[0]) + " |", "|" + "---|" * len(rows[0])] +
                         ["| " + " | ".join(row) + " |" for row in rows[1:]])

    def blocks(self, element, description):
        """Blocks of an element that has paragraphs; parameters and the like go into the description."""
        out = []
        for child in element:
            if child.tag == "para":
                out.append(self.paragraph(child, description))
            elif child.tag.startswith("sect"):
                title = child.find("title")
                out.append(f"**{plain(title)}**\n\n" + self.blocks(child, description))
            elif child.tag in ("itemizedlist", "orderedlist", "programlisting", "table", "verbatim", "blockquote"):
                wrapper = type(child)("para")
                wrapper.append(child)
                out.append(self.paragraph(wrapper, description))
        return "\n\n".join(part for part in out if part.strip())

    def paragraph(self, element, description):
        out, text = [], [escaped(element.text)]

        def flush():
            joined = "".join(text).strip()
            if joined:
                out.append(joined)
            text.clear()
        for child in element:
            tag = child.tag
            if tag in ("itemizedlist", "orderedlist"):
                flush()
                out.append(self.list(child, ""))
            elif tag == "programlisting":
                flush()
                out.append(self.listing(child))
                description.code = True
            elif tag == "verbatim":
                flush()
                out.append("```text\n" + plain(child).strip("\n") + "\n```")
            elif tag == "table":
                flush()
                out.append(self.table(child))
            elif tag == "blockquote":
                flush()
                out.append("> " + self.blocks(child, description).replace("\n", "\n> "))
            elif tag == "parameterlist":
                flush()
                self.parameters(child, description)
            elif tag == "simplesect":
                flush()
                self.section(child, description)
            elif tag in ("anchor", "hruler"):
                pass
            else:
                text.append(self.phrase(child))
            text.append(escaped(child.tail))
        flush()
        return "\n\n".join(out)

    def parameters(self, element, description):
        for entry in element.findall("parameteritem"):
            names = [plain(name).strip() for name in entry.iter("parametername")]
            text = self.blocks(entry.find("parameterdescription"), description)
            kind = element.get("kind")
            if kind == "exception":
                description.throws += [(name, text) for name in names]
            else:
                into = description.templates if kind == "templateparam" else description.parameters
                for name in names:
                    for single in re.split(r"\s*,\s*", name):
                        into[strip_name(single)] = text

    def section(self, element, description):
        kind = element.get("kind")
        text = self.blocks(element, description)
        if kind == "return":
            description.returns = text
        elif kind == "see":
            description.see += self.see(element)
        elif kind == "par":
            description.sections.append((plain(element.find("title")).strip().rstrip(":"), text))
        elif kind in ("note", "warning", "attention", "remark"):
            description.sections.append(("!" + ("note" if kind in ("note", "remark") else "warning"), text))
        else:
            description.sections.append((kind.capitalize(), text))

    def see(self, element):
        found = []
        text = one_line(" ".join(plain(p) for p in element.findall("para")))
        for part in re.split(r",\s*(?![^(]*\))|;\s*", text):
            part = part.strip().rstrip(".").strip("`").replace("detail::", "")
            if not part:
                continue
            page = re.fullmatch(r"docs/([\w./-]+\.md)((?:#[\w-]+)?)(.*)", part)
            if page and (self.pages is None or (self.pages / page[1]).exists()):
                found.append(f"[{self.title(page[1])}](../{page[1]}{page[2]}){page[3]}")
                continue
            name = re.match(r"(?:sigma::)?((?:\w+::)*\w+)(\(\))?", part)
            linked = name and self.link(name[1], f"`{name[1]}`", True)
            part = re.sub(r"^([\w:]+)\([^()]*\)", r"\1", part) if linked else part
            name = re.match(r"[\w:]+", part) if linked else name
            found.append(linked + escaped(part[name.end():]) if linked else f"`{part}`" if re.fullmatch(r"[\w:()]+", part) else escaped(part))
        return found

    def describe(self, element):
        description = Description()
        if element is None:
            return description
        text = self.blocks(element, description)
        text = text.replace("This is an overloaded member function, provided for convenience. It differs from the above function only in "
                            "what argument(s) it accepts.", "").strip()
        text = re.sub(r"\*\*(Example|Examples):?\*\*", "**Example**", text)
        first, _, rest = text.partition("\n\n")
        if first.startswith("```"):
            first, rest = "", text
        else:
            end = sentence_end(first)
            rest = (first[end:].strip() + ("\n\n" + rest if rest else "")).strip()
            first = first[:end].strip()
        description.summary, description.body = first, rest
        return description


def sentence_end(text):
    """Behind the first sentence."""
    quiet = re.sub(r"(`+).*?\1", lambda found: "x" * len(found.group()), text, flags=re.DOTALL)
    quiet = re.sub(r"\b(?:e\.g|i\.e|cf|vs|al|approx|etc)\.", lambda found: "x" * len(found.group()), quiet)
    found = re.search(r"[.!?](?=\s+[A-Z`*\[(\"'x\d])", quiet)
    return found.end() if found else len(text)


# ---- declarations ----

def kept_templates(item):
    """Template parameters that users may write, as text."""
    kept = []
    for parameter in item.templates:
        text = parameter.type + " " + parameter.name
        if re.search(r"enable_if|error_|NotIncluded|on_cpu|Instructions", text + parameter.default) or not (
                parameter.name or re.search(r"(?:class|typename|\w)\s*\.*\s*\w+$", parameter.type)):
            continue
        if re.fullmatch(r"(?:class|typename)\s*", parameter.type) and not parameter.name:
            continue
        if "detail::" in parameter.type:  # a concept or an enumeration of the library
            name = parameter.name or template_name(parameter.type)
            text = f"{'auto' if name[:1].islower() else 'class'}{'...' if '...' in parameter.type else ''} {name}"
        written = re.sub(r"(\w)_$", r"\1", tidy(text).replace("typename ", "class "))
        if template_name(written) == "Integer":  # printed as `std::integral auto`
            continue
        if parameter.type.startswith("class ") and not written.startswith("class"):
            written = "class " + written
        if parameter.default and len(parameter.default) < 40 and "detail::" not in parameter.default:
            written += " = " + bare_default(parameter.default)
        kept.append(written)
    return kept


def template_name(written):
    """The name in `class T = float` or `int... sizes`."""
    return re.sub(r"^.*?(\w+)$", r"\1", written.partition(" = ")[0])


def shown_parameters(item):
    return [p for p in item.parameters if "__builtin_" not in p.default and p.type != "void"]


def declared_parameter(parameter):
    written = bare_type(parameter.type)
    name = strip_name(parameter.name)
    if name:
        function = re.search(r"\(\s*[&*]\s*\)", written)
        if function:
            name, _, array = name.partition("[")
            written = written[:function.end() - 1] + name + written[function.end() - 1:] + (f"[{array}" if array else "")
        else:
            written += " " + name
    if default := bare_default(parameter.default, parameter.type):
        written += " = " + default
    return written


def is_noise(text):
    """Whether a type tells users nothing."""
    return len(text) > 70 or re.search(r"decltype|conditional|enable_if|declval|invoke_result|type_identity|Each[A-Z]\w*<", text) is not None


def result_type(item):
    trailing = re.search(r"->\s*(.*)$", item.suffix)
    raw = trailing[1] if trailing else item.type
    written = bare_type(raw)
    return "auto" if is_noise(written) or re.search(r"\b(?:SharedOwner|DeviceGroup|List)\b", raw) else written


def signature(item, owner=None, readable=lambda code: True):
    """The declaration of a function as one or more lines. A result that is not `readable` is `auto`."""
    templates = kept_templates(item)
    result = "" if item.constructor or item.name.startswith("operator ") else result_type(item)
    if result and not readable(result):
        result = "auto"
    # Those that only a type that is not shown needs are not shown either.
    raw = " ".join(p.type for p in item.parameters)
    types = " ".join([result, item.suffix, *(bare_type(p.type) for p in shown_parameters(item)), *templates])
    templates = [t for t in templates if not re.search(rf"\b{template_name(t)}_?\b", raw) or
                 len(re.findall(rf"\b{template_name(t)}_?\b", types)) > 1]
    computed = {p.name or template_name(p.type) for p in item.templates if re.search(r"detail::|declval|decltype", p.default)}
    templates = [t for t in templates if template_name(t) not in {strip_name(name) for name in computed} or
                 len(re.findall(rf"\b{template_name(t)}_?\b", types)) > 1]
    if item.constructor:
        templates = [t for t in templates if re.search(rf"\b{template_name(t)}_?\b", raw)]
    front = f"template <{', '.join(templates)}>\n" if templates else ""
    if item.static:
        result = "static " + result
    name = owner if item.constructor and owner else operator_name(item.name)
    tail = " const" if re.match(r"const\b", item.suffix) else ""
    parameters = [declared_parameter(p) for p in shown_parameters(item)]
    start = f"{result} {name}(".lstrip()
    line = start + ", ".join(parameters) + ")" + tail + ";"
    if len(line) > 88 and parameters:
        line = start + "\n    " + ",\n    ".join(parameters) + ")" + tail + ";"
    return front + line


def operator_name(name):
    """`operator ArrayView<T>`, without the blanks of Doxygen."""
    return "operator " + bare_type(name[9:]) if name.startswith("operator ") else name


def variable_type(item):
    written = bare_type(item.type)
    return "auto" if is_noise(written) else written
