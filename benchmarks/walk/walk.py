#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""How far it is from a call to a kernel: stack frames, and files, functions and lines that run.

  walk.py [--frames]     --frames lists the frames

Frames are those of a program without optimization, from the call in `main` to the kernel of a fused loop, both counted.
Files, functions and lines are those of headers of Sigma that gcov sees between two calls. Needs g++, gcov and gdb.
Targets: 15 frames and 30 files for a minibatch, 12 frames for a prediction.
"""
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
include = here.parent.parent / "include"
walks = {"train": "a minibatch of trainer.run", "predict": "model.predict(row)", "evaluate": "trainer.evaluate(data)"}
commands = """set pagination off
set confirm off
set print frame-arguments none
set width 0
rbreak ^sigma::on_cpu::Interpreter<float>::run
commands
silent
bt
echo ======\\n
continue
end
run {walk}
"""


def compiled(folder, name, *options):
    program = folder / name
    subprocess.run(["g++", "-std=c++20", "-O0", "-g", "-march=native", "-pthread", f"-I{include}", *options,
                    str(here / "walk.cpp"), "-o", str(program)], check=True, cwd=folder)
    return program


def frames(program, walk, folder):
    script = folder / "walk.gdb"
    script.write_text(commands.format(walk=walk))
    told = subprocess.run(["gdb", "-q", "-batch", "-x", str(script), str(program)], capture_output=True, text=True).stdout
    stacks = {}
    for stack in told.split("======"):
        names = [re.sub(r"^#\d+\s+(0x[0-9a-f]+ in )?", "", line) for line in stack.splitlines() if re.match(r"#\d", line)]
        if names and names[-1].startswith("main"):
            stacks[names[-1]] = names[:-1]  # without main; the last kernel is as far as the first
    return list(stacks.values())[-1]


def coverage(program, walk, folder):
    subprocess.run([str(program), walk], check=True, cwd=folder)
    subprocess.run(["gcov", "-j", f"{program}-walk.gcda"], check=True, capture_output=True, cwd=folder)
    files = functions = lines = 0
    for found in json.load(gzip.open(next(folder.glob("*.gcov.json.gz"))))["files"]:
        if "sigma" not in found["file"] or not found["file"].startswith(str(include)):
            continue
        ran = {line["line_number"] for line in found["lines"] if line["count"] > 0}
        files += bool(ran)
        lines += len(ran)
        functions += sum(f["execution_count"] > 0 for f in found["functions"])
    for left in folder.glob("*.gcda"):
        left.unlink()
    return files, functions, lines


def main():
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        plain, covered = compiled(folder, "plain"), compiled(folder, "covered", "--coverage", "-DWALK_COVERAGE")
        print(f"{'walk':28} {'frames':>7} {'files':>6} {'functions':>10} {'lines':>6}")
        for walk, what in walks.items():
            stack = frames(plain, walk, folder)
            files, functions, lines = coverage(covered, walk, folder)
            print(f"{what:28} {len(stack):7} {files:6} {functions:10} {lines:6}")
            if "--frames" in sys.argv:
                for name in stack:
                    print("   ", re.sub(r"\(.*", "", name)[:120])


if __name__ == "__main__":
    main()
