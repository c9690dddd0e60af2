// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/augment/image.hpp>

namespace sigma::data {

namespace detail {

class Crop final : public ImageAugmenter {
public:
    explicit Crop(int pixels) : pixels_(pixels) {
        require_augmentation("crop", pixels >= 0, "at least 0 pixels", pixels);
    }
    std::string text() const override { return sentence("crop(", pixels_, ")"); }
    void check(std::span<const std::size_t> shape) const override {
        ImageAugmenter::check(shape);
        const auto least = static_cast<std::size_t>(pixels_) + 1;
        if (shape[0] < least || shape[1] < least)
            throw ShapeError(text(), sentence("images of at least ", least, " pixels a side"), shape_text(shape));
    }
    void apply(std::span<float> record, std::span<const std::size_t> shape, Philox random) const override {
        const ImageView image = ImageView::of(shape);
        const auto from = copy_of(record);
        PhiloxSequence drawn{random};
        const auto less = static_cast<std::size_t>(pixels_);
        const auto top = static_cast<float>(drawn.below(less + 1)), left = static_cast<float>(drawn.below(less + 1));
        // Corners of the part that is kept become corners of the image.
        const auto step = [&](std::size_t extent) {
            return extent > 1 ? static_cast<float>(extent - less - 1) / static_cast<float>(extent - 1) : 0.0f;
        };
        const float down = step(image.height), right = step(image.width);
        float* to = record.data();
        for (std::size_t y = 0; y < image.height; ++y)
            for (std::size_t x = 0; x < image.width; ++x, to += image.channels)
                between(from.data(), image, top + down * static_cast<float>(y), left + right * static_cast<float>(x), 0, to);
    }

private:
    int pixels_;
};

}  // namespace detail

/// Cuts a part out of images that is so many pixels less high and less wide, at any place, and enlarges it to the size of
/// the image, bilinear. Throws ArgumentError for less than 0 pixels, ShapeError for images that are not larger.
inline Augmentation crop(int pixels) {
    return Augmentation(std::make_shared<const detail::Crop>(pixels));
}

}  // namespace sigma::data
