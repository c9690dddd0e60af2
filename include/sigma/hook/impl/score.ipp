// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/score.hpp>

namespace sigma::detail {

SIGMA_IMPL std::string score_text(std::string_view what, const Text& key, const Dataset& data, const std::string& more,
                                  const std::string& options) {
    std::string arguments = key.size > 0 ? sentence("\"", key.view(), "\"") : "";
    if (!more.empty()) arguments += sentence(arguments.empty() ? "" : ", ", more);
    return sentence(what, arguments.empty() ? "" : sentence("<", arguments, ">"), "(", data.name(), options, ")");
}

SIGMA_IMPL void throw_no_cost_named(const NetworkTable& network) {
    throw ArgumentError("score", "of_cost<\"…\">(metric) for a network of several costs",
                        sentence("a metric without a cost, and ", network.costs.size(), " costs"));
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL double MetricScores::operator[](std::string_view name) const {
    std::string names;
    for (const auto& [known, value] : values_) {
        if (known == name) return value;
        names += sentence(names.empty() ? "" : ", ", known);
    }
    throw ArgumentError("value of a metric", sentence("one of ", names), sentence("'", name, "'"));
}

}  // namespace sigma
