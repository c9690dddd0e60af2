// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/optimizer/errors.hpp>
#include <sigma/optimizer/update.hpp>

#include <array>
#include <cstddef>

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
constexpr Variable sum_of_squares(Variable g) { return sum_to(g * g, Shape{}); }
/// limit / norm where the norm is above the limit, else 1. A NaN stays in the gradients.
constexpr Variable shrinking(Variable squares, Variable limit) {
    const Variable norm = sqrt(squares);
    const Variable too_long = less(limit, norm);
    const Variable factor = limit / norm;
    return where(too_long, factor, constant(squares.tape, 1));
}

}  // namespace sigma::detail
