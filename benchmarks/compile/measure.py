#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Seconds and peak memory that compiling Sigma's programs takes, with g++ and clang++; prints a table with targets.

Seconds are those of the processor (user and system), which other programs on the machine hardly lengthen.

    benchmarks/compile/measure.py --output benchmarks/run/results/compile.json
"""
import argparse
import datetime
import json
import os
import pathlib
import resource
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = {  # as in CMakeLists.txt
    "g++": ["-fconstexpr-ops-limit=1000000000"],
    "clang++": ["-fconstexpr-steps=100000000", "-ffp-contract=fast"],
}
BARE = "#include <sigma/sigma.hpp>\nint main() {}\n"


def program(layers, inputs=784):
    """A training program: `layers` is what stands between Input and Dense(10)."""
    return f"""#include <sigma/sigma.hpp>
using namespace sigma;
struct Digits : Network<Input({inputs}){layers} + Dense(10) + SoftmaxCE()> {{}};
int main(int count, char** names) {{
    Numbers x{{{{1000, {inputs}}}, std::vector<float>(1000 * {inputs})}}, y{{{{1000}}, std::vector<float>(1000)}};
    for (std::size_t i = 0; i < 1000; ++i) y.values[i] = static_cast<float>(i % 10);
    const Dataset data(x, y, names[count - 1]);
    Trainer trainer("digits", Digits{{}}, GradientDescent{{.learning_rate = 0.01}}, minibatches(data, 100));
    trainer.run(cpu(1), 1);
    return trainer.error() > 100;
}}
"""


def same(n):
    return program(" + Dense(64, relu)" * n)


def repeated(n):
    return program(f" + Dense(64, relu) + {n - 1} * Dense(64, relu)")


IRIS = """#include <sigma/data/iris.hpp>
#include <sigma/sigma.hpp>
#include <chrono>
using namespace sigma;
using namespace std::chrono_literals;
struct Flowers : Network<Input(4) + 2 * Dense(12, tanh) + Dense(3) + SoftmaxCE()> {};
int main() {
    const auto [training, validation] = split(data::iris(), 0.8, 0.2);
    Trainer trainer("iris", Flowers{}, Adam{.learning_rate = 0.01}, minibatches(training, 10));
"""
RUN = "    trainer.run(cpu(), 20);\n}\n"
FIVE_HOOKS = """    trainer.add(
        every(1, epoch).then(score(validation), report(error, accuracy)),
        when(error.decreases(5)).then(save("best.sigma")),
        when(loss.falls_below(0.1).in_a_row(3) && after(5, epoch)).then(report("low", loss)),
        every(30s).then(report(iteration, samples_per_second)),
        when(accuracy.reaches(0.98) || after(20, epoch)).then(stop));
"""
THREE_HOOKS = """#include <sigma/data/mnist.hpp>
#include <sigma/sigma.hpp>
using namespace sigma;
struct Digits : Network<Input(28, 28) + Dropout(0.2f) + 2 * Dense(128, relu) + Dense(10) + SoftmaxCE()> {};
int main() {
    auto [training, testing, whole] = data::mnist();
    Trainer trainer("digits", Digits{}, Adagrad{.learning_rate = 0.02f}, minibatches(training, 100));
    trainer.initialize("*.weights", gaussian(0.1f));
    trainer.add(
        every(1, epoch).then(score(testing), report(error, accuracy)),
        when(error.decreases(5)).then(save("best.sigma")),
        when(accuracy.reaches(0.98) || after(20, epoch)).then(stop));
    trainer.run(cpu(2));
}
"""

PROGRAMS = [  # name, source, most seconds, most MB, difference to which row
    ("bare include", BARE, 2.5, 350, None),
    ("MLP 784-128-64-10", program(" + Dense(128, relu) + Dense(64, relu)"), 4, 450, None),
    ("depth 3, each written", same(3), None, None, None),
    ("depth 10, each written", same(10), None, None, None),
    ("depth 30, each written", same(30), None, None, None),
    ("depth 100, each written", same(100), 4, None, "depth 3, each written"),
    ("depth 3, N * Dense", repeated(3), None, None, None),
    ("depth 10, N * Dense", repeated(10), None, None, None),
    ("depth 30, N * Dense", repeated(30), None, None, None),
    ("depth 100, N * Dense", repeated(100), 4, None, "depth 3, N * Dense"),
    ("thirty widths", program("".join(f" + Dense({20 + 3 * i}, relu)" for i in range(30))), 8, None, None),
    ("Iris without hooks", IRIS + RUN, None, None, None),
    ("Iris with five hooks", IRIS + FIVE_HOOKS + RUN, None, None, None),
    ("example of three hooks", THREE_HOOKS, None, None, None),
    ("twenty gelus", program(" + Dense(64, gelu)" * 20), None, None, None),
]


def compile_once(compiler, source, folder, include):
    path = folder / "program.cpp"
    path.write_text(source)
    command = [compiler, "-std=c++20", "-O2", "-march=native", *FLAGS["clang++" if "clang" in compiler else "g++"],
               "-I", str(include), "-c", str(path), "-o", str(folder / "program.o")]
    # A process of its own, so that its children are this compilation only.
    child = os.fork()
    if child == 0:
        with open(folder / "errors", "w") as errors:
            code = subprocess.call(command, stdout=errors, stderr=errors)
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        (folder / "usage").write_text(f"{usage.ru_utime + usage.ru_stime} {usage.ru_maxrss / 1024} {code}")
        os._exit(0)
    os.waitpid(child, 0)
    seconds, megabytes, code = (float(x) for x in (folder / "usage").read_text().split())
    if code != 0:
        first = next((line for line in (folder / "errors").read_text().splitlines() if "error" in line), "no message")
        return None, None, first[:300]
    return seconds, megabytes, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--compilers", default="g++,clang++")
    parser.add_argument("--only", default="", help="only programs whose names contain this")
    parser.add_argument("--include", type=pathlib.Path, default=ROOT / "include", help="headers of another version")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--output", type=pathlib.Path, help="where to write JSON")
    arguments = parser.parse_args()
    programs = [p for p in PROGRAMS if arguments.only in p[0]]
    results = []
    print("| program | compiler | seconds | peak MB | target | |\n|---|---|---|---|---|---|", flush=True)
    for compiler in arguments.compilers.split(","):
        if not shutil.which(compiler):
            print(f"| | {compiler} is not installed | | | | |")
            continue
        seconds_of = {}
        for name, source, most_seconds, most_mb, base in programs:
            with tempfile.TemporaryDirectory() as folder:
                runs = [compile_once(compiler, source, pathlib.Path(folder), arguments.include) for _ in range(arguments.rounds)]
            seconds, megabytes, error = min(runs, key=lambda run: run[0] or 1e9)
            seconds_of[name] = seconds
            compared = seconds
            if base and seconds and seconds_of.get(base):
                compared = seconds - seconds_of[base]
            target, met = "", not error
            if most_seconds:
                target = f"<= {most_seconds} s"
                if base:
                    target += f" more than {base.split(',')[0]} ({compared or 0:.1f} s)"
                met = met and compared <= most_seconds
            if most_mb:
                target += f", <= {most_mb} MB"
                met = met and megabytes <= most_mb
            results.append({"program": name, "compiler": compiler, "seconds": seconds, "megabytes": megabytes,
                            "target": target, "met": met, "error": error})
            numbers = f"{seconds:.1f} | {megabytes:.0f}" if seconds else f"{error} | "
            print(f"| {name} | {compiler} | {numbers} | {target} | {'MISSED' if not met else 'ok' if target else ''} |", flush=True)
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        about = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")}
        arguments.output.write_text(json.dumps({"about": about, "rows": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
