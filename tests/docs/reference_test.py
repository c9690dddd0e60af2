#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Shows what reference.py writes of a header, and that it fails if a public name is on no page or a declaration shows a name of detail."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = """
namespace sigma {
struct Layer {};
class Device {};
namespace detail { class Activation; class Inside; struct Cpu {}; struct JointlyWord {}; struct Base : Layer { /** Counts.
  @return the count */ int count() const; }; struct Held { /** Goes. */ void go(); }; }
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
    /// Constructs a thing of two numbers.
    template <class A> explicit Thing(A first, A second);
    /// Returns something.
    detail::Inside inside();
    /// Runs.
    void run(detail::Cpu on);
    /// The parts of a thing.
    struct Part { int size = 1 << 20; /**< A size. */ };
    /// Returns a part.
    Part part();
    /// Adds.
    Thing operator+(const Thing& other);
    /// Subtracts.
    Thing operator-(const Thing& other);
    /// Converts.
    operator std::vector<int>() const;
    /// @cond internal
    int hidden();
    /// @endcond
    template <class Unknown = error_Thing<int>> Thing(...) = delete;
};
/// An option.
constexpr int jointly(detail::JointlyWord) { return 1; }
/// The holder.
using Holder = detail::Held;
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
    names.write_text("Thing ThingOptions detail write_a_Thing units_given Layer Device Holder jointly\n")

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
                 "`.bias = true`" in page, "void go(Activation by);" in page,
                 "template <class A>\nThing(A first, A second);" in page, "struct Thing : Layer;" in page, "auto inside();" in page,
                 "void run(Device on);" in page, "**`Part`**{ #Thing.Part }" in page, "struct Thing::Part;" in page,
                 "| `size` | `int` | 2<sup>20</sup> | A size. |" in page, "{ #Thing.operator2b }" in page, "{ #Thing.operator2d }" in page,
                 "Thing::operator std::vector&lt;int> {" in page, "inline constexpr auto jointly;" in page, "struct Holder;" in page,
                 "### Holder::go {" in page]:
        assert part, page
    names.write_text("Thing ThingOptions detail lost\n")
    ran = run("--check")
    assert ran.returncode == 1 and "'lost' is on no page" in ran.stdout, ran.stdout
    # A name of the library that a declaration shows and no page explains, and one that a page explains.
    names.write_text("Thing ThingOptions detail Layer Device Holder jointly\n")
    for word, shown in ("detail::Inside", True), ("ThingOptions", False):
        (root / "include/sigma/layer/dense.hpp").write_text(HEADER.replace("detail::Activation by", f"{word} by"))
        ran = run("--check")
        assert ("'Inside' in the reference of layers is no public name" in ran.stdout) == shown, ran.stdout
        assert ran.returncode == shown, ran.stdout
    (root / "include/sigma/layer/dense.hpp").write_text(HEADER)
    names.write_text("Thing ThingOptions detail lost\n")
    (root / "include/sigma/unknown").mkdir()
    (root / "include/sigma/unknown/new.hpp").write_text("namespace sigma {\n/// Adds.\nint added(int x);\n}\n")
    ran = run("--check")
    assert ran.returncode == 1 and "'sigma::added' is on no page" in ran.stdout, ran.stdout
