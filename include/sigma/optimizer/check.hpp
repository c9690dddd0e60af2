// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/core/field.hpp>
#include <sigma/core/list.hpp>
#include <sigma/network/table.hpp>
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

/// Looks at the patterns of an optimizer when it meets a network. An optimizer with patterns has
/// `check_patterns(check)`, which tells each of them, the innermost first.
class PatternCheck {
public:
    explicit PatternCheck(const NetworkTable& network);

    /// Throws ArgumentError, with the names of the trained parameters, where the pattern matches none of them.
    [[gnu::cold]] void matches_some(const char* what, std::string_view pattern) const;
    /// The same for a group, and where a parameter is in another group of the same optimizer.
    [[gnu::cold]] void group(std::string_view pattern);

private:
    const NetworkTable& network_;
    List<std::string_view> group_of_;  ///< each parameter's pattern, empty where it is in none
};
/// Throws ArgumentError where a pattern of an optimizer does not fit a network, as PatternCheck says.
template <class O>
void check_patterns(const NetworkTable& network) {
    if constexpr (requires(PatternCheck& examine) { O::check_patterns(examine); }) {
        PatternCheck examine(network);
        O::check_patterns(examine);
    }
}

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/optimizer/impl/check.ipp>
#endif
