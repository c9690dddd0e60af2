#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""onnx.py PROGRAM RANDOM QUANTIZED IMPORTED NODE PACKAGES: compares ONNX files with ONNX Runtime.

PROGRAM writes networks as ONNX, RANDOM random programs, and QUANTIZED networks in 8 bits. IMPORTED writes graphs of newer
operator sets, which Sigma reads."""
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, RANDOM, QUANTIZED, IMPORTED, NODE, PACKAGES = sys.argv[1:7]
MOST = "1e-5"
REFUSED = ["f_solve: export_onnx, layer '1-lambda': expected operations that ONNX has, found 'lu'"]

with tempfile.TemporaryDirectory() as folder:
    said = subprocess.run([PROGRAM, folder], text=True, stdout=subprocess.PIPE, check=True, timeout=300).stdout.splitlines()
    problems = [f"expected the refusals {REFUSED}, found {refused}"
                for refused in [[line for line in said if ":" in line]] if refused != REFUSED]
    files = list(pathlib.Path(folder).glob("*.onnx"))
    if len(files) < 100 or len(files) != len(said) - len(REFUSED):
        problems.append(f"expected a file for each of {len(said)} networks that are not refused, found {len(files)}")
    subprocess.run([RANDOM, folder, "300"], check=True, timeout=300)
    compare = pathlib.Path(__file__).with_name("compare.js")
    compared = subprocess.run([NODE, compare, PACKAGES, folder, MOST], timeout=300)
    # The test can fail: one number is changed.
    example = pathlib.Path(folder, "dense_relu.json")
    text = example.read_text()
    at = text.index('"outputs": [{"extents": [1, 3], "values": [') + len('"outputs": [{"extents": [1, 3], "values": [')
    for other in pathlib.Path(folder).glob("*.json"):
        other.unlink()
    example.write_text(text[:at] + "99" + text[text.index(",", at):])
    wrong = subprocess.run([NODE, compare, PACKAGES, folder, MOST], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=60)
    if wrong.returncode == 0 or "dense_relu: expected an error of at most" not in wrong.stderr:
        problems.append(f"a wrong number is not reported: status {wrong.returncode}: {wrong.stderr}")

with tempfile.TemporaryDirectory() as folder:
    for under in ("exact", "near", "float"):
        pathlib.Path(folder, under).mkdir()
    subprocess.run([QUANTIZED, folder], check=True, timeout=300)
    for under, most, level, fails in (("exact", "1e-5", "basic", False), ("near", "0.06", "all", False), ("float", "0.05", "all", True)):
        small = subprocess.run([NODE, compare, PACKAGES, pathlib.Path(folder, under), most, level], timeout=300, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        print(small.stdout, end="")
        if (small.returncode != 0) != fails or (fails and "0 of 3 networks agree" not in small.stdout):
            problems.append(f"networks in 8 bits, {under}: expected {'no' if fails else 'each'} one to agree")
with tempfile.TemporaryDirectory() as folder:
    graphs = subprocess.run([IMPORTED, folder], text=True, stdout=subprocess.PIPE, check=True, timeout=300).stdout.splitlines()
    read = subprocess.run([NODE, compare, PACKAGES, folder, MOST], timeout=300)
    if read.returncode != 0 or len(graphs) < 40:
        problems.append(f"expected 40 or more graphs that are read as ONNX Runtime reads them, found {len(graphs)}")
for problem in problems:
    print(problem, file=sys.stderr)
sys.exit(1 if problems or compared.returncode != 0 else 0)
