#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Checks that <sigma/sigma.hpp> rejects options that the library cannot work with, by an #error that names them.

    options.py COMPILER FLAG...

Each of `refused` must give a first error that matches, and each of `taken` no error. With --prove-it-fails as the first
argument, accepted options are listed as refused, and the script succeeds if it reports them. Exits with 77 if the compiler
is not installed.
"""
import re
import shutil
import subprocess
import sys

FAST = "Sigma computes wrong numbers with -ffast-math"
DEBUG = "-D_GLIBCXX_DEBUG"
IS_DEBUG = "-DSIGMA_LIBRARY_IS_GLIBCXX_DEBUG"
OLD = "-D_GLIBCXX_USE_CXX11_ABI=0"
IS_OLD = "-DSIGMA_LIBRARY_IS_OLD_ABI"
COMPILED = "-DSIGMA_COMPILED"

refused = [
    (["-ffast-math"], FAST),
    (["-Ofast"], FAST),
    (["-ffinite-math-only"], FAST),
    (["-ffast-math", COMPILED], FAST),
    (["-fno-exceptions"], "Sigma throws exceptions: compile without -fno-exceptions"),
    (["-fno-rtti"], "Sigma needs types at run time: compile without -fno-rtti"),
    ([COMPILED, DEBUG], "Sigma's library was built without -D_GLIBCXX_DEBUG"),
    ([COMPILED, IS_DEBUG], "Sigma's library was built with -D_GLIBCXX_DEBUG"),
    ([COMPILED, OLD], "Sigma's library was built without -D_GLIBCXX_USE_CXX11_ABI=0"),
    ([COMPILED, IS_OLD], "Sigma's library was built with -D_GLIBCXX_USE_CXX11_ABI=0"),
]
# g++ defines macros for these options; clang does not.
refused_by_gcc = [(["-funsafe-math-optimizations"], FAST), (["-freciprocal-math"], FAST)]
taken = [
    [],
    ["-O3", "-fno-math-errno", "-fno-trapping-math"],
    [COMPILED],
    [DEBUG],
    [OLD],
    ["-D_GLIBCXX_ASSERTIONS", COMPILED],
    [COMPILED, DEBUG, IS_DEBUG],
    [COMPILED, OLD, IS_OLD],
    [COMPILED, DEBUG, IS_DEBUG, OLD, IS_OLD],
]


def first_error(command, options):
    """Returns the first error, or None."""
    result = subprocess.run([*command, *options, "-E", "-x", "c++", "-", "-o", "/dev/null"], input="#include <sigma/sigma.hpp>\n",
                            capture_output=True, text=True)
    return next((line for line in result.stderr.splitlines() if "error:" in line), None)


def problems(command, cases):
    for options, expected in cases:
        found = first_error(command, options)
        if (found is None) != (expected is None) or expected and not re.search(re.escape(expected), found):
            yield f"{' '.join(options) or 'no option'}: expected {expected or 'no error'}, found {found or 'no error'}"


def main(arguments):
    prove = arguments[:1] == ["--prove-it-fails"]
    compiler, *flags = arguments[1:] if prove else arguments
    if not shutil.which(compiler):
        return 77
    cases = [(options, None) for options in taken]
    if prove:
        cases = [(taken[1], FAST), (refused[0][0], None), (refused[0][0], refused[4][1])]
        return 0 if len(list(problems([compiler, *flags], cases))) == len(cases) else 1
    cases += refused + ([] if "clang" in compiler else refused_by_gcc)
    found = list(problems([compiler, *flags], cases))
    print("\n".join(found) or f"{len(cases)} combinations of options, as expected")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
