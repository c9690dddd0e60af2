// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/hook.hpp>

#include <string>

namespace sigma::detail {

SIGMA_IMPL std::string Sentence::text() const {
    std::string all;
    for (const ActionPart& a : actions) all += (all.empty() ? "" : ", ") + (a.node ? a.node->text() : a.text);
    return sentence("when(", criterion->text(), ").then(", all, ")");
}

SIGMA_IMPL double checked_limit(double seconds) {
    if (!(seconds > 0)) throw ArgumentError("limit of a hook", "a time above 0", sentence(seconds, " s"));
    return seconds;
}

}  // namespace sigma::detail
