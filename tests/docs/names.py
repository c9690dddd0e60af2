#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that the names in the documentation exist.

In README.md and the pages below docs/, examples/ and data/: functions that code calls, members of `trainer`, types called
error_…, headers, and variables called SIGMA_…
"""
import pathlib
import re
import sys

WORD = r"[A-Za-z_]\w*"
CALL = re.compile(rf"(?<![\w:])((?:\w+::)*)({WORD})\s*(?:<[^<>()]*>)?\(")
DECLARED = re.compile(rf"(?:auto|struct|class|void|bool|int|double|float)\s+({WORD})|({WORD})(?=\s*[=;{{),:])")
TRAINER = {"trainer/trainer.hpp": "", "trainer/trainer_core.hpp": "", "trainer/run/control.hpp": "class Commands", "trainer/inference.hpp": ""}  # the text from which on the header is read
# Names of Catch2, Boost, OpenCV and CMake, the name of a monitor, and a constexpr function of an example.
OTHERS = {"CHECK", "isContinuous", "ptr", "BOOST_HANA_STRING", "web", "stroke", "find_package", "add_subdirectory", "sigma_precompile",
          "noalias", "Ones", "eval", "cblas_sgemm", "dnnl_sgemm", "openblas_get_corename"}
ELSEWHERE = ("xtensor/", "catch2/", "thrust/", "digits")  # export_cpp writes the headers digits*


def words(text):
    text = re.sub(r"//[^\n]*", "", text)
    made = {f"error_{layer}_has_no_such_option" for layer in re.findall(rf"\bSIGMA_OPTIONS\(({WORD}),", text)}
    return set(re.findall(WORD, text)) | made


def read(root, *patterns):
    return "\n".join(f.read_text() for p in patterns for f in sorted(root.glob(p))
                     if f.is_file() and "__pycache__" not in f.parts)


def problems(root):
    headers = words(read(root, "include/**/*.hpp", "cuda/**/*.hpp"))
    of_trainer = words("\n".join((root / "include/sigma" / name).read_text().partition(begin or "\n")[2] for name, begin in TRAINER.items()))
    headers |= words(read(root, "include/**/*.h"))
    all_text = read(root, "include/**/*.hpp", "include/**/*.h", "cuda/**/*.hpp", "CMakeLists.txt", "CMakePresets.json", "cmake/*", "components/**/*.cmake", "*/CMakeLists.txt",
                    "scripts/**/*.sh", "examples/**/*.py", "benchmarks/**/*.*")
    variables = set(re.findall(r"\bSIGMA_\w+", all_text))
    files = [str(f.relative_to(root)) for folder in ("include", "cuda", "tests", "benchmarks") for f in (root / folder).rglob("*.hpp")]
    pages = [root / "README.md", root / "CONTRIBUTING.md"]
    pages += sorted(p for folder in ("docs", "examples", "data") for p in (root / folder).rglob("*.md"))
    # pages of decisions name what was replaced
    pages = [p for p in pages if p.exists() and p.name != "decisions.md" and p.parent.name != "decisions"]
    for page in pages:
        text = page.read_text()
        where = page.relative_to(root)
        blocks = re.findall(r"```cpp\n(.*?)```", text, re.DOTALL)
        spans = re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))
        own = {name for block in blocks for pair in DECLARED.findall(block) for name in pair} | OTHERS
        for code in [re.sub(r"//[^\n]*", "", block) for block in blocks] + spans:
            for scope, name in CALL.findall(code):
                if name not in headers | own and not scope.startswith(("std::", "xt::", "hana::")):
                    yield f"{where}: no header has '{name}', which `{code.strip().splitlines()[0]}` calls"
            for name in re.findall(rf"\btrainer\.({WORD})", code):
                if name not in of_trainer:
                    yield f"{where}: a Trainer has no member '{name}'"
            for name in re.findall(r"\berror_\w+", code):
                if name not in headers and not name.endswith("_"):
                    yield f"{where}: no header has '{name}'"
            for name in re.findall(r"[\w/.-]+\.hpp\b", code):
                if not name.startswith(ELSEWHERE) and not any(f"/{file}".endswith(f"/{name}") for file in files):
                    yield f"{where}: the header '{name}' does not exist"
        for name in sorted(set(re.findall(r"\bSIGMA_[A-Z0-9_]*[A-Z0-9]", text)) - variables):
            yield f"{where}: no code reads the variable '{name}'"


if __name__ == "__main__":
    found = list(dict.fromkeys(problems(pathlib.Path(sys.argv[1]))))
    print("\n".join(found) or "all names exist")
    sys.exit(bool(found))
