// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/transform.hpp>

namespace sigma::data::detail {

SIGMA_IMPL void append(std::vector<TransformStep>& steps, const std::vector<TransformStep>& more) {
    steps.insert(steps.end(), more.begin(), more.end());
}

SIGMA_IMPL std::vector<TransformStep> one_step(const TransformPointer& transform,
                                               std::span<const std::string_view> sections) {
    return {{transform, {sections.begin(), sections.end()}}};
}

}  // namespace sigma::data::detail
