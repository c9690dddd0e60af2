# SPDX-License-Identifier: BSL-1.0
"""What the two oracles share: C++ for many cases is compiled and run, and what it found is compared with PyTorch.

A case knows its C++, the numbers it reads, and what PyTorch makes of them:
    name                  of the case
    element               'float' or 'double'
    cpp()                 statements that take numbers from `arrays` and give results to it
    given                 tensors in the order in which the C++ takes them
    wanted(dtype, broken) names and tensors in the order in which the C++ gives them; `broken` is None, or names a part
                          that PyTorch shall compute wrong, and how
    parts                 what can be broken
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
# Sums run in another order than PyTorch's: a case may differ by so many times the difference between PyTorch in float
# and PyTorch in double, or by so many units in the last place of the greatest number of a result.
NOISE, UNITS = 32, 256
# Of a result that is everywhere smaller, differences count as those of one of this size.
SMALL = 0.01
WRONG = 0.05  # by how much a broken part is wrong


def arguments(description, count):
    own, flags = sys.argv[1:], []
    if "--" in own:
        own, flags = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=description, usage="%(prog)s [options] -- COMPILER_FLAGS")
    parser.add_argument("--count", type=int, default=count, help="how many (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (default %(default)s)")
    parser.add_argument("--only", type=int, help="of these only this one, say one that differed")
    parser.add_argument("--compiler", default="clang++")
    parser.add_argument("--scratch", default="oracle_scratch", help="a folder for sources, programs and numbers")
    given = parser.parse_args(own)
    if given.count < 1:
        parser.error(f"--count: expected 1 or more, found {given.count}")
    given.flags = flags
    torch.set_num_threads(1)
    return given


def broken_by(out, how):
    """`out` with a wrong value, or with its value and a wrong gradient."""
    return out * (1 + WRONG) if how == "value" else out + WRONG * (out - out.detach())


def differences(case, found, wanted, noise):
    """What differs: a list of sentences, empty where nothing does."""
    said = []
    for (name, w), f in zip(wanted, found):
        w = w.detach().double()
        allowed = max(float(w.abs().max()), SMALL) * EPSILON[case.element] * (UNITS + NOISE * noise)
        worst = float((w - f).abs().max())
        if not worst <= allowed:  # NaN differs
            said.append(f"{case.name}, {name}: expected a difference of at most {allowed:.1e}, found {worst:.1e}")
    return said


def noise_of(exact, rough):
    """How many units in the last place PyTorch in float is away from PyTorch in double; infinitely many if a number is
    none."""
    if not all(bool(torch.isfinite(t).all()) for results in (exact, rough) for _, t in results):
        return float("inf")
    return max(float((e.double() - r.double()).abs().max()) / max(float(e.abs().max()), SMALL)
               for (_, e), (_, r) in zip(exact, rough)) / EPSILON["float"]


def shown(case, found, noise):
    """The parts of a case that `found` would differ by if PyTorch had them wrong."""
    return {part for part in case.parts if differences(case, found, case.wanted(torch.float64, part), noise)}


class Case:
    """One program or network of a seed. `before` counts, for each kind of part, what those before have shown of it; it
    is None where a case shall depend on its number alone. What derives from it has `word`, grow(before), which draws its parts, and wanted(type), what PyTorch finds."""

    def __init__(self, number, seed, before):
        self.name, self.number, attempt = f"{self.word}_{number}", number, 0
        while True:  # until rounding does not matter much
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
        """Results that each of the ways in which the C++ has the case, `ways`, gives."""
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
    """Compiles and runs some cases; the numbers they gave, or a sentence."""
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
    """Compares all cases; then breaks each part in PyTorch, which some case must notice. Returns the exit status."""
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
                said.append(f"unit of {group[0].name}: {len(numbers)} numbers more than expected")
    for sentence in said:
        print(sentence)
    unseen = sorted(f"{how} of {what}" for what, how in parts - noticed)
    print(f"{len(cases)} random {kind}, seed {options.seed}: {len(said)} differences. Of {len(parts)} things broken on "
          f"purpose, by {WRONG:.0%} in PyTorch, {len(noticed)} are noticed"
          + (", but not " + ", ".join(unseen) if unseen else "") + ".")
    # A few cases do not reach everything; many of which most is not noticed are no oracle.
    most = 0.1 if len(cases) >= 20 else 0.6
    if options.only is None and len(unseen) > most * len(parts):
        print(f"expected at least {1 - most:.0%} of them to be noticed")
        return 1
    return 1 if said else 0
