// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/network/parameter_rows.hpp>

#include <concepts>

namespace sigma {

/// What changes the value of a parameter after a step: any function of its elements, `[](auto rows) { rows[0][0] = 1;
/// }`. It is called in every step, so it should not allocate.
template <class M, class T>
concept ModifierOf = std::copy_constructible<M> && requires(const M& m, ParameterRows<T> rows) { m(rows); };

}  // namespace sigma
