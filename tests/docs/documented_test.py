#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Shows that documented.py finds each kind of lack, fails if a header has more than before, and lets good comments pass."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GOOD = """
namespace sigma {
/// Options of `Thing`.
struct ThingOptions {
    bool bias = true;  ///< Adds a bias if true.
};
/// A thing that computes.
///
/// @par Example
/// @code
/// Thing thing(3);
/// @endcode
struct Thing {
    /// Constructs a thing.
    /// @param units_  number of outputs
    explicit Thing(int units_, ThingOptions = {});
    /// Returns the number of outputs.
    /// @return a number of at least 1
    int units() const;
    /// @cond internal
    int hidden(int q);
    /// @endcond
};
/// Computes a sum.
/// @param x  one operand
/// @param y  the other one
/// @return x + y
/// @see Thing
int sum(int x, int y);
/// @overload for three operands
int sum(int x, int y, int z);
namespace detail { int not_public(int q); }
/// An error.
/// @see Thing
struct MiddleError : Error {};
/// A smaller error.
/// @see Thing
struct SmallError : MiddleError {};
/// Checks a number.
/// @param x  the number
/// @throws MiddleError  if it is negative, as a SmallError
/// @see sum
inline void checks(int x) {
    if (x < 0) throw SmallError("x", "0 or more", "{");  // throw Error()
}
/// Catches what it throws.
/// @see sum
inline void catches() {
    try {
        detail::check_number(1);
    } catch (const SmallError&) {
    }
}
namespace detail {
inline void check_number(int x) {
    if (x > 1) throw SmallError();
}
}
}
"""
ERROR = "/// An error.\n/// @see f\nstruct BadError : Error {};\n/// Computes.\n/// @see g\n"
FAULTS = {
    "throws: sigma::f: @throws BadError is missing": "namespace sigma {\n" + ERROR + "inline void f() { if (true) throw BadError(); } }",
    "throws: sigma::f: @throws BadError is missing (include/sigma/other/f1.hpp:9)":
        "namespace sigma {\nnamespace detail { void check(int x) { if (x) throw BadError(); } }\n" + ERROR + "void f();\nvoid f() { detail::check(1); } }",
    "throws: sigma::C::C: @throws BadError is missing":
        "namespace sigma {\n" + ERROR + "struct C {\n    /// Constructs.\n    C();\n};\nC::C() : C(1) { throw BadError(); } }",
    "sentence: sigma::Bare has no comment": "namespace sigma { struct Bare { int x; }; }",
    "sentence: sigma::f: its first sentence has no full stop": "namespace sigma {\n/// Computes\n/// @see g\nvoid f(); }",
    "param: sigma::f: @param first is missing": "namespace sigma {\n/// Computes.\n/// @see g\nvoid f(int first); }",
    "return: sigma::f: @return is missing": "namespace sigma {\n/// Computes.\n/// @see g\nint f(); }",
    "example: sigma::f has neither": "namespace sigma {\n/// Computes.\nvoid f(); }",
    "name: sigma::f: parameter 'q'": "namespace sigma {\n/// Computes.\n/// @param q  a number\n/// @see g\nvoid f(int q); }",
    "sentence: sigma::E::one has no comment": "namespace sigma {\n/// Ways.\nenum class E { one }; }",
    "cond: 1 open brackets more": "namespace sigma {\n/// @cond internal\nstruct C {\n/// @endcond\n};\n}",
    "cond: @cond without @endcond": "namespace sigma {\n/// @cond internal\nstruct C {};\n}",
    "sentence: sigma::AOptions::x has no comment": "namespace sigma {\n/// Options of a.\nstruct AOptions { int x = 1; }; }",
}
if not shutil.which("doxygen"):
    print("skipped: doxygen is not installed: scripts/install-dependencies.sh site")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for name in ("include/sigma/other", "cuda/sigma", "tests/names", "tests/docs"):
        (root / name).mkdir(parents=True)
    (root / "tests/names/names.txt").write_text("Thing sum\n")
    header = root / "include/sigma/other/thing.hpp"

    def run(*options):
        ran = subprocess.run([sys.executable, HERE / "documented.py", root, *options], capture_output=True, text=True)
        assert not ran.stderr, ran.stderr
        return ran
    header.write_text(GOOD)
    assert run("--list", str(root / "include")).stdout == "", run("--list", str(root / "include")).stdout
    assert run().returncode == 0
    # All at once, each in its own header and namespace inside data, to run Doxygen once.
    for number, (fault, text) in enumerate(FAULTS.items()):
        (header.parent / f"f{number}.hpp").write_text(text)
        found = run("--list", str(root / f"include/sigma/other/f{number}.hpp")).stdout
        assert fault in found, (fault, found)
        assert run().returncode == 1 and "found, 0 allowed" in run().stdout
        (header.parent / f"f{number}.hpp").unlink()
    header.write_text("namespace sigma {\n/// Computes.\nvoid f(); }")
    run("--write")
    assert run().returncode == 0
    header.write_text("namespace sigma {\n/// Computes.\nvoid f();\n/// Computes.\nvoid g(); }")
    assert run().returncode == 1 and "example: 2 found, 1 allowed" in run().stdout
    run("--write")  # never raises an allowance
    assert run().returncode == 1
