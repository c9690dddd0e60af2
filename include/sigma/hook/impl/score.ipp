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

}  // namespace sigma::detail
