// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/smoothed.hpp>

namespace sigma::detail {

SIGMA_IMPL void SmoothRule::Memory::add(double x, const SmoothRule& rule) {
    sum_ = rule.share * sum_ + (1 - rule.share) * x;
    weight_ = rule.share * weight_ + (1 - rule.share);
}

}  // namespace sigma::detail
