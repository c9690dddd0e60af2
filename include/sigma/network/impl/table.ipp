// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/network/table.hpp>

#include <cstddef>

namespace sigma::detail {

SIGMA_IMPL std::string parameter_names(const NetworkTable& network, bool trained_only) {
    constexpr std::size_t enough = 120;  // characters
    std::string names;
    int more = 0;
    for (const ParameterRecord& r : network.parameters) {
        if (trained_only && !r.trained) continue;
        if (more > 0 || names.size() + r.name.view().size() > enough) ++more;
        else names += sentence(names.empty() ? "'" : ", '", r.name.view(), "'");
    }
    if (names.empty() && more == 0) return "none";
    if (names.empty()) return sentence(more);
    return more == 0 ? names : sentence(names, " and ", more, " more");
}

SIGMA_IMPL std::string pattern_without_match(std::string_view pattern, const NetworkTable& network, bool trained_only) {
    return sentence("'", pattern.substr(0, 60), "', where there are ", parameter_names(network, trained_only));
}

}  // namespace sigma::detail
