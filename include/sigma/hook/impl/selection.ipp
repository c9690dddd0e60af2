// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/pattern.hpp>
#include <sigma/hook/selection.hpp>
#include <sigma/network/table.hpp>

#include <string>
#include <vector>

namespace sigma::detail {

SIGMA_IMPL std::string SelectedTensors::text() const {
    constexpr const char* words[] = {"parameter", "gradient", "update"};
    const char* word = words[static_cast<int>(kind)];
    return by_name ? sentence(word, "<\"", pattern, "\">()") : sentence(word, "s(\"", pattern, "\")");
}

SIGMA_IMPL std::vector<int> SelectedTensors::find(const NetworkTable& network) const {
    std::vector<int> found;
    for (int i = 0; i < network.parameters.size(); ++i) {
        const ParameterRecord& r = network.parameters[i];
        if (kind == TensorKind::gradients && !r.trained) continue;
        // Statistics, which are not trained, are meant only where their full name is given.
        const bool meant = !by_name && r.trained ? matches(pattern, r.name.view()) : pattern == r.name.view();
        if (meant) found.push_back(i);
    }
    if (found.empty())
        throw ArgumentError(text(),
                            kind == TensorKind::gradients ? "a pattern that matches a parameter that is trained"
                                                          : "a pattern that matches a parameter",
                            pattern_without_match(pattern, network, kind == TensorKind::gradients));
    return found;
}

}  // namespace sigma::detail
