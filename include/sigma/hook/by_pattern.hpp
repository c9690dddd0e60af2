// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/pattern.hpp>
#include <sigma/hook/trainer_view.hpp>
#include <sigma/initializer/fill.hpp>
#include <sigma/network/table.hpp>

#include <string_view>

namespace sigma::detail {

/// Calls f with the position of each parameter whose name matches. For what draws anew, statistics match under their
/// full names only.
template <class F>
int for_each_match(const NetworkTable& network, std::string_view pattern, bool draws, F f) {
    int matched = 0;
    for (int p = 0; p < network.parameters.size(); ++p) {
        const ParameterRecord& r = network.parameters[p];
        if (!(draws ? reaches(pattern, r.name.view(), r.trained) : matches(pattern, r.name.view()))) continue;
        ++matched;
        f(p);
    }
    return matched;
}
/// When a hook is added, not when it fires: throws ArgumentError where the pattern matches no parameter.
void check_pattern(const char* what, TrainerView& trainer, std::string_view pattern, bool draws);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/by_pattern.ipp>
#endif
