#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Runs the benchmarks and writes a report: report.html with plots, report.md with tables, report.json, tables as CSV, and plots as SVG.

    report.py PROGRAMS [--output FOLDER] [--quick] [--only SECTION,...]    or: report.py --list

PROGRAMS is the folder of the built benchmarks. run.sh builds them and calls this script.
"""
import argparse
import csv
import datetime
import html
import json
import math
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "run"))
from compare import core_type, processor  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


class Section:
    """A program, the words that it is called with, and the seconds that it takes, each as (full, quick)."""

    def __init__(self, name, title, program, words, seconds, about):
        self.name, self.title, self.program, self.words, self.seconds, self.about = name, title, program, words, seconds, about

    def command(self, programs, quick):
        if self.program.endswith(".py"):
            return [sys.executable, str(HERE / "run" / self.program), str(programs), *self.words[quick]]
        return [str(programs / f"benchmark_{self.program}"), *self.words[quick]]

    def missing(self, programs):
        """Returns what is missing to run the section, or nothing."""
        needed = {"compare.py": ("contender_sigma", "contender_plain"),
                  "compare_inference.py": ("contender_inference_sigma",)}
        for program in needed.get(self.program, (self.program,)):
            if not (programs / f"benchmark_{program}").exists():
                return f"benchmark_{program} is not built"
        return ""


SECTIONS = [
    Section("limits", "Limits of this machine", "limits", ([], []), (1, 1),
            "The rates of one core: the most that a kernel can reach."),
    Section("steps", "Training steps and functions", "compare.py",
            (["--rounds", "5"], ["--rounds", "3", "--seconds", "0.03"]), (220, 50),
            "Plain is the step written by hand on OpenBLAS. Ratios above 1: Sigma is faster."),
    Section("inference", "Predictions", "compare_inference.py",
            (["--rounds", "5"], ["--rounds", "2", "--seconds", "0.03"]), (240, 40),
            "Models as types, and the same models from files. Ratios above 1: Sigma is faster."),
    Section("products", "Matrix products", "product", (["0.05"], ["0.005"]), (180, 30), "One thread, OpenBLAS with the kernels of this processor."),
    Section("convolutions", "Convolutions and their gradients", "convolution", (["0.1"], ["0.02"]), (30, 8),
            "One thread, oneDNN in the faster of two layouts of images."),
    Section("functions", "Functions and reductions", "functions", (["15"], ["5"]), (4, 2),
            "Loops written by hand, with old memory and without care for NaN."),
    Section("batches", "Steps by batch size", "batches", ([], ["1"]), (9, 3),
            "One core, Adagrad. The larger network is that of the earlier Sigma in C#, with dropout."),
    Section("hooks", "Hooks", "hooks", ([], ["3"]), (10, 2), "Costs of hooks in a training step."),
]


def tables_of(text):
    """Returns the Markdown tables of a text, each as (columns, rows)."""
    tables, lines = [], text.splitlines()
    for i in range(1, len(lines)):
        if re.fullmatch(r"\s*\|(\s*:?-+:?\s*\|)+\s*", lines[i]) and lines[i - 1].lstrip().startswith("|"):
            cells = lambda line: [cell.strip() for cell in line.strip().strip("|").split("|")]
            rows = []
            for line in lines[i + 1:]:
                if not line.lstrip().startswith("|"):
                    break
                rows.append(cells(line))
            tables.append({"columns": cells(lines[i - 1]), "rows": rows})
    return tables


def number(text):
    """Returns the first number of a cell, or None."""
    found = re.match(r"-?\d+(\.\d+)?(e[-+]?\d+)?", text)
    return float(found[0]) if found else None


def labels_of(table):
    """Returns the name of each row: its first two cells, if they are no numbers."""
    return [", ".join(cell for cell in row[:2] if not re.fullmatch(r"[-+.\d e%]*( \(.*\))?", cell)) for row in table["rows"]]


def ratios_of(table):
    """Yields (peer, [(row, ratio)]) for each column of ratios to Sigma."""
    for at, column in enumerate(table["columns"]):
        peer = re.match(r"(.+?) / (?:sigma\b|Sigma\b)", column)
        if not peer:
            continue
        found = [(label, number(row[at])) for label, row in zip(labels_of(table), table["rows"]) if at < len(row)]
        rows = [(label, value) for label, value in found if value]
        if rows:
            yield peer[1], rows


# ---- plots: SVG that follows the colours of its page ----

WIDTH = 760
INK, GRID, AHEAD, BEHIND = "var(--ink, #222)", "var(--grid, #bbb)", "var(--ahead, #2a7f62)", "var(--behind, #c26a1d)"


def text(x, y, words, anchor="start", size=12, fill=INK):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{fill}">{html.escape(str(words))}</text>'


def line(x1, y1, x2, y2, colour=GRID, width=1):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"/>'


def svg(title, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" height="{height:.0f}" '
            f'role="img" aria-label="{html.escape(title, quote=True)}" font-family="system-ui, sans-serif">'
            f'<title>{html.escape(title)}</title>{"".join(parts)}</svg>\n')


def ticks(low, high):
    """Numbers 1, 2 and 5 times powers of ten between two limits."""
    return [m * 10.0 ** e for e in range(-9, 10) for m in (1, 2, 5) if low <= m * 10.0 ** e <= high]


def bars(title, rows):
    """Ratios as bars on a logarithmic axis that begins at 1."""
    low = min(0.5, min(v for _, v in rows) / 1.1)
    high = max(2.0, max(v for _, v in rows) * 1.1)
    left, right, top, step = 330, WIDTH - 50, 40, 18
    x = lambda v: left + (right - left) * math.log(v / low) / math.log(high / low)
    bottom = top + step * len(rows)
    parts = [text(0, 18, title, size=15)]
    shown = ticks(low, high)
    for tick in shown if len(shown) < 10 else shown[::3]:
        parts += [line(x(tick), top, x(tick), bottom), text(x(tick), bottom + 16, f"{tick:g}", "middle", 11)]
    for i, (label, value) in enumerate(rows):
        y = top + step * i
        begin, end = sorted((x(1), x(value)))
        parts.append(f'<rect x="{begin:.1f}" y="{y + 2:.1f}" width="{max(1, end - begin):.1f}" height="{step - 5}" fill="{AHEAD if value >= 1 else BEHIND}"/>')
        short = label if len(label) <= 52 else label[:51] + "…"
        parts += [text(left - 8, y + 13, short, "end", 11), text(right + 6, y + 13, f"{value:.2f}", size=11)]
    parts.append(line(x(1), top, x(1), bottom, INK, 1.5))
    return svg(title, bottom + 26, parts)


COLOURS = ("var(--ahead, #2a7f62)", "var(--behind, #c26a1d)", "var(--third, #4a6fb5)", "var(--fourth, #8a5aa8)")


def curves(title, across, up, series, limits=()):
    """Series [(name, [(x, y)], joined)] on logarithmic axes, and limits [(name, function of x)]."""
    xs = [x for _, points, _ in series for x, _ in points]
    ys = [y for _, points, _ in series for _, y in points]
    low_x, high_x = min(xs) / 1.3, max(xs) * 1.3
    high_y = max(ys + [f(high_x) for _, f in limits]) * 1.3
    low_y = max(min(ys + [f(low_x) for _, f in limits]) / 1.3, high_y / 1e4)
    left, right, top, bottom = 60, WIDTH - 20, 40, 400
    x = lambda v: left + (right - left) * math.log(v / low_x) / math.log(high_x / low_x)
    y = lambda v: bottom - (bottom - top) * math.log(max(v, low_y) / low_y) / math.log(high_y / low_y)
    parts = [text(0, 18, title, size=15)]
    for tick in ticks(low_x, high_x):
        parts += [line(x(tick), top, x(tick), bottom), text(x(tick), bottom + 16, f"{tick:g}", "middle", 11)]
    for tick in ticks(low_y, high_y):
        parts += [line(left, y(tick), right, y(tick)), text(left - 6, y(tick) + 4, f"{tick:g}", "end", 11)]
    parts += [text((left + right) / 2, bottom + 36, across, "middle"), text(left, top - 6, up, "middle", 11)]
    for name, f in limits:
        points = [low_x * (high_x / low_x) ** (i / 60) for i in range(61)]
        path = " ".join(f"{x(v):.1f},{y(f(v)):.1f}" for v in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{INK}" stroke-width="1.5" stroke-dasharray="5 4"><title>{html.escape(name)}</title></polyline>')
    for i, (name, points, joined) in enumerate(series):
        colour = COLOURS[i % len(COLOURS)]
        if joined:
            path = " ".join(f"{x(a):.1f},{y(b):.1f}" for a, b in points)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x(a):.1f}" cy="{y(b):.1f}" r="3.5" fill="{colour}"/>' for a, b in points]
        parts += [f'<rect x="{left + 12 + 150 * i}" y="{bottom + 48}" width="12" height="12" fill="{colour}"/>',
                  text(left + 30 + 150 * i, bottom + 58, name)]
    return svg(title, bottom + 70, parts)


def product_rows(section):
    """Yields (m, k, n, {library: GFLOP/s}) of float products of plain matrices."""
    for table in section["tables"]:
        for row in table["rows"]:
            cells = dict(zip(table["columns"], row))
            shape = re.fullmatch(r"(\d+) x +(\d+) x +(\d+)", cells.get("m x k x n", ""))
            if shape and cells.get("type") == "float":
                yield (*map(int, shape.groups()), {c.removesuffix(" GFLOP/s"): number(v) for c, v in cells.items() if c.endswith(" GFLOP/s")})


def plots_of(sections):
    """Yields (name of a file, section, SVG)."""
    by_name = {s["name"]: s for s in sections}
    for s in sections:
        for table in s["tables"]:
            for peer, rows in ratios_of(table):
                name = re.sub(r"\W+", "-", f"ratios-{s['name']}-{peer}".lower())
                yield name, s["name"], bars(f"{s['title']}: time of {peer} / time of Sigma", rows)
    threads = []
    for s in sections:
        for table in s["tables"]:
            for label, row in zip(labels_of(table), table["rows"]):
                found = re.search(r"\(([\d.]+) x 1 thread\)", " ".join(row))
                if found:
                    threads.append((label.removesuffix(", 2 threads"), float(found[1])))
    if threads:
        yield "two-threads", "steps", bars("Two threads: time of one thread / time of two", threads)
    products = list(product_rows(by_name["products"])) if "products" in by_name else []
    libraries = sorted({library for *_, speeds in products for library in speeds}, reverse=True)
    squares = [(m, speeds) for m, k, n, speeds in products if m == k == n]
    if squares:
        yield "products-by-size", "products", curves("Products of square matrices", "rows", "GFLOP/s",
                                                     [(l, [(m, v[l]) for m, v in squares], True) for l in libraries])
    for table in by_name.get("batches", {"tables": []})["tables"]:
        by_network = {}
        for network, size, milliseconds, *_ in table["rows"]:
            by_network.setdefault(network, []).append((number(size), number(milliseconds)))
        yield "steps-by-batch-size", "batches", curves("Training steps by batch size", "records of a step", "ms",
                                                       [(name, points, True) for name, points in by_network.items()])
    limits = {row[0]: number(row[1]) for table in by_name.get("limits", {"tables": []})["tables"] for row in table["rows"]}
    peak, memory = limits.get("multiply-adds, GFLOP/s"), limits.get("copies in memory, GB/s")
    if products and peak and memory:
        intensity = lambda m, k, n: 2 * m * k * n / (4 * (m * k + k * n + m * n))
        yield "roofline", "products", curves(
            "Roofline: products of one core", "operations a byte", "GFLOP/s",
            [(l, [(intensity(m, k, n), v[l]) for m, k, n, v in products], False) for l in libraries],
            [("the lower of the peak and the bandwidth of memory", lambda i: min(peak, memory * i))])


# ---- the report ----

STYLE = """:root { color-scheme: light dark; --ink: #222; --grid: #ccc; --ahead: #2a7f62; --behind: #b85c12; --paper: #fff;
  --third: #3d63ad; --fourth: #80509e }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e6; --grid: #4a4a4a; --ahead: #58b896; --behind: #e59a52; --paper: #161616;
  --third: #86a8ea; --fourth: #c39adf } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-size: 0.85rem; display: block; overflow-x: auto; margin: 1rem 0 }
th, td { border: 1px solid var(--grid); padding: 0.2rem 0.5rem; text-align: left } svg { max-width: 100%; height: auto; margin: 1rem 0 }
a { color: var(--third) }
"""


def page_of(report, plots):
    e = html.escape
    about = report["about"]
    parts = [f"<!doctype html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' content='width=device-width'>"
             f"<title>Benchmarks of Sigma</title><style>{STYLE}</style></head><body><main><h1>Benchmarks of Sigma</h1>"]
    parts.append("<p>" + ", ".join(e(f"{key}: {value}") for key, value in about.items()) + "</p><ul>")
    parts += [f"<li><a href='#{e(s['name'])}'>{e(s['title'])}</a></li>" for s in report["sections"]]
    parts.append("</ul>")
    for s in report["sections"]:
        parts.append(f"<h2 id='{e(s['name'])}'>{e(s['title'])}</h2><p>{e(s['about'])}</p>")
        if s["problem"]:
            parts.append(f"<p><strong>Not measured:</strong> {e(s['problem'])}</p>")
        parts += [picture for _, name, picture in plots if name == s["name"]]
        for table in s["tables"]:
            row = lambda cells, tag: "<tr>" + "".join(f"<{tag}>{e(c)}</{tag}>" for c in cells) + "</tr>"
            parts.append("<table><thead>" + row(table["columns"], "th") + "</thead><tbody>" +
                         "".join(row(r, "td") for r in table["rows"]) + "</tbody></table>")
    return "".join(parts) + "</main></body></html>\n"


def markdown_of(report):
    lines = ["# Benchmarks of Sigma", "", ", ".join(f"{key}: {value}" for key, value in report["about"].items()) + ".", ""]
    for s in report["sections"]:
        lines += [f"## {s['title']}", "", s["about"], ""]
        if s["problem"]:
            lines += [f"Not measured: {s['problem']}", ""]
        for table in s["tables"]:
            lines += ["| " + " | ".join(table["columns"]) + " |", "|" + "---|" * len(table["columns"])]
            lines += ["| " + " | ".join(row) + " |" for row in table["rows"]] + [""]
    return "\n".join(lines)


def minutes(seconds):
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def commit():
    found = subprocess.run(["git", "-C", str(HERE), "describe", "--always", "--dirty"], capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def measure(sections, programs, quick):
    environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
                       OPENBLAS_CORETYPE=os.environ.get("OPENBLAS_CORETYPE", core_type()))
    results, pace = [], 1.0
    for i, s in enumerate(sections):
        left = sum(other.seconds[quick] for other in sections[i:]) * pace
        print(f"[{i + 1}/{len(sections)}] {s.title}; about {minutes(left)} left", flush=True)
        result = {"name": s.name, "title": s.title, "about": s.about, "problem": s.missing(programs), "tables": [], "seconds": 0.0}
        results.append(result)
        if result["problem"]:
            print(f"    left out: {result['problem']}")
            continue
        began = time.monotonic()
        run = subprocess.run(s.command(programs, quick), capture_output=True, text=True, env=environment)
        result["seconds"] = round(time.monotonic() - began, 1)
        pace = 0.5 * pace + 0.5 * result["seconds"] / s.seconds[quick]
        result["tables"] = tables_of(run.stdout)
        if run.returncode != 0 or not result["tables"]:
            last = (run.stderr or run.stdout).strip().splitlines()[-1:] or ["nothing was printed"]
            result["problem"] = f"{' '.join(s.command(programs, quick)[:2])} ended with {run.returncode}: {last[0]}"
            print(f"    {result['problem']}", file=sys.stderr)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=pathlib.Path, nargs="?", help="folder of the built benchmarks")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("report"), help="folder of the report (default: report)")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--only", default="", help="names of sections, separated by commas")
    parser.add_argument("--list", action="store_true", help="list the sections and end")
    arguments = parser.parse_args()
    if arguments.list:
        for s in SECTIONS:
            print(f"{s.name:14} {s.title}, {minutes(s.seconds[0])}, quick {minutes(s.seconds[1])}")
        return 0
    wanted = [name for name in arguments.only.split(",") if name]
    unknown = set(wanted) - {s.name for s in SECTIONS}
    if unknown or not arguments.programs:
        parser.error(f"no section {', '.join(sorted(unknown))}; --list lists them" if unknown else "the folder of the benchmarks is missing")
    sections = [s for s in SECTIONS if not wanted or s.name in wanted]
    cpu = processor()
    report = {"about": {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="minutes"),
                        "processor": cpu.get("model name", platform.processor()), "cores": os.cpu_count(),
                        "system": platform.platform(terse=True), "Sigma": commit(), "rounds": "quick" if arguments.quick else "full"},
              "sections": measure(sections, arguments.programs.resolve(), arguments.quick)}
    plots = list(plots_of(report["sections"]))
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name, _, picture in plots:
        (arguments.output / f"{name}.svg").write_text(picture)
    for s in report["sections"]:
        for i, table in enumerate(s["tables"]):
            with open(arguments.output / f"{s['name']}{'-' + str(i + 1) if i else ''}.csv", "w", newline="") as file:
                csv.writer(file).writerows([table["columns"], *table["rows"]])
    (arguments.output / "report.json").write_text(json.dumps(report, indent=1) + "\n")
    (arguments.output / "report.md").write_text(markdown_of(report))
    (arguments.output / "report.html").write_text(page_of(report, plots))
    print(f"{arguments.output / 'report.html'}: {sum(len(s['tables']) for s in report['sections'])} tables, {len(plots)} plots")
    return 1 if any(s["problem"] and "ended with" in s["problem"] for s in report["sections"]) else 0


if __name__ == "__main__":
    sys.exit(main())
