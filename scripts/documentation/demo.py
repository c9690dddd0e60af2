#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Makes one HTML file of the monitor's page and a recorded run: a demo that needs no program and no network.

    demo.py ROOT RECORDING UPLOT OUT      RECORDING is what record_demo.mjs wrote, UPLOT the folder dist of uPlot's package
"""
import base64
import gzip
import json
import pathlib
import posixpath
import re
import sys


def module(name, text):
    """A module of the page, whose imports have names of the import map in place of paths."""
    def absolute(found):
        return f'{found[1]}"sigma/{posixpath.normpath(posixpath.join(posixpath.dirname(name), found[2]))}"'
    return re.sub(r'(\bfrom\s+|\bimport\s*\(?\s*)"(\.{1,2}/[^"]+)"', absolute, text)


def made(root, recording, uplot):
    page = root / "components/monitor/page"
    imports, icon = {}, base64.b64encode((page / "icon.svg").read_bytes()).decode()
    for path in sorted(page.rglob("*.js")):
        name = str(path.relative_to(page))
        text = module(name, path.read_text()).replace("/page/icon.svg", f"data:image/svg+xml;base64,{icon}")
        data = base64.b64encode(text.encode()).decode()
        imports[f"sigma/{name}"] = f"data:text/javascript;base64,{data}"
    shim = (pathlib.Path(__file__).parent / "demo.js").read_text()

    def script(text):
        return "<script>" + text.replace("</script", r"<\/script") + "</script>"
    replaced = {
        '<link rel="icon" href="/page/icon.svg" type="image/svg+xml">': f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">',
        '<link rel="stylesheet" href="/page/uPlot.min.css">': f"<style>{(uplot / 'uPlot.min.css').read_text()}</style>",
        '<link rel="stylesheet" href="/page/style.css">': f"<style>{(page / 'style.css').read_text()}</style>",
        '<script src="/page/theme.js"></script>': script((page / "theme.js").read_text()),
        '<script src="/page/uPlot.iife.min.js" defer></script>': script((uplot / "uPlot.iife.min.js").read_text()),
        '<script src="/page/app.js" type="module"></script>':
            f'<script id="recording" type="application/json">{recording.replace("<", chr(92) + "u003c")}</script>' + script(shim) +
            f'<script type="importmap">{json.dumps({"imports": imports})}</script><script type="module">import "sigma/app.js";</script>',
    }
    text = (page / "index.html").read_text()
    for old, new in replaced.items():
        if old not in text:
            raise SystemExit(f"components/monitor/page/index.html has no line {old}")
        text = text.replace(old, new)
    rest = re.findall(r'(?:src|href)="(?!data:|#)[^"]+"', re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL))
    if rest:
        raise SystemExit(f"components/monitor/page/index.html fetches {rest}")
    return text


if __name__ == "__main__":
    root, recording, uplot, out = (pathlib.Path(name) for name in sys.argv[1:5])
    out.write_text(made(root, gzip.decompress(recording.read_bytes()).decode(), uplot))
    print(f"{out}: {out.stat().st_size} bytes")
