// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/initializer/fill.hpp>

namespace sigma::detail {

SIGMA_IMPL const InitializerRule* choose(std::span<const InitializerRule> rules, std::string_view name, bool trained) {
    const InitializerRule* best = nullptr;
    for (const InitializerRule& r : rules)
        if (reaches(r.pattern, name, trained) && (!best || compare_specificity(r.pattern, best->pattern) >= 0))
            best = &r;
    return best;
}

}  // namespace sigma::detail
