# SPDX-License-Identifier: BSL-1.0
"""The common part of the oracles: compiles and runs C++ for many cases, and compares the results with PyTorch.

A case has its C++, the numbers that the C++ reads, and PyTorch's results:
    name                  the name of the case
    element               'float' or 'double'
    cpp()                 statements that read numbers from `arrays` and write results to it
    given                 tensors in the order in which the C++ reads them
    wanted(dtype, broken) names and tensors in the order in which the C++ writes them. `broken` is None, or names a part
                          that PyTorch must compute wrong, and how
    parts                 the parts that can be broken
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys

import numpy
import torch

EPSILON = {"float": 2.0**-23, "double": 2.0**-52}
# Sums have another order than PyTorch's. A case may differ by this multiple of the difference between PyTorch in float and
# in double, or by this number of units in the last place of the greatest number of a result.
NOISE, UNITS = 32, 256
# If all numbers of a result are smaller, the differences are measured against this size.
SMALL = 0.01
WRONG = 0.05  # relative error of a broken part


def arguments(description, count):
    own, flags = sys.argv[1:], []
    if "--" in own:
        own, flags = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=description, usage="%(prog)s [options] -- COMPILER_FLAGS")
    parser.add_argument("--count", type=int, default=count, help="number of cases (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the cases (default: %(default)s)")
    parser.add_argument("--only", type=int, help="run only this case, for example one that differed")
    parser.add_argument("--compiler", default="clang++")
    parser.add_argument("--scratch", default="oracle_scratch", help="folder for sources, programs and numbers")
    given = parser.parse_args(own)
    if given.count < 1:
        parser.error(f"--count: expected 1 or more, found {given.count}")
    given.flags = flags
    torch.set_num_threads(1)
    return given


def broken_by(out, how):
    """Returns `out` with a wrong value, or with a wrong gradient."""
    return out * (1 + WRONG) if how == "value" else out + WRONG * (out - out.detach())


def differences(case, found, wanted, noise):
    """Returns a list of messages on differences."""
    said = []
    for (name, w), f in zip(wanted, found):
        w = w.detach().double()
        allowed = max(float(w.abs().max()), SMALL) * EPSILON[case.element] * (UNITS + NOISE * noise)
        worst = float((w - f).abs().max())
        if not worst <= allowed:  # NaN differs
            said.append(f"{case.name}, {name}: expected a difference of at most {allowed:.1e}, found {worst:.1e}")
    return said


def noise_of(exact, rough):
    """Returns the difference between PyTorch in float and in double in units in the last place; infinite for NaN."""
    if not all(bool(torch.isfinite(t).all()) for results in (exact, rough) for _, t in results):
        return float("inf")
    return max(float((e.double() - r.double()).abs().max()) / max(float(e.abs().max()), SMALL)
               for (_, e), (_, r) in zip(exact, rough)) / EPSILON["float"]


def shown(case, found, noise):
    """Returns the parts of a case for which `found` would differ if PyTorch computed them wrong."""
    return {part for part in case.parts if differences(case, found, case.wanted(torch.float64, part), noise)}


class Case:
    """One program or network of a seed.

    `before` counts the uses of each kind of part in the cases before, or is None if a case must depend on its number alone.
    Derived classes have `word`, grow(before), which draws the parts, and wanted(type), which returns PyTorch's results."""

    def __init__(self, number, seed, before):
        self.name, self.number, attempt = f"{self.word}_{number}", number, 0
        while True:  # until rounding has little effect
            self.random = random.Random(f"{seed} {number} {attempt}")
            self.numbers = torch.Generator().manual_seed(seed * 1000003 + number * 1009 + attempt)
            self.grow(before if before is not None else {})
            exact = self.wanted(torch.float64)
            noise = noise_of(exact, self.wanted(torch.float32))
            if noise < self.most_noise():
                break
            attempt += 1
        self.exact, self.noise = exact, noise
        if before is not None:
            for part, _ in shown(self, [t.detach() for _, t in exact], noise):
                before[part] = before.get(part, 0) + 1

    def most_noise(self):
        return 300

    def each_way(self, results):
        """Results of each form that the case has in C++, `ways`."""
        return [(way + name, t) for way in self.ways for name, t in results]


def source(cases, headers):
    text = "// Written by tests/oracle.\n" + "".join(f"#include {h}\n" for h in headers)
    text += '\n#include "oracle/arrays.hpp"\n\nusing namespace sigma;\n\nnamespace {\n'
    for case in cases:
        text += f"\nvoid {case.name}(test::Arrays& arrays) {{\n{case.cpp()}}}\n"
    calls = "".join(f"    {case.name}(arrays);\n" for case in cases)
    text += "\n}  // namespace\n\nint main(int, char** argv) {\n    test::Arrays arrays(argv[1], argv[2]);\n"
    return text + calls + "}\n"


def run(number, cases, headers, options):
    """Compiles and runs some cases. Returns their numbers, or a message."""
    stem = pathlib.Path(options.scratch) / f"unit_{number}"
    cpp, program, given, found = (stem.with_suffix(s) for s in (".cpp", ".exe", ".given", ".found"))
    cpp.write_text(source(cases, headers))
    numpy.concatenate([t.detach().double().numpy().ravel() for c in cases for t in c.given]).tofile(given)
    compiled = subprocess.run([options.compiler, cpp, "-o", program, *options.flags], capture_output=True, text=True)
    if compiled.returncode:
        errors = [line for line in compiled.stderr.splitlines() if "error:" in line]
        return f"{cpp} does not compile:\n" + "\n".join(errors[:5])
    ran = subprocess.run([program, given, found], capture_output=True, text=True)
    if ran.returncode:
        return f"{program} ended with {ran.returncode}: {ran.stderr}"
    return torch.from_numpy(numpy.fromfile(found))


def check(kind, cases, headers, options, at_a_time):
    """Compares all cases. Then breaks each part in PyTorch, which some case must detect. Returns the exit status."""
    pathlib.Path(options.scratch).mkdir(parents=True, exist_ok=True)
    if options.only is not None:
        cases = [cases[options.only]]
    groups = [cases[i:i + at_a_time] for i in range(0, len(cases), at_a_time)]
    said, noticed, parts = [], set(), {part for case in cases for part in case.parts}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda n: run(n, groups[n], headers, options), range(len(groups)))
        for group, numbers in zip(groups, results):
            if isinstance(numbers, str):
                said.append(numbers)
                continue
            for case in group:
                exact = case.wanted(torch.float64)
                noise = noise_of(exact, case.wanted(torch.float32))
                found = []
                for _, w in exact:
                    found.append(numbers[:w.numel()].reshape(w.shape))
                    numbers = numbers[w.numel():]
                different = differences(case, found, exact, noise)
                said += different
                if not different:
                    noticed |= shown(case, found, noise)
            if len(numbers):
                said.append(f"unit of {group[0].name}: {len(numbers)} numbers too many")
    for sentence in said:
        print(sentence)
    unseen = sorted(f"{how} of {what}" for what, how in parts - noticed)
    print(f"{len(cases)} random {kind}, seed {options.seed}: {len(said)} differences. Of {len(parts)} things broken on "
          f"purpose, by {WRONG:.0%} in PyTorch, {len(noticed)} are noticed"
          + (", but not " + ", ".join(unseen) if unseen else "") + ".")
    # A few cases cannot detect everything, but many cases must detect most broken parts.
    most = 0.1 if len(cases) >= 20 else 0.6
    if options.only is None and len(unseen) > most * len(parts):
        print(f"expected at least {1 - most:.0%} of them to be noticed")
        return 1
    return 1 if said else 0
