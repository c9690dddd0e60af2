#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Builds the site of the documentation from the pages of docs/, the reference and the files that pages link.

    site_builder.py ROOT [--out FOLDER]     writes FOLDER/html, build/site/html if none is given

Steps: generate the reference; copy the pages and give them the form that MkDocs reads; turn links that leave docs/ into
links to copies; run `mkdocs build --strict`; check every internal link and anchor of the result.
"""
import argparse
import base64
import fnmatch
import gzip
import html
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

# Pages outside of docs/, by their place on the site. docs/README.md is the list of all pages, README.md the first page.
OUTSIDE = {"README.md": "index.md", "docs/README.md": "contents.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md",
           "examples/README.md": "examples/README.md", "benchmarks/README.md": "benchmarks-run.md", "data/README.md": "data/README.md",
           "SECURITY.md": "security.md", "CODE_OF_CONDUCT.md": "conduct.md", "examples/template/README.md": "examples/template/README.md"}
VIEWED = 400_000  # bytes of a file that the site shows


# ---- pages in the form that Python-Markdown reads ----

def fences(lines):
    """(line, whether it is inside a block of code) for each line."""
    fence = None
    for line in lines:
        mark = re.match(r"[\s>]*(?:(?:[-*+]|\d+\.)\s+)?(```+|~~~+)", line)
        if fence is None and mark:
            fence = mark[1]
            yield line, True
        elif fence is not None:
            closed = re.match(r"[\s>]*(```+|~~~+)\s*$", line)
            yield line, True
            if closed and closed[1].startswith(fence):
                fence = None
        else:
            yield line, False


ITEM = re.compile(r"(\s*)([-*+]|\d+[.)])(\s+)(?=\S)")


def for_mkdocs(text):
    """Lists and tables that begin without an empty line before them get one, nested blocks an indentation of four, notes their box."""
    out, levels = [], []  # levels: columns at which the contents of the open list items begin
    for line, code in fences(text.split("\n")):
        bare = line.strip()
        indent = len(line) - len(line.lstrip())
        if not bare:
            out.append("")
            continue
        begins = ITEM.match(line) if not code or ITEM.match(line) and "```" in line else None
        if begins and not code or begins and re.match(r"\s*(?:[-*+]|\d+[.)])\s+```", line):
            while levels and indent < levels[-1]:
                levels.pop()
            before = out[-1] if out else ""
            if before and not levels and not ITEM.match(before) and not before.startswith((" ", "\t")):
                out.append("")
            out.append("    " * len(levels) + begins[2] + " " + line[begins.end():])
            levels.append(begins.end())
            continue
        while levels and indent < levels[-1] and (out and out[-1] == "" or code or indent == 0 and starts_block(bare)):
            levels.pop()
        if levels and indent >= levels[-1]:
            out.append("    " * len(levels) + line[levels[-1]:])
            continue
        if levels and indent < levels[-1]:  # a paragraph of an item that goes on in column 0
            out.append("    " * len(levels) + bare)
            continue
        if bare.startswith("|") and not code and out and out[-1] and not out[-1].lstrip().startswith("|"):
            out.append("")
        out.append(line)
    return notes("\n".join(out))


def starts_block(text):
    return text.startswith(("#", "|", "```", ">", "<", "---"))


def notes(text):
    """`> **Note** …` becomes a box."""
    def box(found):
        kind = {"note": "note", "warning": "warning", "tip": "tip", "important": "warning", "caution": "warning", "limitation": "warning",
                "limitations": "warning"}[found[1].lower()]
        body = re.sub(r"(?m)^> ?", "", found[0])
        body = re.sub(r"^\*\*\w+:?\*\*:?\s*", "", body)
        return f"!!! {kind}\n\n" + "".join(f"    {line}\n" if line.strip() else "\n" for line in body.rstrip("\n").split("\n"))
    return re.sub(r"(?m)^> \*\*(Note|Warning|Tip|Important|Caution|Limitations?):?\*\*:?.*\n(?:>.*\n?)*", box, text + "\n")


# ---- links ----

def files_of(root):
    """Files of the repository; without git, those of the folder but builds."""
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, text=True, capture_output=True)
    if listed.returncode == 0:
        return set(listed.stdout.split("\n")) - {""}
    return {name for path in root.rglob("*") if path.is_file() and not (name := str(path.relative_to(root))).startswith(("build", "."))}


class Staging:
    """Copies pages to a folder, and what they link."""

    def __init__(self, root, out):
        self.root, self.out = root, out
        self.tracked = files_of(root)
        self.places = dict(OUTSIDE)
        for page in self.tracked:
            if page.startswith("docs/") and page not in self.places and not page.endswith((".yml", ".gz")) and (root / page).is_file():
                self.places[page] = page[len("docs/"):]
        self.viewed = set()
        self.faults = []

    def stage(self):
        for source, place in sorted(self.places.items()):
            path, target = self.root / source, self.out / place
            if not path.is_file():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix != ".md":
                shutil.copyfile(path, target)
                continue
            text = path.read_text()
            target.write_text(for_mkdocs(self.relinked(text, source, place)))

    def relinked(self, text, source, place):
        def link(found):
            target, _, anchor = found[2].partition("#")
            if re.match(r"[a-z]+:", target) or not target:
                return found[0]
            written = self.moved(target, source, place)
            return f"{found[1]}{written}{'#' + anchor if anchor and not written.startswith('source/') else ''}{found[3]}"
        lines = []
        for line, code in fences(text.split("\n")):
            if not code:
                line = re.sub(r"(\]\()([^)\s]+)((?:\s+\"[^\"]*\")?\))", link, line)
                line = re.sub(r"((?:src|href|srcset)=\")([^\"]+)(\")", link, line)
            lines.append(line)
        return "\n".join(lines)

    def moved(self, target, source, place):
        here = os.path.dirname(source)
        path = os.path.normpath(os.path.join(here, urllib.parse.unquote(target)))
        there = os.path.dirname(place)
        if path in self.places:
            return os.path.relpath(self.places[path], there or ".")
        if path.startswith("docs/reference/"):  # generated
            return os.path.relpath(path[len("docs/"):], there or ".")
        folder = self.root / path
        if folder.is_dir():
            if f"{path}/README.md" in self.places:
                return os.path.relpath(self.places[f"{path}/README.md"], there or ".")
            self.viewed.add(path + "/")
            return os.path.relpath(f"source/{path}/index.html", there or ".")
        if path in self.tracked:
            self.viewed.add(path)
            return os.path.relpath(f"source/{path}.html", there or ".")
        self.faults.append(f"{source}: links '{target}', which is no file of the repository")
        return target

    def views(self, headers):
        """Pages that show the files that pages link: each line has an anchor."""
        for path in sorted(self.viewed | set(headers)):
            target = self.out / "source" / (path + ("index.html" if path.endswith("/") else ".html"))
            target.parent.mkdir(parents=True, exist_ok=True)
            up = "../" * (path.count("/") + 1)
            if path.endswith("/"):
                names = sorted({name[len(path):].split("/")[0] for name in self.tracked if name.startswith(path)})
                files = [name for name in names if path + name in self.tracked]
                for name in files:
                    self.viewed.add(path + name)
                body = "<ul>" + "".join(f'<li><a href="{html.escape(name)}.html">{html.escape(name)}</a></li>' if name in files else
                                        f"<li>{html.escape(name)}/</li>" for name in names) + "</ul>"
            else:
                text = (self.root / path).read_bytes()[:VIEWED].decode("utf-8", "replace")
                body = "<pre tabindex=\"0\"><code>" + "".join(f'<span id="L{number}"><a href="#L{number}" aria-label="Line {number}">{number:5d}</a> {html.escape(line)}\n</span>'
                                               for number, line in enumerate(text.rstrip("\n").split("\n"), 1)) + "</code></pre>"
            target.write_text(f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
                              f"<title>{html.escape(path)} · Sigma</title>"
                              f'<link rel="stylesheet" href="{up}source.css"><main><p><a href="{up}index.html">Sigma</a></p>'
                              f"<h1>{html.escape(path)}</h1>{body}</main></html>\n")


# ---- navigation ----

def title_of(path):
    if path.suffix == ".html":
        return f"Demo: {path.stem}, recorded"
    fenced = fences(path.read_text().split("\n"))
    for line, code in fenced:
        if not code and (found := re.match(r"# (.*)", line)):
            return re.sub(r"\s*\{.*\}$", "", re.sub(r"[`*]", "", found[1])).strip()
    return path.stem


def navigation(table, out):
    """The nav of mkdocs.yml, as nested lists, and the pages that stand in it."""
    pages = {str(p.relative_to(out)) for p in out.rglob("*.md")} | {f"demo/{p.name}" for p in out.glob("demo/*.html")}
    lines = [re.fullmatch(r"([^:#]+):\s*(.*)", line).groups() for line in table.read_text().split("\n") if line.strip() and not line.startswith("#")]
    named = {page for _, patterns in lines for pattern in patterns.split() for page in pages if "*" not in pattern and page == pattern}
    taken, nav = set(), {}
    found = {}
    # lines in which only a star takes what is left come last, whatever stands behind them
    for rest in (False, True):
        for title, patterns in lines:
            chosen = []
            for pattern in patterns.split():
                if (pattern == "*" or pattern.endswith("/*")) != rest:
                    continue
                if "*" not in pattern:
                    chosen += [pattern] if pattern in pages and pattern not in taken else []
                else:
                    depth = pattern.count("/")
                    fitting = [page for page in pages - taken - named if fnmatch.fnmatchcase(page, pattern) and page.count("/") == depth]
                    chosen += sorted(fitting, key=lambda page: (not page[:1].isdigit(), page if re.match(r".*/\d", page) else title_of(out / page).lower()))
                taken |= set(chosen)
            found.setdefault(title, []).extend(chosen)
    for title, _ in lines:
        if not found[title]:
            continue
        outer, _, inner = title.partition(" / ")
        group = nav.setdefault(outer, [])
        entries = [page if page.endswith("README.md") and outer in ("Reference", "Tutorial", "How-to") else {title_of(out / page): page} for page in found[title]]
        if inner:
            group.append({inner: entries})
        else:
            group.extend(entries)
    missing = sorted(pages - taken)
    return [{title: entries} for title, entries in nav.items()], missing


def yaml_list(entries, indent=0):
    lines = []
    for entry in entries:
        if isinstance(entry, str):
            lines.append("  " * indent + f"- {entry}")
        else:
            (title, value), = entry.items()
            quoted = json.dumps(title, ensure_ascii=False)
            if isinstance(value, str):
                lines.append("  " * indent + f"- {quoted}: {value}")
            else:
                lines.append("  " * indent + f"- {quoted}:")
                lines += yaml_list(value, indent + 2)
    return lines


# ---- the search ----

def improve_search(path, keywords, families):
    """Gives places their keywords, and folds members of classes that are no family's own into the entry of their class."""
    index = json.loads(path.read_text())
    by_place = {entry["location"]: entry for entry in index["docs"]}
    main = {f"reference/{family.page}.html": set(family.first) | {e.name for e in family.entries if not family.first and e.kind == "class"}
            for family in families}
    kept = []
    for entry in index["docs"]:
        page, _, anchor = entry["location"].partition("#")
        owner, dot, _ = anchor.partition(".")
        if dot and page in main and owner not in main[page] and (whole := by_place.get(f"{page}#{owner}")):
            whole["text"] += f" {entry['title']} {entry['text']}"
        else:
            kept.append(entry)
    index["docs"] = kept
    for line in keywords.read_text().split("\n"):
        if line.strip() and not line.startswith("#"):
            place, _, words = line.partition(":")
            if place.strip() in by_place:
                by_place[place.strip()]["tags"] = re.split(r"[\s_]+", words.strip())
            elif (path.parent.parent / place.strip().partition("#")[0]).exists():
                yield f"scripts/documentation/keywords.txt: no place {place.strip()}"
    path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")))


def improve_worker(workers):
    """Lets the search find names of code, and shows pages for users before pages about the design.

    Material's search answers `early_stop` and `sigma::data` with nothing: the index holds two words, but lunr cuts a query at
    blanks only, and reads what stands before a colon as a field. Here a name is cut as the index is, and all its words are required.
    """
    changes = {
        "search(e){if(e)try{": r'e=e.replace(/[^\s"]+/g,t=>/^\.\w|\w[_.:\/<>()]+\w/.test(t)?t.split(/[_.:;,=!|&<>()[\]{}\/`]+/)'
                               r'.filter(w=>w.length>2).map(w=>"+"+w).join(" "):t);',
        "score:u*": r"(/^(design|changes|contributing)/.test(y)?.3:1)*"}
    for worker in workers.glob("search.*.js"):
        text = worker.read_text()
        for place, more in changes.items():
            if text.count(place) != 1:
                yield f"{worker.name}: expected '{place}' once; another version of Material needs another change"
            text = text.replace(place, place + more)
        worker.write_text(text)


# ---- a digit to draw ----

DRAWING = "<!-- a place to draw a digit -->"  # in docs/demo/digits.md
FRONT = """## Draw a digit

{}

Sigma trained this network. It runs in your browser, from one file of {} kB, without a server. [How it was
made](demo/digits.md).

"""


def drawing(root):
    """The script of the page on which one draws a digit: examples/57-web-page/page, with its network inside."""
    page = root / "examples/57-web-page/page"
    wasm = base64.b64encode((page / "digits.wasm").read_bytes()).decode()
    parts = [re.sub(r"(?m)^import .*\n|^export ", "", (page / name).read_text()) for name in ("network.js", "picture.js", "digits.js")]
    return ("(() => {\n" + "".join(parts) + f'const bytes = Uint8Array.from(atob("{wasm}"), letter => letter.charCodeAt(0));\n'
            'for (const place of document.querySelectorAll(".digit-demo")) show(place, bytes);\n})();\n')


def add_drawing(root, docs):
    """Puts it on its page and on the first page of the site, before the first heading."""
    script = drawing(root)
    (docs / "demo/digits.js").write_text(script)
    with (docs / "site.css").open("a") as style:
        style.write((root / "examples/57-web-page/page/digits.css").read_text())
    for name, address, old, new in (("demo/digits.md", "digits.js", DRAWING, "{}"), ("index.md", "demo/digits.js", "## Why Sigma", FRONT + "## Why Sigma")):
        text = (docs / name).read_text()
        if text.count(old) != 1:
            yield f"{name}: expected '{old}' once, as the place to draw a digit"
        place = f'<div class="digit-demo">The drawing needs JavaScript and WebAssembly.</div>\n<script src="{address}" defer></script>'
        (docs / name).write_text(text.replace(old, new.format(place, -(-len(script) // 1000))))


# ---- the result ----

class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or name == "name" and tag == "a":
                self.ids.add(value)
            elif name in ("href", "src") and value and tag in ("a", "img", "link", "script", "source"):
                self.links.append(value)


def broken(folder):
    """Internal links and anchors that lead nowhere, and anything that a browser would fetch from elsewhere."""
    pages = {}

    def read(path):
        if path not in pages:
            pages[path] = Page(path.read_text(errors="replace"))
        return pages[path]
    for path in sorted(folder.rglob("*.html")):
        if "source" in path.relative_to(folder).parts or path.name == "404.html":
            continue
        own = path.read_text(errors="replace")
        if found := re.search(r'<(?:script|img|iframe|source)[^>]*\ssrc="(https?:)?//|<link[^>]*rel="(?:stylesheet|preconnect|icon)[^>]*href="(?:https?:)?//', own):
            yield f"{path.relative_to(folder)}: fetches {found[0]}"
        for link in read(path).links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path if not parts.path else (path.parent / urllib.parse.unquote(parts.path)).resolve()
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                yield f"{path.relative_to(folder)}: link to {link}, which does not exist"
            elif parts.fragment and target.suffix == ".html" and urllib.parse.unquote(parts.fragment) not in read(target).ids and parts.fragment != "__skip":
                yield f"{path.relative_to(folder)}: link to {link}, which has no such anchor"


def uplot_of(root):
    """The folder of uPlot, which the page of monitors draws with, where install-dependencies.sh has put it; None if it is not there."""
    name = "uplot-" + re.search(r"SIGMA_UPLOT_VERSION ([\d.]+)", (root / "components/monitor/monitor.cmake").read_text())[1]
    caches = [os.environ.get("SIGMA_NPM_CACHE"), os.environ.get("XDG_CACHE_HOME", "") and os.environ["XDG_CACHE_HOME"] + "/sigma",
              os.path.expanduser("~/.cache/sigma")]
    return next((folder for cache in caches if cache and (folder := pathlib.Path(cache) / name / "dist").is_dir()), None)


def version(root):
    text = (root / "include/sigma/core/version.hpp").read_text()
    return ".".join(re.search(rf"^#define SIGMA_VERSION_{part} (\d+)$", text, re.M)[1] for part in ("MAJOR", "MINOR"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    site = (arguments.out or root / "build/site").resolve()
    mkdocs = shutil.which("mkdocs")
    if not mkdocs or not shutil.which("doxygen"):
        print("skipped: mkdocs, mkdocs-material or doxygen is not installed: scripts/install-dependencies.sh site")
        return 77
    began = time.monotonic()
    docs = site / "docs"
    shutil.rmtree(docs, ignore_errors=True)
    docs.mkdir(parents=True)
    import demo
    import doxygen
    import reference
    made = reference.Reference(root, doxygen.read(root, site / "doxygen"))
    reference.write_all(made, docs / "reference", root)
    staging = Staging(root, docs)
    staging.stage()
    for name in ("site.css", "site.js", "source.css"):
        shutil.copyfile(HERE / name, docs / name)
    (docs / "pictures").mkdir(exist_ok=True)
    shutil.copyfile(HERE / "favicon.svg", docs / "pictures/favicon.svg")
    faults = list(add_drawing(root, docs))
    if uplot := uplot_of(root):
        recording = gzip.decompress((root / "docs/demo/run.json.gz").read_bytes()).decode()
        (docs / "demo/monitor.html").write_text(demo.made(root, recording, uplot))
    else:
        print("uPlot is not there (scripts/install-dependencies.sh site): the demo of the monitor is left out")
    staging.views(made.sources)
    nav, missing = navigation(HERE / "nav.txt", docs)
    faults += staging.faults + [f"{page}: in no line of scripts/documentation/nav.txt" for page in missing]
    number = version(root)
    result = site / "html" / number
    settings = (root / "docs/mkdocs.yml").read_text() + f"\ndocs_dir: {docs}\nsite_dir: {result}\nnav:\n" + "\n".join(yaml_list(nav, 1)) + "\n"
    (site / "mkdocs.yml").write_text(settings)
    ran = subprocess.run([mkdocs, "build", "--strict", "--config-file", str(site / "mkdocs.yml")], text=True, capture_output=True)
    output = [line for line in (ran.stdout + ran.stderr).split("\n") if line.strip() and "Deprecat" not in line and not line.startswith("  ")]
    faults += [line for line in output if not line.startswith("INFO")] if ran.returncode else []
    if not ran.returncode:
        for page in result.rglob("*.html"):  # a table without titles of columns
            text = page.read_text()
            if "<th></th>" in text:
                page.write_text(text.replace("<th></th>", "<td></td>"))
        faults += improve_worker(result / "assets/javascripts/workers")
        faults += improve_search(result / "search/search_index.json", HERE / "keywords.txt", made.families)
        faults += broken(result)
        # Sites of other versions may stand beside this one: the newest is the latest.
        numbers = sorted((folder.name for folder in (site / "html").iterdir() if re.fullmatch(r"\d+\.\d+", folder.name)),
                         key=lambda name: [int(part) for part in name.split(".")], reverse=True)
        versions = [{"version": name, "title": name, "aliases": ["latest"] if name == numbers[0] else []} for name in numbers]
        (site / "html/versions.json").write_text(json.dumps(versions) + "\n")
        number = numbers[0]
        (site / "html/index.html").write_text(f'<!doctype html><meta charset="utf-8"><title>Sigma</title>'
                                              f'<meta http-equiv="refresh" content="0; url={number}/index.html"><a href="{number}/index.html">Sigma {number}</a>\n')
    for fault in faults:
        print(fault)
    pages = len(list(docs.rglob("*.md")))
    print(f"{pages} pages, {len(faults)} faults, {time.monotonic() - began:.0f} s: {result}/index.html")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
