#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Counts what makes the project's English hard to read, and fails if a file has more of it than prose.json allows.

    prose.py ROOT               compares all files with their allowances
    prose.py ROOT --list FILE…  prints each finding in these files, with its line
    prose.py ROOT --write       lowers the allowances to what is found now (never raises one)

Pages (README, CONTRIBUTING, CHANGELOG, SECURITY, docs/, examples/) are counted as Markdown. In sources, comments and the texts of
errors are counted. docs/design/writing.md explains the rules. A finding has one of these kinds:

    long-sentence    a sentence of more than 30 words
    long-line        a line of a page, outside of tables and code, of more than 100 characters
    long-cell        a table cell of more than 25 words
    clause-first     a sentence that begins with "What", "Who", "Whoever", "Whatever" and asks nothing
    is-an-error      "is a `…Error`": code throws
    anew             "anew": write "again"
    who              "who", "whoever", "whom" for code
    where-if         "where" for "if"
    said             "said", "says", "told", "tells", "asked", "asks" for what code does
    goes-on          "goes on": write "continues"
    sentence-hook    "sentence" for a hook, "word" for a function or class
    doc-start        a doc comment that begins with a preposition, a pronoun, a conjunction or a question word
    vague-found      an error text "found another", "found less", "found none"
    expected-to      an error text "expected to …", "expected that …"
"""
import argparse
import collections
import json
import pathlib
import re
import sys

PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "docs/**/*.md",
         "examples/**/*.md", "data/README.md", "benchmarks/**/*.md"]
SOURCES = [f"{folder}/**/*.{suffix}" for folder in ("include", "cuda", "components")
           for suffix in ("hpp", "ipp", "cpp", "cu", "js", "cuh")]
DOC_START = set("""
a-of of in on at to for from by with without within over under into onto as behind before after between through per
about against along among around beside besides during except inside outside since than until upon via
what who whom whose which where when why how whether whoever whatever wherever whichever
it its they their them he she his her this that these those such one ones both either neither none nothing each
same others another and or but nor so also too else if unless while because though although is are was were does do
can may must shall has have had
""".split()) - {"each", "one"}
WORDS = {
    "is-an-error": r"\bis an? `?\w*(?:Error|Mistake)\b",
    "anew": r"\banew\b",
    "who": r"\b[Ww]ho(?:ever|m)?\b",
    "where-if": r"\b[Ww]here (?:there|it|they|nothing|no|none|one|any|anything|something|somebody|nobody|that|this|all|each|both|"
                r"neither|its|not|he|she|only|you|what|others|some|either|several|many)\b",
    "said": r"\b(?:said|says|say|told|tells|tell|asked|asks)\b",
    "goes-on": r"\b(?:goes|go|went|gone|going) on\b",
    "sentence-hook": r"\b[Ss]entences?\b|\b(?:public|own|the|this|a|such|each|other|these|its) words?\b",
}
ERROR_TEXT = {
    "vague-found": r"\bfound (?:another|others|less|more|none|no such|fewer|something)\b",
    "expected-to": r"\bexpected (?:to|that)\b",
}
ALLOWED_QUOTES = re.compile(r"`[^`]*`")


def sentences(text):
    """Splits prose at full stops, question and exclamation marks. Colons and semicolons do not end a sentence."""
    text = ALLOWED_QUOTES.sub("`code`", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\b(?:e\.g|i\.e|cf|vs|et al|approx|Fig|eq)\.", "abbr", text)
    return [part.strip() for part in re.split(r"(?<=[.!?])[\s)*_\"']+(?=[A-Z`*\[(\d\"'_])", text) if part.strip()]


def words_of(text):
    return [word for word in re.findall(r"[\w`'’-]+", text) if re.search(r"\w", word)]


def prose_findings(text, line, places):
    for sentence in sentences(text):
        count = len(words_of(sentence))
        if count > 30 and "long-sentence" in places:
            yield "long-sentence", line, f"{count} words: {sentence[:70]}…"
        if re.match(r"(?:What|Who|Whoever|Whatever|Whose)\b", sentence) and not sentence.endswith("?"):
            yield "clause-first", line, sentence[:80]
    bare = ALLOWED_QUOTES.sub("``", text)
    for kind, pattern in WORDS.items():
        for found in re.finditer(pattern, text if kind == "is-an-error" else bare):
            yield kind, line, f"{found.group()}: …{(text if kind == 'is-an-error' else bare)[max(0, found.start() - 30):found.end() + 30]}…"


def page_findings(text):
    """Yields the findings of a Markdown page as (kind, line, text)."""
    text = re.sub(r"<!--.*?-->", lambda found: "\n" * found.group().count("\n"), text, flags=re.DOTALL)
    fenced, paragraph, begin = False, [], 1

    def flush():
        nonlocal paragraph
        if paragraph:
            yield from prose_findings(" ".join(paragraph), begin, {"long-sentence"})
        paragraph = []

    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if re.match(r"(?:```|~~~)", bare.lstrip("> ")):
            yield from flush()
            fenced = not fenced
            continue
        if fenced or (re.match(r" {4}\S", line) and not paragraph):
            continue
        if bare.lstrip("> ").startswith("|"):
            yield from flush()
            for cell in re.split(r"(?<!\\)\|", ALLOWED_QUOTES.sub(lambda q: q.group().replace("|", "¦"), bare).strip("|")):
                cell = cell.strip()
                if re.fullmatch(r":?-+:?", cell):
                    continue
                count = len(words_of(re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", ALLOWED_QUOTES.sub("`code`", cell))))
                if count > 25:
                    yield "long-cell", number, f"{count} words: {cell[:70]}…"
                yield from prose_findings(cell, number, set())
            continue
        if len(line) > 100 and not re.fullmatch(r"[\s>*-]*(?:\d+\. )?\S*\s?\S{60,}", line):
            yield "long-line", number, f"{len(line)} characters"
        if not bare or bare.startswith("#") or re.match(r"(?:>\s*)?(?:[-*+]|\d+\.)\s", bare):
            yield from flush()
            begin = number
            if bare.startswith("#"):
                continue
        if not paragraph:
            begin = number
        if bare:
            paragraph.append(re.sub(r"^(?:>\s*)?(?:[-*+]|\d+\.)?\s*", "", bare, count=1) if not paragraph else bare.lstrip("> "))
    yield from flush()


DOC = re.compile(r"///(<?)\s?(.*)")
COMMENT = re.compile(r"(?:^|\s)//(?!/)\s?(.*)")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def source_findings(text, suffix):
    """Yields the findings in the comments and error texts of a source as (kind, line, text)."""
    block, begin, doc, in_code = [], 0, False, False

    def flush():
        nonlocal block, in_code
        if block:
            if doc:
                start = re.match(r"[`*(\"'…]*([A-Za-z-]+)", block[0])
                if start and not block[0].startswith(("@", "`", "…")) and start.group(1).lower() in DOC_START:
                    yield "doc-start", begin, block[0][:80]
            shown = []
            for line in block:
                if line.startswith("@code"):
                    in_code = True
                if not in_code:
                    shown.append(line)
                if line.startswith("@endcode"):
                    in_code = False
            yield from prose_findings(" ".join(shown), begin, set())
        block, in_code = [], False

    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        found = DOC.search(line) if "///" in line else None
        if found and not (suffix == ".js"):
            trailing = bool(found.group(1)) or not bare.startswith("///")
            if trailing or not doc:
                yield from flush()
            if not block:
                begin = number
            doc = True
            block.append(found.group(2).strip())
        elif (note := COMMENT.search(re.sub(LITERAL, '""', line))) and "SPDX" not in line:
            if doc or not bare.startswith("//"):
                yield from flush()
            if not block:
                begin = number
            doc = False
            block.append(note.group(1).strip())
        else:
            yield from flush()
        if not bare.startswith("//"):
            for literal in LITERAL.finditer(re.sub(r"\s//.*$", "", line)):
                for kind, pattern in ERROR_TEXT.items():
                    if re.search(pattern, literal.group(1)):
                        yield kind, number, literal.group()[:80]
    yield from flush()


def findings(path):
    text = path.read_text(errors="replace")
    return list(page_findings(text) if path.suffix == ".md" else source_findings(text, path.suffix))


def files_of(root):
    for pattern in PAGES + SOURCES:
        for path in sorted(root.glob(pattern)):
            if "third_party" not in path.parts and path.is_file():
                yield path


def share_of_bad_docs(root):
    """Returns (doc comments that begin badly, all doc comments) of the sources."""
    bad = total = 0
    for pattern in SOURCES:
        for path in root.glob(pattern):
            text = path.read_text(errors="replace")
            lines = text.split("\n")
            total += sum(1 for i, line in enumerate(lines) if "///" in line and
                         ("///<" in line or not lines[i - 1].strip().startswith("///")))
            bad += sum(1 for kind, *_ in source_findings(text, path.suffix) if kind == "doc-start")
    return bad, total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--list", nargs="+", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--table", type=pathlib.Path)
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    if arguments.list:
        for path in arguments.list:
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                if file.suffix in {".md", ".hpp", ".ipp", ".cpp", ".cu", ".js", ".cuh"}:
                    for kind, line, what in findings(file):
                        print(f"{file}:{line}: {kind}: {what}")
        return 0
    table = arguments.table or root / "tests/docs/prose.json"
    allowed = json.loads(table.read_text()) if table.exists() else None
    now = {str(path.relative_to(root)): dict(sorted(collections.Counter(kind for kind, *_ in findings(path)).items()))
           for path in files_of(root)}
    now = {name: kinds for name, kinds in now.items() if kinds}
    worse = [f"{name}: {kind}: {count} found, {(allowed or {}).get(name, {}).get(kind, 0)} allowed"
             for name, kinds in now.items() for kind, count in kinds.items()
             if count > (allowed or {}).get(name, {}).get(kind, 0)]
    total = collections.Counter()
    for kinds in now.values():
        total.update(kinds)
    bad, docs = share_of_bad_docs(root)
    print(f"{sum(total.values())} findings: " + ", ".join(f"{kind} {count}" for kind, count in total.most_common()))
    print(f"{bad} of {docs} doc comments begin badly: {100 * bad / max(docs, 1):.1f} %")
    if arguments.write:
        if allowed is not None:
            now = {name: lower for name, kinds in now.items()
                   if (lower := {kind: min(count, allowed.get(name, {}).get(kind, 0)) for kind, count in kinds.items()
                                 if allowed.get(name, {}).get(kind, 0)})}
        table.write_text("{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(kinds)}" for name, kinds in sorted(now.items())) + "\n}\n")
        return 0
    for line in worse:
        print(line)
    if worse:
        print("prose.py ROOT --list FILE shows each finding; docs/design/writing.md explains the rules")
    return bool(worse)


if __name__ == "__main__":
    sys.exit(main())
