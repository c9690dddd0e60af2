// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/by_pattern.hpp>
#include <sigma/hook/kept_tensors.hpp>
#include <sigma/network/table.hpp>

#include <string_view>

namespace sigma::detail {

SIGMA_IMPL void check_pattern(const char* what, TrainerView& trainer, std::string_view pattern, bool draws) {
    if (for_each_match(network_of(trainer.parameters()), pattern, draws, [](int) {}) == 0)
        throw ArgumentError(sentence(what, " by a hook of trainer '", trainer.name(), "'"),
                            "a pattern that matches a parameter",
                            pattern_without_match(pattern, network_of(trainer.parameters())));
}

}  // namespace sigma::detail
