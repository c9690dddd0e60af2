#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests report.py with programs that print known tables: what it writes, and what it says of programs that are missing or
fail."""
import json
import pathlib
import subprocess
import sys
import tempfile
import xml.dom.minidom

HERE = pathlib.Path(__file__).resolve().parent
PRINTED = {
    "limits": "| limit | rate |\n|---|---|\n| multiply-adds, GFLOP/s | 118 |\n| copies in memory, GB/s | 18 |\n",
    "product": "about\n\n| type | m x k x n | Sigma GFLOP/s | OpenBLAS GFLOP/s | OpenBLAS / Sigma |\n|---|---|---|---|---|\n"
               "| float | 256 x 256 x 256 | 111 | 100 | 1.11 |\n| float | 512 x 512 x 512 | 110 | 115 | 0.96 |\n"
               "| double | 8 x 8 x 8 | 1 | 2 | 0.5 |\n",
    "batches": "| network | batch size | Sigma ms | us a record |\n|---|---|---|---|\n| deep | 50 | 2.5 | 50 |\n| deep | 500 | 20 | 40 |\n",
    "functions": "| work | Sigma us | by hand us | hand / Sigma |\n|---|---|---|---|\n| a < b & c | 0.2 | 0.18 | 0.92 |\n",
}


def report(folder, *words):
    return subprocess.run([sys.executable, HERE / "report.py", *words], cwd=folder, capture_output=True, text=True)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for program, printed in PRINTED.items():
        (folder / f"{program}.out").write_text(printed)
        script = folder / f"benchmark_{program}"
        script.write_text(f"#!/bin/sh\ncat '{folder}/{program}.out'\n")
        script.chmod(0o755)
    # A relative folder of programs; those that are not built are left out.
    run = report(folder, ".", "--quick", "--output", "all")
    assert run.returncode == 0, run
    assert "left out: benchmark_convolution is not built" in run.stdout, run.stdout
    assert "[1/8] Limits of this machine; about 2 min left" in run.stdout, run.stdout
    found = json.loads((folder / "all/report.json").read_text())
    by_name = {s["name"]: s for s in found["sections"]}
    assert by_name["products"]["tables"][0]["rows"][1] == ["float", "512 x 512 x 512", "110", "115", "0.96"], found
    assert by_name["convolutions"]["problem"] and not by_name["convolutions"]["tables"], found
    plots = sorted(path.stem for path in (folder / "all").glob("*.svg"))
    assert plots == ["products-by-size", "ratios-functions-hand", "ratios-products-openblas", "roofline", "steps-by-batch-size"], plots
    for path in (folder / "all").glob("*.svg"):
        xml.dom.minidom.parse(str(path))
    bars = (folder / "all/ratios-products-openblas.svg").read_text()
    assert "float, 512 x 512 x 512" in bars and bars.count("var(--behind") == 2 and bars.count("var(--ahead") == 1, bars
    page = (folder / "all/report.html").read_text()
    assert page.count("<svg") == 5 and "a &lt; b &amp; c" in page and "Not measured" in page, page
    assert "| a < b & c | 0.2 | 0.18 | 0.92 |" in (folder / "all/report.md").read_text()
    assert (folder / "all/batches.csv").read_text().splitlines() == ["network,batch size,Sigma ms,us a record", "deep,50,2.5,50", "deep,500,20,40"]
    # Some sections, a program that fails, and words that are wrong.
    (folder / "benchmark_functions").write_text("#!/bin/sh\necho 'no memory' >&2\nexit 3\n")
    run = report(folder, ".", "--only", "limits,functions", "--output", "some")
    assert run.returncode == 1 and "ended with 3: no memory" in run.stderr, run
    assert [s["name"] for s in json.loads((folder / "some/report.json").read_text())["sections"]] == ["limits", "functions"]
    run = report(folder, ".", "--only", "product")
    assert run.returncode == 2 and "no section product; --list lists them" in run.stderr, run
    assert report(folder, "--list").stdout.count("\n") == 8
    assert report(folder).returncode == 2
print("report.py writes what programs print")
