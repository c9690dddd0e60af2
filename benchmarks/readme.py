#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Measures the numbers of README's table in one run, with one build on one machine, and writes them into README.md.

    scripts/install-dependencies.sh build benchmarks oracle    # OpenBLAS, libtorch
    cmake --preset install && cmake --build build/install
    cmake -B build/bench -DCMAKE_BUILD_TYPE=Release -DSIGMA_BUILD_BENCHMARKS=ON
    cmake --build build/bench --target benchmark_contender_sigma benchmark_contender_plain benchmark_contender_torch
    benchmarks/readme.py [--check]    --check prints the table and writes nothing

Compilation is that of README's program with the installed library at -O2, and of a perceptron with libtorch. Times are
processor times of one thread. The size is that of README's program, stripped, with the C++ runtime in it.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BEGIN, END = "<!-- benchmarks/readme.py -->\n", "<!-- end -->\n"


def results(script, *options):
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "results.json"
        subprocess.run([sys.executable, ROOT / "benchmarks" / script, *options, "--output", output], check=True,
                       stdout=subprocess.DEVNULL)
        return json.loads(output.read_text())["rows"]


def library_of_torch():
    """Megabytes of libtorch's library for the processor."""
    for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/local/lib"):
        for path in sorted(pathlib.Path(folder).glob("libtorch_cpu.so*")):
            return path.resolve().stat().st_size / 1e6
    sys.exit("readme.py: libtorch is not installed (scripts/install-dependencies.sh oracle)")


def processor():
    with open("/proc/cpuinfo") as file:
        return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))


def table(programs, libraries):
    compiled = {row["program"]: row for row in results("compile/measure.py", "--only", "README", "--forms", "compiled",
                                                       "--compilers", "g++", "--libraries", libraries)}
    size = next(float(found[1]) for name in compiled if (found := re.match(r"README, linked: ([\d.]+) MB", name)))
    small = results("run/compare.py", programs, "--only", "iris-sgd")[0]
    large = results("run/compare.py", programs, "--only", "wide-sgd")[0]
    version = subprocess.run(["g++", "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
    return (f"| measured with g++ {version}, one thread ([more](docs/benchmarks.md)) | Sigma | libtorch 1.13 |\n"
            "|---|---:|---:|\n"
            f"| compile time: the program above; a perceptron for libtorch | {compiled['README']['seconds']:.1f} s | "
            f"{compiled[next(name for name in compiled if 'libtorch' in name)]['seconds']:.0f} s |\n"
            f"| one training step, 4-12-12-3, batch 10 | {small['us']['sigma']:.1f} µs | {small['us']['torch']:.0f} µs |\n"
            f"| one training step, 784-1024-1024-10, batch 100 | {large['us']['sigma'] / 1000:.1f} ms | "
            f"{large['us']['torch'] / 1000:.1f} ms |\n"
            f"| heap allocations per step | {large['heap']['sigma']:.0f} | {large['heap']['torch']:.0f} |\n"
            f"| size: the program above, stripped; libtorch's library alone | {size:.1f} MB | {library_of_torch():.0f} MB |\n\n"
            f"Processor: {processor()}.\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=pathlib.Path, default=ROOT / "build/bench/benchmarks")
    parser.add_argument("--libraries", type=pathlib.Path, default=ROOT / "build/install")
    parser.add_argument("--check", action="store_true", help="print the table and write nothing")
    arguments = parser.parse_args()
    made = table(arguments.programs, arguments.libraries)
    print(made)
    if arguments.check:
        return
    page = ROOT / "README.md"
    head, rest = page.read_text().split(BEGIN)
    page.write_text(head + BEGIN + "\n" + made + END + rest.split(END, 1)[1])


if __name__ == "__main__":
    main()
