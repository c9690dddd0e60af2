// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/network/parameter_choice.hpp>
#include <sigma/network/table.hpp>

namespace sigma {

SIGMA_IMPL bool ParameterChoice::operator()(std::string_view name) const {
    return function_ ? function_(name) : detail::matches(pattern_, name);
}
SIGMA_IMPL std::string ParameterChoice::text() const {
    return function_ ? "a function" : sentence("\"", pattern_, "\"");
}
SIGMA_IMPL void ParameterChoice::refuse(const std::string& where, const detail::NetworkTable& network) const {
    if (function_)
        throw MismatchError(where, "a function that chooses a parameter",
                            sentence("none; parameters: ", detail::parameter_names(network, false)));
    throw MismatchError(where, "a pattern that matches a parameter", detail::pattern_without_match(pattern_, network));
}

}  // namespace sigma
