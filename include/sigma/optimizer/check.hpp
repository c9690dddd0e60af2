// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/core/field.hpp>
#include <sigma/core/list.hpp>
#include <sigma/network/table.hpp>
#include <sigma/optimizer/table.hpp>

#include <string_view>

namespace sigma::detail {

/// Throws ArgumentError if x is outside of the range.
[[gnu::cold]] void check_number(std::string_view optimizer, std::string_view field, const NumberRange& range, double x);
/// Throws ArgumentError if a named number of an optimizer is outside of its range.
[[gnu::cold]] void check_numbers(const FieldTable& table, const void* optimizer);
template <class O>
void check_numbers(const O& optimizer) {
    check_numbers(field_table<O>, &optimizer);
}

/// Checks the patterns of an optimizer against a network. An optimizer with patterns has `check_patterns(check)`, which
/// passes each of them, the innermost first.
class PatternCheck {
public:
    explicit PatternCheck(const NetworkTable& network);

    /// Throws ArgumentError, with the names of the trained parameters, if the pattern matches none of them.
    [[gnu::cold]] void matches_some(const char* what, std::string_view pattern) const;
    /// Checks the pattern of a group. Throws ArgumentError also if a parameter is in another group of the optimizer.
    [[gnu::cold]] void group(std::string_view pattern);

private:
    const NetworkTable& network_;
    List<std::string_view> group_of_;  ///< pattern of each parameter's group, empty without a group
};
/// Throws ArgumentError if a pattern of an optimizer does not fit a network, see PatternCheck.
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
