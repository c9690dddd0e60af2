// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/action.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/parameter_rows.hpp>

namespace sigma::detail {

/// Calls f with the position of each parameter whose name matches. For what draws anew, statistics match under their full
/// names only.
template <class Model, class F>
int for_each_match(Model&, std::string_view pattern, bool draws, F f) {
    int matched = 0;
    for (int p = 0; p < Model::parameter_count; ++p) {
        const ParameterRecord& r = Model::records.parameters[p];
        if (!(draws ? reaches(pattern, r.name.view(), r.trained) : matches(pattern, r.name.view()))) continue;
        ++matched;
        f(p);
    }
    return matched;
}
/// When a hook is added, not when it fires.
template <class T, class F>
void check_pattern(const char* what, T& trainer, std::string_view pattern, bool draws, F f) {
    if (for_each_match(trainer.model(), pattern, draws, f) == 0)
        throw ArgumentError(sentence(what, " by a hook of trainer '", trainer.name(), "'"), "a pattern that matches a parameter",
                            sentence("'", pattern, "'"));
}

}  // namespace sigma::detail
