// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/field.hpp>
#include <sigma/optimizer/table.hpp>

#include <string_view>

namespace sigma::detail {

/// Throws ArgumentError unless the number may be `x`.
[[gnu::cold]] void check_number(std::string_view optimizer, std::string_view field, const NumberRange& range, double x);
/// Throws ArgumentError where a named number of an optimizer is none that its rule can take.
[[gnu::cold]] void check_numbers(const FieldTable& table, const void* optimizer);
template <class O>
void check_numbers(const O& optimizer) {
    check_numbers(field_table<O>, &optimizer);
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/optimizer/impl/check.ipp>
#endif
