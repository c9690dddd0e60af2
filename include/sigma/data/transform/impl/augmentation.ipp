// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/augmentation.hpp>

#include <utility>
#include <vector>

namespace sigma::data {

struct Augmentation::Parts {
    std::vector<sigma::detail::SharedOwner<const Augmenter>> list{};
};

SIGMA_IMPL Augmentation::Augmentation(sigma::detail::SharedOwner<const Augmenter> one)
    : parts_(sigma::detail::SharedOwner<const Parts>::make(Parts{{std::move(one)}})) {}

SIGMA_IMPL Augmentation Augmentation::before(const Augmentation& then) const {
    if (empty()) return then;
    if (then.empty()) return *this;
    Parts both = *parts_;
    both.list.insert(both.list.end(), then.parts_->list.begin(), then.parts_->list.end());
    Augmentation all;
    all.parts_ = sigma::detail::SharedOwner<const Parts>::make(std::move(both));
    return all;
}

SIGMA_IMPL std::string Augmentation::text() const {
    std::string all;
    if (!empty())
        for (const auto& part : parts_->list) all += sentence(all.empty() ? "" : " >> ", part->text());
    return all;
}

SIGMA_IMPL void Augmentation::examine(std::span<const std::size_t> shape) const {
    if (!empty())
        for (const auto& part : parts_->list) part->examine(shape);
}

SIGMA_IMPL void Augmentation::apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const {
    if (!empty())
        for (std::size_t i = 0; i < parts_->list.size(); ++i)
            parts_->list[i]->apply(record, shape, Philox(random.bits(i), random.stream));
}

SIGMA_IMPL std::string AugmentStep::text() const {
    return sentence("augment(", section, section.empty() ? "" : ", ", augmentation.text(), ")");
}

}  // namespace sigma::data
