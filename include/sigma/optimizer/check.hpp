// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/field.hpp>

#include <string_view>
#include <tuple>

namespace sigma::detail {

/// Throws ArgumentError unless the number may be `x`.
[[gnu::cold]] void check_number(std::string_view optimizer, std::string_view field, const NumberRange& range, double x);
/// The name of an optimizer; empty where it has none.
template <class O>
constexpr std::string_view name_of_optimizer() {
    if constexpr (requires { O::name.view(); })
        return O::name.view();
    else
        return {};
}
/// Throws ArgumentError where a named number of an optimizer is none that its rule can take.
template <class O>
[[gnu::cold]] void check_numbers(const O& optimizer) {
    std::apply(
        [&](const auto&... field) {
            (check_number(name_of_optimizer<O>(), field.name.view(), field.range, optimizer.*field.member), ...);
        },
        fields_of<O>());
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/optimizer/impl/check.ipp>
#endif
