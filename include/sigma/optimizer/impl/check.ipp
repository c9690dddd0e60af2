// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/optimizer/check.hpp>

#include <string>

namespace sigma::detail {

SIGMA_IMPL void check_number(std::string_view optimizer, std::string_view field, const NumberRange& range, double x) {
    if (!range.contains(x))
        throw ArgumentError(optimizer.empty() ? sentence(field, " of the optimizer")
                                              : sentence(field, " of optimizer '", optimizer, "'"),
                            std::string(range.text), sentence(x));
}

SIGMA_IMPL void check_numbers(const FieldTable& table, const void* optimizer) {
    table.for_each_field(const_cast<void*>(optimizer),
                         [&](std::string_view field, const NumberRange& range, const double& x) {
                             check_number(table.name, field, range, x);
                         });
}

SIGMA_IMPL PatternCheck::PatternCheck(const NetworkTable& network)
    : network_(network), group_of_(network.parameters.size(), {}) {}

SIGMA_IMPL void PatternCheck::matches_some(const char* what, std::string_view pattern) const {
    for (const ParameterRecord& r : network_.parameters)
        if (r.trained && matches(pattern, r.name.view())) return;
    throw ArgumentError(sentence(what, " '", pattern, "' of the optimizer"),
                        sentence("a match among the parameters ", parameter_names(network_, true)), "no match");
}

SIGMA_IMPL void PatternCheck::group(std::string_view pattern) {
    matches_some("group", pattern);
    for (int i = 0; i < network_.parameters.size(); ++i) {
        const ParameterRecord& r = network_.parameters[i];
        if (!r.trained || !matches(pattern, r.name.view())) continue;
        std::string_view& other = group_of_[i];
        if (!other.empty())
            throw ArgumentError(sentence("group '", pattern, "' of the optimizer"),
                                "parameters outside of other groups",
                                sentence("'", r.name.view(), "' in group '", other, "'"));
        other = pattern;
    }
}

}  // namespace sigma::detail
