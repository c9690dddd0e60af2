#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Tests sigma-model: it describes the file of example 39, predicts from a table, converts the file, and rejects others.

    sigma_model.py SIGMA_MODEL EXAMPLE DIRECTORY [MODELS]     MODELS: the program c_abi/write_models.cpp
"""
import csv
import io
import pathlib
import shutil
import subprocess
import sys

tool, example, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
model = folder / "iris.sigma"


def run(*words, code=0):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=100)
    if done.returncode != code:
        sys.exit(f"{' '.join(map(str, words))}: expected status {code}, found {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def check(what, text, *parts):
    for part in parts:
        if part not in text:
            sys.exit(f"{what}: expected '{part}', found\n{text}")


run(example, model)
check("show", run(tool, "show", model), "1-dense", "(batch, 12)", "Iris-setosa, Iris-versicolor, Iris-virginica", "standardize(inputs)", "sigma 0.")
check("check", run(tool, "check", model), "OK, 4 layers")
check("graph", run(tool, "graph", model), "digraph")
check("formula", run(tool, "formula", model), "tanh", "softmax")
table = folder / "flowers.csv"
table.write_text("a,b,c,d\n5.1,3.5,1.4,0.2\n6.7,3.0,5.2,2.3\n")
check("classes", run(tool, "predict", model, table, "--header", "--classes"), "Iris-setosa\nIris-virginica\n")
rows = [[float(x) for x in line.split(",")] for line in run(tool, "predict", model, table, "--header").split()]
if [len(r) for r in rows] != [3, 3] or any(abs(sum(r) - 1) > 1e-5 for r in rows):
    sys.exit(f"predict: expected probabilities of 2 records, found {rows}")
check("names that are no header", run(tool, "predict", model, table, code=2), "found 'a' (does the file need --header?)")
for more in ["7,5.1,3.5,1.4,0.2\n", "5.1,3.5,1.4\n"]:
    other = folder / "other.csv"
    other.write_text("\n" + more)
    count = more.count(",") + 1
    check(f"{count} columns", run(tool, "predict", model, other, code=2),
          f"other.csv', line 2: expected 4 columns, the elements of one record, found {count}")
# Predictions have the units of the targets.
if len(sys.argv) > 4:
    others = folder / "models"
    others.mkdir()
    run(sys.argv[4], others)
    numbers = lambda *words: [float(x) for x in run(tool, "predict", others / "prices.sigma", table, "--header", *words).split()]
    units, prepared = numbers(), numbers("--prepared")
    if len(units) != 2 or any(abs(u - (100 + 200 * p)) > 1e-3 for u, p in zip(units, prepared)):
        sys.exit(f"predict: expected 100 + 200 times {prepared}, found {units}")
    no_way_back = [tool, "predict", others / "no-way-back.sigma", table, "--header"]
    check("no way back", run(*no_way_back, code=2), "sigma-model predict: expected reversible steps, or --prepared, found one_hot")
    if [float(x) for x in run(*no_way_back, "--prepared").split()] != prepared:
        sys.exit("predict --prepared: the output differs from the network's")
    said = run(tool, "predict", others / "names.sigma", table, "--header", "--classes")
    names = list(csv.reader(io.StringIO(said, newline="")))
    if len(names) != 2 or any(len(n) != 1 or n[0] not in ["a, b", '"c"', "d\ne"] for n in names):
        sys.exit(f"predict --classes: expected a quoted name in each of 2 lines, found {said!r}")
    function = others / "function.sigma"
    check("a function", run(tool, "show", function), "half(inputs)")
    run(tool, "convert", function, folder / "function.sigma")
    check("a function that is kept", run(tool, "show", folder / "function.sigma"), "half(inputs)")
    check("a function that is missing", run(tool, "predict", function, table, "--header", code=2),
          "function 'half' of the preprocessing: expected the function, passed as load_model")
# A conversion to a model file and back gives the same file. Other formats have content.
again = folder / "again.sigma"
run(tool, "convert", model, again)
if again.read_bytes() != model.read_bytes():
    sys.exit("convert: expected the same model file")
small = folder / "small.sigma"
for option in ["--bf16", "--f16"]:
    run(tool, "convert", model, small, option)
    if small.stat().st_size > model.stat().st_size - 150:  # 75 parameters lose two bytes each
        sys.exit(f"convert {option}: expected a smaller file, found {small.stat().st_size} bytes of {model.stat().st_size}")
    check(option, run(tool, "predict", small, table, "--header", "--classes"), "Iris-setosa\nIris-virginica\n")
run(tool, "convert", model, folder / "m.npz", "--f16", code=2)
has_onnx = subprocess.run([tool, "convert", str(model), str(folder / "m.onnx")], capture_output=True).returncode == 0
for name in ["m.safetensors", "m.npz", "m.hpp", "m.tex"]:
    run(tool, "convert", model, folder / name)
    if (folder / name).stat().st_size < 200:
        sys.exit(f"convert: expected content in {name}")
if has_onnx:
    run(tool, "convert", folder / "m.onnx", folder / "back.sigma")
    check("back from ONNX", run(tool, "show", folder / "back.sigma"), "Iris-setosa, Iris-versicolor, Iris-virginica", "written by")
check("another ending", run(tool, "convert", model, folder / "m.pt", code=2), "expected a file that ends in")
check("no model", run(tool, "show", table, code=2), "expected a safetensors file")
check("usage", run(tool), "sigma-model predict FILE TABLE")
run(tool, "show", code=2)
print("sigma-model passed")
