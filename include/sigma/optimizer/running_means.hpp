// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/update.hpp>

namespace sigma::detail {

/// What the states "mean" and "squares" become: m ← β₁m + (1−β₁)g, v ← β₂v + (1−β₂)g² (Kingma and Ba 2015, algorithm 1)
/// with β₁, 1−β₁, β₂ and 1−β₂ in scalars 2 … 5. Adam has them in its own step: it subtracts β₁ on the tape and makes
/// g² after what is kept of v, where compilers contract multiplications and additions otherwise, in other bits.
struct RunningMeans {
    Variable mean, squares;
};
constexpr RunningMeans running_means(Update& u, Variable w, Variable g) {
    const Variable m = u.state("mean", w.shape()), v = u.state("squares", w.shape());
    const Variable kept = u.scalar(2) * m, next_m = kept + u.scalar(3) * g;
    const Variable square = u.scalar(5) * (g * g), next_v = u.scalar(4) * v + square;
    u.assign(m, next_m);
    u.assign(v, next_v);
    return {next_m, next_v};
}

}  // namespace sigma::detail
