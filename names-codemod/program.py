#!/usr/bin/env python3
"""program.py TREE: writes tests/static/names_static.cpp from common_names.txt and what namespace sigma has (run after the codemod)."""
import pathlib, re, sys, textwrap, subprocess
root = pathlib.Path(sys.argv[1]); here = pathlib.Path(__file__).parent
taken = set((root / "tests/names/names.txt").read_text().split())
import importlib.util
types, words = [l.split() for l in (here / "common_names.txt").read_text().splitlines()]
spec = importlib.util.spec_from_file_location("d", here / "declared.py"); d = importlib.util.module_from_spec(spec); spec.loader.exec_module(d)
src = "#include <sigma/sigma.hpp>\n#include <sigma/data/data.hpp>\n"
kinds = {}
for where, name, kind, *_ in d.of(["clang++-19", "-std=c++20", "-DSIGMA_COMPILED", f"-I{root}/include"], src):
    if where == ["sigma"]: kinds.setdefault(name, set()).add(kind)
    if where == [] and name != "sigma": pass
kinds.update({n: {"namespace"} for n in ("data", "detail", "storage", "terminal", "on_cpu", "debugging", "losses", "monitor", "on_gpu")})
free_t = [t for t in dict.fromkeys(types) if t not in kinds and t not in taken]
kept_t = [t for t in dict.fromkeys(types) if t not in free_t]
std = {"abs", "sin", "cos", "tan", "exp", "log", "pow", "sqrt", "floor", "round", "data"}
free_w = [w for w in dict.fromkeys(words) if kinds.get(w, {"function"}) <= {"function"} and w not in {"inner"}]
kept_w = [w for w in dict.fromkeys(words) if w not in free_w]
alone_w = [w for w in free_w if w not in kinds]
print("types", len(free_t), "of", len(set(types)), "functions", len(free_w), "of", len(set(words)), "of which nobody's", len(alone_w))
print("kept types", *kept_t); print("kept words", *kept_w)
wrap = lambda s, indent="": textwrap.fill(s, 116, initial_indent=indent, subsequent_indent=indent)
out = f'''// SPDX-License-Identifier: BSL-1.0
// Names that programs commonly have, of their own, beside `using namespace sigma;` as README writes it. What is missing
// here is a word of users: {", ".join(kept_t[:3])}, error, epoch (tests/names/names.txt lists all).
#include <sigma/data/data.hpp>
#include <sigma/sigma.hpp>

// clang-format off
namespace program_types {{  // what they are made from
template <class...>
struct All;
}}  // namespace program_types

{wrap(" ".join(f"struct {t} {{}};" for t in free_t))}

struct Own {{}};
{wrap(" ".join(f"constexpr int {w}(Own) {{ return 1; }}" for w in free_w))}

// Where functions of the library have no such name, variables and types may have it.
namespace of_the_program {{
{wrap(" ".join(f"struct {w} {{}};" for w in alone_w))}
}}  // namespace of_the_program

using namespace sigma;

using Types_ = program_types::All<
{wrap(", ".join(free_t), "    ")}>;
static_assert(
{wrap(" + ".join(f"{w}(Own{{}})" for w in free_w), "    ")} == {len(free_w)});
// clang-format on

struct Digits : Network<Input(28, 28) + Dropout(0.2f) + 2 * Dense(128, relu) + Dense(10) + SoftmaxCE()> {{}};

void program(const Dataset& training, const Dataset& testing) {{
    Trainer trainer("digits", Digits{{}}, Adagrad{{.learning_rate = 0.02f}}, minibatches(training, 100));
    trainer.add(every(1, epoch).then(score(testing), report(epoch, error, accuracy)),
                when(accuracy.improves()).then(save("best.sigma")),
                when(accuracy.reaches(0.98) || after(20, epoch)).then(stop));
    trainer.run(cpu(2));
}}
'''
(root / "tests/static/names_static.cpp").write_text(out)
