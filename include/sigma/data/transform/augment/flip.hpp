// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/augment/image.hpp>

namespace sigma::data {

namespace detail {

class Flip final : public ImageAugmenter {
public:
    Flip(bool horizontal, double probability);
    std::string text() const override;
    void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const override;

private:
    bool horizontal_;
    double probability_;
};

}  // namespace detail

/// Mirrors images, left and right change places, with this probability. Throws ArgumentError for none from 0 to 1.
Augmentation flip_horizontal(double probability = 0.5);
/// Mirrors images, top and bottom change places.
Augmentation flip_vertical(double probability = 0.5);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/augment/impl/flip.ipp>
#endif
