// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/augmentation.hpp>

namespace sigma::data {

SIGMA_IMPL std::string Augmentation::text() const {
    std::string all;
    for (const auto& part : parts_) all += sentence(all.empty() ? "" : " >> ", part->text());
    return all;
}

SIGMA_IMPL void Augmentation::check(std::span<const std::size_t> shape) const {
    for (const auto& part : parts_) part->check(shape);
}

SIGMA_IMPL void Augmentation::apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const {
    for (std::size_t i = 0; i < parts_.size(); ++i)
        parts_[i]->apply(record, shape, Philox(random.bits(i), random.stream));
}

SIGMA_IMPL std::string AugmentStep::text() const {
    return sentence("augment(", section, section.empty() ? "" : ", ", augmentation.text(), ")");
}

}  // namespace sigma::data
