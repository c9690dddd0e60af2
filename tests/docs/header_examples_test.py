#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Shows that header_examples.py finds an example that does not compile, with its header and line, and lets good ones pass.

    header_examples_test.py COMPILER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import header_examples

HEADER = """// SPDX-License-Identifier: BSL-1.0
/// Adds.
/// @code
/// struct Mine : Model {
///     void both(auto x) {}
/// };
/// template <class T>
/// T twice(T x) {
///     return x + x;
/// }
/// Mine own;
/// if (twice(2) == 4) model.seed();
/// for (int i = 0; i < 3; ++i) {
///     trainer.run(cpu(), 1);
/// }
/// @endcode
int add(int x);
/// @code{.txt}
/// no C++ at all
/// @endcode
"""
BAD = """/// Adds.
/// @code
/// trainer.run(cpu(), 1);
/// trainer.walk();
/// @endcode
int add(int x);
"""
assert [begin for begin, _ in header_examples.examples(HEADER)] == [4]
assert list(header_examples.examples("/// @code\n/// int i;\nint j;\n")) == [(2, None)]
assert list(header_examples.chunks(["f(", "  1);", "", "// no", "struct A {", "  int i;", "};", "g();"])) == [(0, 1), (4, 6), (7, 7)]

PRELUDE = """
struct Model { Model(int = 0); void seed(); };
struct Trainer { void run(int, int); };
int cpu();
extern Model model;
extern Trainer trainer;
"""
compiler = sys.argv[1]
if not shutil.which(compiler):
    print(f"skipped: no {compiler}")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    (root / "include/sigma/layer").mkdir(parents=True)
    (root / "include/sigma/hook").mkdir(parents=True)
    (root / "include/sigma/layer/a.hpp").write_text(HEADER)
    (root / "include/sigma/hook/b.hpp").write_text(BAD)
    (root / "include/sigma/data").mkdir()
    (root / "prelude.hpp").write_text(PRELUDE)
    ran = subprocess.run([sys.executable, header_examples.__file__, compiler, root, "--prelude", root / "prelude.hpp"], text=True,
                         capture_output=True)
    assert ran.returncode == 1 and "2 examples, 1 errors" in ran.stdout, ran.stdout + ran.stderr
    assert "include/sigma/hook/b.hpp:4:" in ran.stdout and "walk" in ran.stdout, ran.stdout
