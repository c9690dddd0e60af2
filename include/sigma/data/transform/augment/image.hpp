// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/transform/augmentation.hpp>

#include <cmath>
#include <string_view>

namespace sigma::data {

/// A record as an image: (height, width) or (height, width, channels), as the layers have them.
struct Image {
    std::size_t height, width, channels;

    static Image of(std::span<const std::size_t> shape) { return {shape[0], shape[1], shape.size() > 2 ? shape[2] : 1}; }
    std::size_t row() const { return width * channels; }
    float* at(std::span<float> record, std::size_t y) const { return record.data() + y * row(); }

    static void check(std::string_view who, std::span<const std::size_t> shape) {
        if (shape.size() != 2 && shape.size() != 3)
            throw ShapeError(std::string(who), "images (height, width) or (height, width, channels)", shape_text(shape));
    }
};

namespace detail {

/// An augmenter of images.
class ImageAugmenter : public Augmenter {
public:
    void check(std::span<const std::size_t> shape) const override { Image::check(text(), shape); }
};

inline void require_augmentation(const char* where, bool good, const char* wanted, double found) {
    if (!good) throw ArgumentError(where, wanted, sentence(found));
}

/// A copy of the record for augmenters that cannot work in place. Each thread keeps its memory.
inline std::span<const float> copy_of(std::span<const float> record) {
    thread_local std::vector<float> memory;
    memory.assign(record.begin(), record.end());
    return memory;
}

/// The value between four pixels, bilinear, of channel c; what lies outside is `fill`.
inline float between(std::span<const float> from, const Image& image, double y, double x, std::size_t c, float fill) {
    const double top = std::floor(y), left = std::floor(x);
    const auto pixel = [&](double v, double u) -> double {
        if (v < 0 || u < 0 || v >= static_cast<double>(image.height) || u >= static_cast<double>(image.width))
            return static_cast<double>(fill);
        const auto at = static_cast<std::size_t>(v) * image.row() + static_cast<std::size_t>(u) * image.channels + c;
        return static_cast<double>(from[at]);
    };
    const double down = y - top, right = x - left;
    const double upper = pixel(top, left) * (1 - right) + (right > 0 ? pixel(top, left + 1) * right : 0);
    if (!(down > 0)) return static_cast<float>(upper);
    const double lower = pixel(top + 1, left) * (1 - right) + (right > 0 ? pixel(top + 1, left + 1) * right : 0);
    return static_cast<float>(upper * (1 - down) + lower * down);
}

}  // namespace detail
}  // namespace sigma::data
