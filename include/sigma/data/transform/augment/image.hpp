// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/augmentation.hpp>

#include <string_view>

namespace sigma::data {

/// A record as an image: (height, width) or (height, width, channels), as the layers have them.
struct ImageView {
    std::size_t height, width, channels;

    static ImageView of(std::span<const std::size_t> shape) {
        return {shape[0], shape[1], shape.size() > 2 ? shape[2] : 1};
    }
    std::size_t row() const { return width * channels; }
    float* at(std::span<float> record, std::size_t y) const { return record.data() + y * row(); }

    static void check(std::string_view who, std::span<const std::size_t> shape);
};

namespace detail {

/// An augmenter of images.
class ImageAugmenter : public Augmenter {
public:
    void check(std::span<const std::size_t> shape) const override { ImageView::check(text(), shape); }
};

void require_augmentation(const char* where, bool good, const char* wanted, double found);

/// A copy of the record for augmenters that cannot work in place. Each thread keeps its memory.
std::span<const float> copy_of(std::span<const float> record);

/// Writes what lies at (y, x), between four pixels, bilinear, for each channel; what lies outside is `fill`.
void between(const float* from, const ImageView& image, float y, float x, float fill, float* to);

}  // namespace detail
}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/transform/augment/impl/image.ipp>
#endif
