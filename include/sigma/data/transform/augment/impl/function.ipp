// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/augment/function.hpp>

#include <memory>

namespace sigma::data::detail {

SIGMA_IMPL AugmentBy::AugmentBy(std::string name, AugmentFunction function)
    : name_(std::move(name)), function_(std::move(function)) {
    if (!function_) throw ArgumentError(sentence("augment_by('", name_, "')"), "a function", "an empty one");
}

SIGMA_IMPL void AugmentBy::apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const {
    PhiloxSequence drawn{random};
    function_(record, shape, drawn);
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL Augmentation augment_by(std::string name, detail::AugmentFunction function) {
    return Augmentation(std::make_shared<const detail::AugmentBy>(std::move(name), std::move(function)));
}

}  // namespace sigma::data
