// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/block_formulas.hpp>
#include <sigma/tape/custom_functions.hpp>
#include <sigma/tape/formulas.hpp>
#include <sigma/tape/operation.hpp>

#include <cmath>
#include <stdexcept>
#include <string>

namespace sigma::debugging {

// Functions for the values of operations on single numbers: those of <cmath> for float and double. Another type brings
// functions of its own (`constant_math::Number`).
namespace scalar {

using std::abs;
using std::cos;
using std::exp;
using std::expm1;
using std::fma;
using std::fmod;
using std::log;
using std::log1p;
using std::nan;
using std::pow;
using std::sin;
using std::sqrt;
using std::tanh;

template <class V>
inline constexpr bool is_single = sizeof(V) == 4;
template <class V>
constexpr V real(double x) {
    return static_cast<V>(x);
}
template <class V>
constexpr V select(bool condition, V yes, V no) {
    return condition ? yes : no;
}
template <class V>
constexpr V sigmoid(V a) {
    return 1 / (1 + exp(-a));
}
template <class V>
constexpr V maximum(V a, V b) {
    return a != a || a > b ? a : b;
}
template <class V>
constexpr V minimum(V a, V b) {
    return a != a || a < b ? a : b;
}
#define SIGMA_DEVICE constexpr
#define SIGMA_MEMBER constexpr
SIGMA_FORMULAS
SIGMA_BLOCK_FORMULAS
#undef SIGMA_MEMBER
#undef SIGMA_DEVICE

}  // namespace scalar

/// Returns the value of an elementwise operation. NaN passes through maximum and minimum; sign(0) is 0.
template <class V>
constexpr V scalar_value(sigma::detail::Operation o, V a, V b, V c) {
    using namespace scalar;
    switch (o) {
#define SIGMA_CASE(name, kind, cost, value, ...) \
    case sigma::detail::Operation::name: return value;
        SIGMA_OPERATIONS(SIGMA_NO_ROW, SIGMA_CASE, SIGMA_CASE)
#undef SIGMA_CASE
        default: throw std::logic_error(std::string("not an elementwise operation: ") + name(o));
    }
}

/// Computes a part of a custom operation. Blocks: result, operands.
template <class V>
constexpr void custom_value(std::uint64_t part, const scalar::Block<V>& y, const scalar::Block<V>& a,
                            const scalar::Block<V>& b, const scalar::Block<V>& c) {
    const auto view = [](const scalar::Block<V>& x) {
        return BlockView<V>{x.data, x.rows, x.columns, x.row, x.column};
    };
    if constexpr (std::is_floating_point_v<V>) {
        const BlockView<V> views[] = {view(y), view(a), view(b), view(c)};
        sigma::detail::custom_functions(part).call(part, views);
    } else {
        throw std::logic_error("a custom operation has no value at compile time");
    }
}
/// Returns the value of an operation of whole blocks.
template <class V>
constexpr void block_value(sigma::detail::Operation o, bool option, scalar::Block<V> y, scalar::Block<V> a,
                           scalar::Block<V> b, scalar::Block<V> c) {
    switch (o) {
#define SIGMA_CASE(name, kind) \
    case sigma::detail::Operation::name: return scalar::name(y, a, b, c, option);
        SIGMA_BLOCK_OPERATIONS(SIGMA_CASE)
#undef SIGMA_CASE
        default: throw std::logic_error(std::string("not an operation of blocks: ") + name(o));
    }
}

}  // namespace sigma::debugging
