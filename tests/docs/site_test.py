#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Shows that site.py gives pages the form of MkDocs, moves their links, and finds broken links, anchors and what is fetched."""
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts/documentation"))
import site_builder as site  # noqa: E402

assert site.for_mkdocs("Text:\n- one\n  more\n  - inner\n- two\n") == "Text:\n\n- one\n    more\n    - inner\n- two\n\n"
assert site.for_mkdocs("Text\n| a |\n|---|\n") == "Text\n\n| a |\n|---|\n\n"
assert site.for_mkdocs("```\n- no list\n| no table\n```") == "```\n- no list\n| no table\n```\n"
assert site.for_mkdocs("1. one\n\n   ```cpp\n   int x;\n   ```\n2. two").startswith("1. one\n\n    ```cpp\n    int x;\n    ```\n2. two")
assert site.for_mkdocs("> **Note** Mind this.\n> And that.\n\nText") == "!!! note\n\n    Mind this.\n    And that.\n\nText\n"

with tempfile.TemporaryDirectory() as folder:
    root, out = pathlib.Path(folder) / "root", pathlib.Path(folder) / "out"
    for name in ("docs/design", "examples", "scripts"):
        (root / name).mkdir(parents=True)
    (root / "README.md").write_text("# Sigma\n[a](docs/a.md#x) [e](examples/README.md) ![p](docs/p.png)\n")
    (root / "docs/a.md").write_text("# A\n[home](../README.md) [code](../examples/one.cpp) [d](design/d.md) [web](https://example.org) [lost](../lost.md)\n")
    (root / "docs/design/d.md").write_text("# D\n[a](../a.md#a) [folder](../../scripts)\n")
    (root / "docs/p.png").write_bytes(b"")
    (root / "examples/README.md").write_text("# Examples\n")
    (root / "examples/one.cpp").write_text("int main() {}\n")
    (root / "scripts/a.sh").write_text("true\n")
    staging = site.Staging(root, out)
    staging.stage()
    staging.views([])
    assert "[a](a.md#x) [e](examples/README.md) ![p](p.png)" in (out / "index.md").read_text()
    assert "[home](index.md) [code](source/examples/one.cpp.html) [d](design/d.md) [web](https://example.org)" in (out / "a.md").read_text()
    assert "[a](../a.md#a) [folder](../source/scripts/index.html)" in (out / "design/d.md").read_text()
    assert staging.faults == ["docs/a.md: links '../lost.md', which is no file of the repository"], staging.faults
    assert 'id="L1"' in (out / "source/examples/one.cpp.html").read_text() and (out / "source/scripts/index.html").exists()

    page = root / "examples/57-web-page/page"
    page.mkdir(parents=True)
    (page / "digits.wasm").write_bytes(b"network")
    (page / "digits.css").write_text("ol {}\n")
    for name, text in (("network", "export function load() {}"), ("picture", "const pen = 1;"), ("digits", 'import {load} from "./network.js";\nexport const show = load;')):
        (page / f"{name}.js").write_text(text + "\n")
    (out / "demo").mkdir()
    (out / "demo/digits.md").write_text(f"# Draw\n\n{site.DRAWING}\n")
    (out / "site.css").write_text("h1 {}\n")
    assert [fault[:9] for fault in site.add_drawing(root, out)] == ["index.md:"]  # README.md has no heading yet
    assert 'class="digit-demo"' in (out / "demo/digits.md").read_text() and (out / "site.css").read_text() == "h1 {}\nol {}\n"
    script = (out / "demo/digits.js").read_text()
    assert "import" not in script and "export" not in script and "bmV0d29yaw==" in script and "const show = load;" in script, script
    (out / "index.md").write_text("# Sigma\n\n## Why Sigma\n")
    (out / "demo/digits.md").write_text("# Draw\n")
    assert [fault[:15] for fault in site.add_drawing(root, out)] == ["demo/digits.md:"]
    assert '## Draw a digit\n\n<div class="digit-demo">' in (out / "index.md").read_text() and (out / "index.md").read_text().endswith("## Why Sigma\n")
    shutil.rmtree(out / "demo")

    table = root / "nav.txt"
    table.write_text("# words\nFirst: index.md none.md\nGuides / All: *\nDesign: design/*\n")
    nav, missing = site.navigation(table, out)
    assert nav == [{"First": [{"Sigma": "index.md"}]}, {"Guides": [{"All": [{"A": "a.md"}]}]}, {"Design": [{"D": "design/d.md"}]}], nav
    assert missing == ["examples/README.md"], missing

    built = pathlib.Path(folder) / "html"
    built.mkdir()
    (built / "a.html").write_text('<h1 id="x">A</h1><a href="b.html#y">b</a><a href="#x">x</a>')
    (built / "b.html").write_text('<h1 id="y">B</h1><a href="https://example.org">e</a>')
    assert list(site.broken(built)) == []
    (built / "b.html").write_text('<a href="c.html">c</a><a href="a.html#z">z</a><script src="https://example.org/x.js"></script>')
    found = " ".join(site.broken(built))
    assert "c.html, which does not exist" in found and "a.html#z, which has no such anchor" in found and "fetches" in found, found
    assert "b.html#y, which has no such anchor" in found, found
