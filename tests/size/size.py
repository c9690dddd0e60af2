#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""size.py MOST WRITE_MODELS FOLDER COMPILER OBJECT LIBRARY...: checks the size of a statically linked program that predicts.

Links and strips the program. Fails if it has more than MOST bytes, or if its predictions of model files are wrong. To find
the cause of a larger program, use `nm --size-sort` on the unstripped program, or the linker's -Map."""
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
    sys.exit("no model files found")
predicted = 0
for model in models:
    said = subprocess.run([program, model], capture_output=True, text=True)
    if said.returncode == 0 and said.stdout.split():
        predicted += 1
if predicted == 0:
    sys.exit("the program printed no prediction")
if subprocess.run([program, folder / "none.sigma"], capture_output=True).returncode == 0:
    sys.exit("the program printed no error for a missing file")
size = program.stat().st_size
print(f"{size} bytes, of at most {most}; {predicted} of {len(models)} models have one input and one output, and predict")
if size > int(most):
    sys.exit(f"expected at most {most} bytes, found {size}")
