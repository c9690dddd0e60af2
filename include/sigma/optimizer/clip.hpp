// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/optimizer/errors.hpp>
#include <sigma/optimizer/update.hpp>

#include <array>
#include <cstddef>
#include <limits>
#include <span>

/// What optimizers that clip gradients have in common. Each is the optimizer it clips for, as a base, and one more
/// number, the limit; its members, rule and states are those of that optimizer.
namespace sigma::detail {

/// The numbers of one step and a limit after them. Throws ArgumentError where the limit is negative or NaN.
template <class O>
constexpr auto scalars_and_limit(const O& optimizer, std::uint64_t step, double limit, const char* what) {
    if (!(limit >= 0)) throw ArgumentError(what, "0 or more", sentence(limit));
    const auto own = optimizer.scalars(step);
    std::array<double, std::tuple_size_v<decltype(optimizer.scalars(step))> + 1> all{};
    for (std::size_t i = 0; i + 1 < all.size(); ++i) all[i] = own[i];
    all.back() = limit;
    return all;
}
/// √Σg² of all gradients together. Of floats beyond 1.8e19 squares are infinite: then those of 2⁻⁸⁰·g serve, which
/// stand beside them, since a second look at the gradients costs more than a second sum (Blue 1978).
constexpr Variable norm_of(std::span<const Variable> gradients) {
    constexpr double part = 0x1p-80;
    Tape* const tape = gradients[0].tape;
    Variable near = constant(tape, 0), far = near;
    for (const Variable& g : gradients) {
        const Variable small = part * g;
        near = near + sum_to(g * g, Shape{});
        far = far + sum_to(small * small, Shape{});
    }
    const Variable serves = sigma::less(near, constant(tape, std::numeric_limits<double>::infinity()));
    const Variable usual = sqrt(near), large = (1 / part) * sqrt(far);
    return where(serves, usual, large);
}
/// limit / norm where the norm is above the limit, else 1. A NaN stays in the gradients.
constexpr Variable shrinking(Variable norm, Variable limit) {
    const Variable too_long = less(limit, norm);
    const Variable factor = limit / norm;
    return where(too_long, factor, constant(norm.tape, 1));
}

}  // namespace sigma::detail
