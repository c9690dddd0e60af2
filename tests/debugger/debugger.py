#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""debugger.py ROOT PROGRAM: shows the values of program.cpp in gdb, by packaging/debugger/sigma_gdb.py.

gdb also evaluates each expression of sigma.natvis, so that the names of members in it exist."""
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

SHOWN = {  # in main, and in the formula of a layer
    "table": "Array<float> (2, 3) = {1, 2, 3, 4, 5, 6}",
    "row": "Array<double> (2,) = {0.5, -1.5}",
    "none": "Array<float> (0, 4)",
    "view": "ArrayView<float const> (2, 2) = {1, 2, 3, 4}",
    "images": "Shape (batch, 28, 28)",
    "name": '"1-dense.weights"',
    "model": 'Model of 4 parameters, 11 numbers = {["1-dense.weights"] = {{0, 1}, {10, 11}, {20, 21}}, ["1-dense.biases"] = {100, 101}, '
             '["2-dense.weights"] = {{200}, {210}}, ["2-dense.biases"] = {300}}',
    "large": 'Model of 1 parameter, 300000 numbers = {["1-embedding.table"] = (100, 3000) at ',
    None: "",
    "x": r"Tensor (batch, 3): ",
    "y": r"Tensor (batch, 3): add, node ",
}
NATVIS = {"Array": "table", "ArrayView": "view", "Shape": "images", "Text": "name", "Model": "model", "Tensor": "y", "Variable": "y.variable",
          "ParameterRecord": "*model.network_->parameters.data"}


def natvis(file):
    """Returns the expressions of the file as gdb reads them, by the value to which they apply."""
    found = []
    space = {"n": "http://schemas.microsoft.com/vstudio/debugger/natvis/2010"}
    for kind in xml.parse(file).getroot().findall("n:Type", space):
        value = NATVIS[kind.get("Name").split("<")[0].rsplit("::", 1)[-1]]
        for item in kind.iter():
            texts = re.findall(r"\{(.*?)\}", item.text or "") if item.tag.endswith("DisplayString") else \
                [item.text] if item.tag.rsplit("}", 1)[-1] in ("Item", "Size", "ValuePointer", "ExpandedItem") else []
            if item.get("Condition"):
                texts.append(item.get("Condition"))
            for text in texts:
                # The names at the beginning of a path are members of the value.
                found.append((value, re.sub(r"(?<![\w.>])([a-z_]\w*)", rf"({value}).\1", text.removesuffix(",s"))))
    return found


def main(root, program):
    gdb = shutil.which("gdb")
    if gdb is None:
        print("skipped: gdb is not installed")
        return 77
    expressions = natvis(root / "packaging/debugger/sigma.natvis")
    commands = ["set debuginfod enabled off", "set confirm off", f"source {root / 'packaging/debugger/sigma_gdb.py'}", "break look", "run", "up"]
    for name in SHOWN:
        commands += ["continue", "up"] if name is None else [f"echo \\n== {name}\\n", f"output {name}"]
        if name in ("model", "y"):
            commands += [f"echo \\n== {value} {expression}\\n" + "\x00" + f"output {expression}" for value, expression in expressions
                         if (value[0] == "y") == (name == "y")]
    words = [gdb, "-q", "-nx", "-batch"]
    for line in commands:
        for part in line.split("\x00"):
            words += ["-ex", part]
    done = subprocess.run([*words, program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    if "ptrace: Operation not permitted" in done.stdout:
        print("skipped: this machine lets no debugger start a program")
        return 77
    wrong = [f"{name}: expected {wanted}" for name, wanted in SHOWN.items() if name and f"\n== {name}\n{wanted}" not in done.stdout]
    for value, expression in expressions:
        found = re.search(rf"\n== {re.escape(value)} {re.escape(expression)}\n(.*)", done.stdout)
        if not found or not found[1] or found[1].startswith(("There is no member", "No symbol", "A syntax", "Attempt", "Cannot", "Invalid")):
            wrong.append(f"sigma.natvis: gdb cannot evaluate {expression}: {found and found[1]}")
    if wrong:
        sys.exit("\n".join([done.stdout, *wrong]))
    print(f"{len(SHOWN) - 1} values, {len(expressions)} expressions of sigma.natvis")


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]))
