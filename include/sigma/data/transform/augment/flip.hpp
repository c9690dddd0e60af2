// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/augment/image.hpp>

#include <algorithm>

namespace sigma::data {

namespace detail {

class Flip final : public ImageAugmenter {
public:
    Flip(bool horizontal, double probability) : horizontal_(horizontal), probability_(probability) {
        require_augmentation("flip", probability >= 0 && probability <= 1, "a probability from 0 to 1", probability);
    }
    std::string text() const override {
        return sentence(horizontal_ ? "flip_horizontal(" : "flip_vertical(", probability_, ")");
    }
    void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const override {
        if (!(random.uniform<double>(0) < probability_)) return;
        const ImageView image = ImageView::of(shape);
        if (horizontal_) {
            for (std::size_t y = 0; y < image.height; ++y)
                for (std::size_t a = 0, b = image.width; a + 1 < b; ++a) {
                    --b;
                    float* row = image.at(record, y);
                    std::swap_ranges(row + a * image.channels, row + (a + 1) * image.channels, row + b * image.channels);
                }
        } else {
            for (std::size_t y = 0; y < image.height / 2; ++y)
                std::swap_ranges(image.at(record, y), image.at(record, y) + image.row(),
                                 image.at(record, image.height - 1 - y));
        }
    }

private:
    bool horizontal_;
    double probability_;
};

}  // namespace detail

/// Mirrors images, left and right change places, with this probability. Throws ArgumentError for none from 0 to 1.
inline Augmentation flip_horizontal(double probability = 0.5) {
    return Augmentation(std::make_shared<const detail::Flip>(true, probability));
}
/// Mirrors images, top and bottom change places.
inline Augmentation flip_vertical(double probability = 0.5) {
    return Augmentation(std::make_shared<const detail::Flip>(false, probability));
}

}  // namespace sigma::data
