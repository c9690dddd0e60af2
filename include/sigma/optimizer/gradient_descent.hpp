// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/update.hpp>

#include <array>

namespace sigma {

/// w ← w − rate · g. Folds into the matrix product that makes g.
struct GradientDescent {
    double learning_rate = 0.01;

    static constexpr Text name = "gradient_descent";
    static constexpr auto fields() {
        return std::array{
            Field<GradientDescent>{"learning_rate", &GradientDescent::learning_rate, NumberRange::finite_from_0()}};
    }
    constexpr std::array<double, 1> scalars(std::uint64_t) const { return {learning_rate}; }
    static constexpr void update(Update& u, Variable w, Variable g) { u.assign(w, w - u.scalar(0) * g); }
};

}  // namespace sigma
