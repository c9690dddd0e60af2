// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/transform/augment/image.hpp>

#include <cmath>

namespace sigma::data {

SIGMA_IMPL void ImageView::check(std::string_view who, std::span<const std::size_t> shape) {
    if (shape.size() != 2 && shape.size() != 3)
        throw ShapeError(std::string(who), "images (height, width) or (height, width, channels)",
                         sigma::detail::shape_text(shape));
}

}  // namespace sigma::data

namespace sigma::data::detail {

SIGMA_IMPL void require_augmentation(const char* where, bool good, const char* wanted, double found) {
    if (!good) throw ArgumentError(where, wanted, sentence(found));
}

SIGMA_IMPL std::span<const float> copy_of(std::span<const float> record) {
    thread_local std::vector<float> memory;
    memory.assign(record.begin(), record.end());
    return memory;
}

SIGMA_IMPL void between(const float* from, const ImageView& image, float y, float x, float fill, float* to) {
    const float top = std::floor(y), left = std::floor(x), down = y - top, right = x - left;
    // Far outside is as outside as just outside; whole numbers would overflow.
    const auto whole = [](float at, std::size_t extent) {
        const auto end = static_cast<float>(extent) + 1;
        return static_cast<std::ptrdiff_t>(at < -2 ? -2 : at > end ? end : at);
    };
    const std::ptrdiff_t v = whole(top, image.height), u = whole(left, image.width);
    const auto height = static_cast<std::ptrdiff_t>(image.height), width = static_cast<std::ptrdiff_t>(image.width);
    const auto row = static_cast<std::ptrdiff_t>(image.row()), channels = static_cast<std::ptrdiff_t>(image.channels);
    if (v >= 0 && u >= 0 && v + 1 < height && u + 1 < width) {
        const float* at = from + v * row + u * channels;
        for (std::ptrdiff_t c = 0; c < channels; ++c, ++at) {
            const float upper = at[0] + right * (at[channels] - at[0]);
            const float lower = at[row] + right * (at[row + channels] - at[row]);
            to[c] = upper + down * (lower - upper);
        }
        return;
    }
    const auto pixel = [&](std::ptrdiff_t i, std::ptrdiff_t j, std::ptrdiff_t c) {
        return i < 0 || j < 0 || i >= height || j >= width ? fill : from[i * row + j * channels + c];
    };
    for (std::ptrdiff_t c = 0; c < channels; ++c) {
        const float a = pixel(v, u, c), b = pixel(v + 1, u, c);
        const float upper = right > 0 ? a + right * (pixel(v, u + 1, c) - a) : a;
        const float lower = right > 0 ? b + right * (pixel(v + 1, u + 1, c) - b) : b;
        to[c] = down > 0 ? upper + down * (lower - upper) : upper;
    }
}

}  // namespace sigma::data::detail
