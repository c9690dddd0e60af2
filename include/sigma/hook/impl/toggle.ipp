// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/toggle.hpp>

namespace sigma {

SIGMA_IMPL void ToggleCriterion::archive(Archive& a) {
    const std::uint64_t given = toggle_.pulses();
    std::uint64_t waiting = given - taken_;
    a(on_, waiting);
    taken_ = given - waiting;
}

SIGMA_IMPL ToggleCriterion when(Toggle toggle) {
    return ToggleCriterion(std::move(toggle));
}

SIGMA_IMPL ToggleCriterion on(Toggle toggle) {
    return ToggleCriterion(std::move(toggle));
}

}  // namespace sigma
