# SPDX-License-Identifier: BSL-1.0
"""The programs whose compilation measure.py measures and gate.py limits, and the command that compiles them."""
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = pathlib.Path(__file__).with_name("programs")
sys.path.append(str(ROOT / "tests/docs"))
from readme import program as first_program  # noqa: E402

OPTIONS = {  # as in CMakeLists.txt
    "g++": ["-fconstexpr-ops-limit=1000000000"],
    "clang++": ["-fconstexpr-steps=100000000", "-ffp-contract=fast"],
}


def deep(layers):
    """Returns mlp.cpp with `layers` between its input and its last layer."""
    text = (FOLDER / "mlp.cpp").read_text()
    written = "Dense(128, relu) + Dense(64, relu)"
    if written not in text:
        sys.exit(f"programs.py: mlp.cpp does not contain '{written}'")
    return text.replace(written, " + ".join(layers))


def file(name, **defines):
    return "".join(f"#define {word} {value}\n" for word, value in defines.items()) + (FOLDER / name).read_text()


def sources():
    """name -> source"""
    return {
        "bare include": file("bare.cpp"),
        "MLP": file("mlp.cpp"),
        "README": first_program((ROOT / "README.md").read_text()),
        "Iris": file("iris.cpp", HOOKS=0),
        "Iris, one hook": file("iris.cpp", HOOKS=1),
        "Iris, three hooks": file("iris.cpp", HOOKS=3),
        "Iris, five hooks": file("iris.cpp", HOOKS=5),
        "table": file("table.cpp"),
        "LeNet": file("lenet.cpp"),
        "LSTM": file("lstm.cpp"),
        "transformer": (ROOT / "examples/12-transformer/transformer.cpp").read_text(),
        "depth 3, written out": deep(["Dense(64, relu)"] * 3),
        "depth 100, written out": deep(["Dense(64, relu)"] * 100),
        "thirty widths": deep([f"Dense({20 + 3 * i}, relu)" for i in range(30)]),
    }


def command(compiler, arch, root=ROOT, compiled=True):
    """Returns the command that compiles a program, without the names of the source and the object."""
    return [compiler, "-std=c++20", f"-march={arch}", *OPTIONS["clang++" if "clang" in compiler else "g++"],
            *(["-DSIGMA_COMPILED"] if compiled else []), "-I", str(root / "include")]
