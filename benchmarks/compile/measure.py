#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Measures seconds and peak memory of compiling programs, compared with libtorch's perceptron. Prints a table with targets.

Seconds are processor time (user and system), because other programs on the machine lengthen it less than wall time.
Targets are shares of the time of libtorch's program in the same run (g++ -O2), which they lengthen, too.

    benchmarks/compile/measure.py --output benchmarks/run/results/compile.json

Forms: compiled (sigma::sigma), header-only (sigma::header_only), precompiled (sigma_precompile) and -O0. The libraries to
link are taken from --libraries: cmake --preset install && cmake --build build/install
"""
import argparse
import datetime
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

import programs

TORCH = "libtorch's MLP"
FORMS = ["compiled", "header-only", "precompiled", "-O0"]
PRECOMPILED = "sigma.hpp itself"

# (program, form): maximum seconds as a share of libtorch's, maximum MB; both may be None. Every program is compiled in the
# form "compiled". In the other forms, and by clang, only those of this table are.
TARGETS = {
    ("bare include", "compiled"): (0.06, 160),
    ("MLP", "compiled"): (0.14, None),
    ("README", "compiled"): (0.18, 320),
    ("Iris, one hook", "compiled"): (0.14, None),
    ("table", "compiled"): (0.22, None),
    ("LeNet", "compiled"): (0.2, None),
    ("transformer", "compiled"): (0.35, None),
    ("depth 100, written out", "compiled"): (None, 600),
    ("thirty widths", "compiled"): (0.25, None),
    ("bare include", "header-only"): (None, None),
    ("MLP", "header-only"): (0.45, None),
    ("README", "header-only"): (0.6, None),
    (PRECOMPILED, "precompiled"): (None, None),
    ("bare include", "precompiled"): (None, None),
    ("MLP", "precompiled"): (None, None),
    ("README", "precompiled"): (None, None),
    ("README", "-O0"): (0.12, None),
}
BY_CLANG = ["bare include", "MLP", "README"]
CLANG_TO_GCC = 1.3
FURTHER_HOOK = 0.01
DEPTH = 0.2
LINK_SECONDS = 0.5
BINARY_MB = 2


def timed(command, folder):
    """Returns processor seconds, peak MB and the first error of a command. A forked process measures its children only."""
    child = os.fork()
    if child == 0:
        with open(folder / "errors", "w") as errors:
            code = subprocess.call([str(word) for word in command], stdout=errors, stderr=errors)
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        (folder / "usage").write_text(f"{usage.ru_utime + usage.ru_stime} {usage.ru_maxrss / 1024} {code}")
        os._exit(0)
    os.waitpid(child, 0)
    seconds, megabytes, code = (float(x) for x in (folder / "usage").read_text().split())
    if code == 0:
        return seconds, megabytes, ""
    said = (folder / "errors").read_text()
    return None, None, next((line for line in said.splitlines() if "undefined reference" in line or "error" in line), said or "no message")[:300]


def torch_command():
    """Returns the command for Debian's libtorch-dev, or for a libtorch below /usr/local."""
    for folder in ("/usr/include", "/usr/local/include"):
        api = pathlib.Path(folder, "torch/csrc/api/include")
        if (api / "torch/torch.h").exists():
            return ["g++", "-std=c++17", "-O2", "-march=native", "-isystem", api]
    return None


class Run:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.sources = programs.sources()
        self.results = {}  # (program, form, compiler) -> (seconds, MB, error), with the minimum of all rounds

    def command(self, compiler, form):
        command = programs.command(compiler, "native", self.arguments.root, form != "header-only")
        command += ["-O0" if form == "-O0" else "-O2", f'-DSIGMA_SHARE_DIR="{programs.ROOT}/data"']
        return command

    def keep(self, key, result):
        print(", ".join(filter(None, key)), result, file=sys.stderr, flush=True)
        old = self.results.get(key)
        if not old or not old[0] or (result[0] and result[0] < old[0]):
            self.results[key] = result

    def compile(self, name, form, compiler):
        extra = []
        header = self.folder / f"{'clang' if 'clang' in compiler else 'gcc'}.hpp"
        made = header.with_name(header.name + (".pch" if "clang" in compiler else ".gch"))
        if name == PRECOMPILED:
            header.write_text("#include <sigma/sigma.hpp>\n")
            command = [*self.command(compiler, form), "-x", "c++-header", header, "-o", made]
        else:
            source = self.folder / "program.cpp"
            source.write_text(self.sources[name])
            if form == "precompiled":
                extra = ["-include-pch", made] if "clang" in compiler else ["-Winvalid-pch", "-Werror", "-include", header]
            command = [*self.command(compiler, form), *extra, "-c", source, "-o", self.folder / f"{name} {form}.o"]
        self.keep((name, form, compiler), timed(command, self.folder))

    def torch(self):
        command = torch_command()
        if command:
            source = programs.FOLDER / "mlp_torch.cpp"
            self.keep((TORCH, "", "g++"), timed([*command, "-c", source, "-o", self.folder / "torch.o"], self.folder))
        else:
            self.results[(TORCH, "", "g++")] = (None, None, "libtorch is not installed: no shares")

    def link(self):
        """Returns the seconds to link README's program and its MB, stripped, with the C++ runtime linked statically."""
        libraries = [self.arguments.libraries / f"lib{name}.a" for name in ("sigma_data", "sigma")]
        if not all(library.exists() for library in libraries):
            return None, f"not measured: {libraries[0]} does not exist"
        program = self.folder / "program"
        command = ["g++", self.folder / "README compiled.o", "-o", program, "-static-libstdc++", "-static-libgcc",
                   "-Wl,--gc-sections", *libraries,
                   "-lz", "-larchive", "-lcurl", "-lcrypto", "-lunistring", "-pthread", "-s"]
        runs = [timed(command, self.folder) for _ in range(3)]
        if runs[0][2]:
            self.results[("README, linked", "compiled", "g++")] = runs[0]
            return None
        return min(run[0] for run in runs), program.stat().st_size / 1e6


class Table:
    def __init__(self):
        self.rows = []
        print("| program | form | compiler | seconds | of libtorch's | peak MB | target | |\n|---|---|---|---|---|---|---|---|", flush=True)

    def row(self, program, form, compiler, seconds, share, megabytes, target, met):
        self.rows.append({"program": program, "form": form, "compiler": compiler, "seconds": seconds, "share": share,
                          "megabytes": megabytes, "target": target, "met": met})
        number = lambda value, digits: "" if value is None else f"{value:.{digits}f}"
        said = "" if not target else "ok" if met else "MISSED" if met is not None else "unknown"
        print(f"| {program} | {form} | {compiler} | {number(seconds, 2)} | {number(share, 3)} | {number(megabytes, 0)} | {target} | {said} |",
              flush=True)


def within(pairs):
    """Returns whether each value is within its limit, or None if one of them is unknown."""
    if any(value is None for value, _ in pairs):
        return None
    return all(value <= most for value, most in pairs)


def report(run, linked):
    table = Table()
    seconds = lambda *key: run.results.get(key, (None, None, ""))[0]
    torch = seconds(TORCH, "", "g++")
    share = lambda value: value / torch if value is not None and torch else None
    difference = lambda a, b: a - b if a is not None and b is not None else None
    for (name, form, compiler), (taken, megabytes, error) in run.results.items():
        most_share, most_mb = TARGETS.get((name, form), (None, None)) if compiler == "g++" else (None, None)
        asked = [(share(taken), most_share)] * (most_share is not None) + [(megabytes, most_mb)] * (most_mb is not None)
        words = [f"≤ {most_share}"] * (most_share is not None) + [f"≤ {most_mb} MB"] * (most_mb is not None)
        if compiler != "g++" and seconds(name, form, "g++"):
            asked, words = [(taken, CLANG_TO_GCC * seconds(name, form, "g++"))], [f"≤ {CLANG_TO_GCC} of g++'s"]
        met = False if error else within(asked)
        table.row(name, form, compiler, taken, share(taken), megabytes, ", ".join(words + [error] * bool(error)), met)
    one, five = (seconds(f"Iris, {many} hook{'s' * (many != 'one')}", "compiled", "g++") for many in ("one", "five"))
    hook = difference(five, one)
    if hook is not None:
        hook /= 4
        table.row("each further hook", "compiled", "g++", hook, share(hook), None, f"≤ {FURTHER_HOOK}", within([(share(hook), FURTHER_HOOK)]))
    deeper = difference(seconds("depth 100, written out", "compiled", "g++"), seconds("depth 3, written out", "compiled", "g++"))
    if deeper is not None:
        table.row("depth 100 beyond depth 3", "compiled", "g++", deeper, share(deeper), None, f"≤ {DEPTH}", within([(share(deeper), DEPTH)]))
    if linked:
        link, size = linked
        if link is None:
            table.row("README, linked", "compiled", "g++", None, None, None, size, None)
        else:
            table.row(f"README, linked: {size:.2f} MB", "compiled", "g++", link, share(link), None,
                      f"≤ {LINK_SECONDS} s, ≤ {BINARY_MB} MB stripped", within([(link, LINK_SECONDS), (size, BINARY_MB)]))
    return table.rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compilers", default="g++,clang++-19")
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--only", default="", help="only programs whose names contain this")
    parser.add_argument("--root", type=pathlib.Path, default=programs.ROOT, help="the repository whose include/ is compiled")
    parser.add_argument("--libraries", type=pathlib.Path, default=programs.ROOT / "build/install", help="folder of libsigma.a")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--output", type=pathlib.Path, help="file of JSON to write")
    arguments = parser.parse_args()
    forms = arguments.forms.split(",")
    if set(forms) - set(FORMS):
        sys.exit(f"measure: expected forms out of {', '.join(FORMS)}, found {arguments.forms}")
    compilers = [compiler for compiler in arguments.compilers.split(",") if shutil.which(compiler)]
    for compiler in set(arguments.compilers.split(",")) - set(compilers):
        print(f"{compiler} is not installed")
    with tempfile.TemporaryDirectory() as folder:
        run = Run(arguments, pathlib.Path(folder))
        wanted = [(name, "compiled") for name in run.sources]
        wanted += [key for form in FORMS[1:] for key in TARGETS if key[1] == form]
        wanted = [(name, form) for name, form in wanted
                  if form in forms and (arguments.only in name or (name == PRECOMPILED and form == "precompiled"))]
        for _ in range(arguments.rounds):
            run.torch()
            for compiler in compilers:
                for name, form in wanted:
                    if compiler == "g++" or name in BY_CLANG + [PRECOMPILED] and form != "-O0":
                        run.compile(name, form, compiler)
        linked = run.link() if ("README", "compiled", "g++") in run.results else None
        rows = report(run, linked)
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        about = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")}
        arguments.output.write_text(json.dumps({"about": about, "rows": rows}, indent=1) + "\n")
    sys.exit(any(error for name, (_, _, error) in run.results.items() if name[0] != TORCH))  # a missed target is not an error


if __name__ == "__main__":
    main()
