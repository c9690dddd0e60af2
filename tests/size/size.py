#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""size.py MOST WRITE_MODELS FOLDER COMPILER OBJECT LIBRARY...: links a program that only predicts, with all that it needs in it,
strips it, and fails where it has more bytes than MOST, or does not predict what a model file says. Whoever makes it larger sees
by `nm --size-sort` of the program unstripped, or by the linker's -Map, whether it has to be."""
import pathlib
import subprocess
import sys

most, write_models, folder, compiler, *inputs = sys.argv[1:]
folder = pathlib.Path(folder)
folder.mkdir(parents=True, exist_ok=True)
program = folder / "predictor"
subprocess.run([compiler, "-static", "-s", "-Wl,--gc-sections", *inputs, "-lz", "-lpthread", "-o", program], check=True)
subprocess.run([write_models, folder], check=True, stdout=subprocess.DEVNULL)
models = sorted(folder.glob("*.sigma"))
if not models:
    sys.exit("expected model files, found none")
predicted = 0
for model in models:
    said = subprocess.run([program, model], capture_output=True, text=True)
    if said.returncode == 0 and said.stdout.split():
        predicted += 1
if predicted == 0:
    sys.exit("expected a prediction, found none")
if subprocess.run([program, folder / "none.sigma"], capture_output=True).returncode == 0:
    sys.exit("expected an error of a file that is not there, found none")
size = program.stat().st_size
print(f"{size} bytes, of at most {most}; {predicted} of {len(models)} models have one input and one output, and predict")
if size > int(most):
    sys.exit(f"expected at most {most} bytes, found {size}")
