#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Shows what reference.py writes of a header, and that it fails if a public name is on no page."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = """
namespace sigma {
namespace detail { class Activation; struct Base { /** Counts.
  @return the count */ int count() const; }; }
/// Options of `Thing`.
struct ThingOptions { bool bias = true; /**< Adds a bias. */ };
/// A thing. It has a second sentence.
///
/// @par Shape
/// Input (batch, n).
/// @par Example
/// @code
/// Thing thing(3);
/// @endcode
/// @see ThingOptions, docs/layers.md, docs/gone.md
struct Thing : detail::Base {
    /// Constructs a thing.
    /// @param units_  number | amount
    /// @param options_  further
    explicit Thing(int units_, const ThingOptions &options_ = {});
    /// @throws ShapeError  if it does not fit
    void go(detail::Activation by);
    /// @cond internal
    int hidden();
    /// @endcond
    template <class Unknown = error_Thing<int>> Thing(...) = delete;
};
}
"""
if not shutil.which("doxygen"):
    print("skipped: doxygen is not installed: scripts/install-dependencies.sh site")
    sys.exit(77)
with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder)
    for name in ("include/sigma/layer", "cuda/sigma", "tests/names", "docs"):
        (root / name).mkdir(parents=True)
    (root / "docs/layers.md").write_text("# Layers\n")
    (root / "include/sigma/layer/dense.hpp").write_text(HEADER)
    names = root / "tests/names/names.txt"
    names.write_text("Thing ThingOptions detail write_a_Thing units_given\n")

    def run(*options):
        return subprocess.run([sys.executable, ROOT / "scripts/reference.py", root, "--xml", root / "xml", "--out", root / "out", *options],
                              capture_output=True, text=True)
    ran = run()
    assert ran.returncode == 0, ran.stdout + ran.stderr
    page = (root / "out/layers.md").read_text()
    for part in ["explicit" not in page, "detail::" not in page, "hidden" not in page, "error_" not in page, "units_" not in page,
                 "Thing(int units, const ThingOptions& options = {});" in page, "| `units` | `int` |  | number \\| amount |" in page,
                 "| `bias` | `bool` | `true` | Adds a bias. |" in page, "**Shape**\n\nInput (batch, n)." in page,
                 "```cpp\nThing thing(3);\n```" in page, "### Thing::count { #Thing.count }" in page, "**Returns** the count" in page,
                 "- `ShapeError` if it does not fit" in page, "[Layers](../layers.md), docs/gone.md" in page, "| A thing. |" in page,
                 "`.bias = true`" in page, "void go(Activation by);" in page]:
        assert part, page
    names.write_text("Thing ThingOptions detail lost\n")
    ran = run("--check")
    assert ran.returncode == 1 and "'lost' is on no page" in ran.stdout, ran.stdout
    (root / "include/sigma/unknown").mkdir()
    (root / "include/sigma/unknown/new.hpp").write_text("namespace sigma {\n/// Adds.\nint added(int x);\n}\n")
    ran = run("--check")
    assert ran.returncode == 1 and "'sigma::added' is on no page" in ran.stdout, ran.stdout
