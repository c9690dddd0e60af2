// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/image/resize.hpp>

#include <algorithm>

namespace sigma::data::detail {

SIGMA_IMPL AxisWeights::AxisWeights(std::size_t from, std::size_t to) {
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    for (std::size_t i = 0; i < to; ++i) {
        const std::size_t begin = weights.size();
        std::size_t first = 0;
        if (to < from) {
            const double low = static_cast<double>(i) * scale, high = std::min(low + scale, static_cast<double>(from));
            first = static_cast<std::size_t>(low);
            for (std::size_t k = first; k < from && static_cast<double>(k) < high; ++k) {
                const double left = std::max(low, static_cast<double>(k));
                const double right = std::min(high, static_cast<double>(k + 1));
                weights.push_back(static_cast<float>((right - left) / scale));
            }
        } else {
            const double centre =
                std::clamp((static_cast<double>(i) + 0.5) * scale - 0.5, 0.0, static_cast<double>(from - 1));
            first = std::min(static_cast<std::size_t>(centre), from - 1);
            const double fraction = centre - static_cast<double>(first);
            weights.push_back(static_cast<float>(1 - fraction));
            if (first + 1 < from) weights.push_back(static_cast<float>(fraction));
        }
        parts.push_back({first, begin, weights.size() - begin});
    }
}

/// The numbers of an image as one of other extents.
template <class T>
void resize(const Image& image, const std::vector<T>& values, std::size_t height, std::size_t width,
            std::span<float> to) {
    if (height == image.height && width == image.width) {
        std::ranges::transform(values, to.begin(), [](T v) { return static_cast<float>(v); });
        return;
    }
    const AxisWeights rows(image.height, height), columns(image.width, width);
    const std::size_t channels = image.channels, wide = image.width * channels;
    std::vector<float> row(wide);  // one row of the result before its columns are resized
    for (std::size_t y = 0; y < height; ++y) {
        const auto& part = rows.parts[y];
        std::ranges::fill(row, 0.0f);
        for (std::size_t k = 0; k < part.count; ++k) {
            const float weight = rows.weights[part.begin + k];
            const T* from = values.data() + (part.first + k) * wide;
            for (std::size_t x = 0; x < wide; ++x) row[x] += weight * static_cast<float>(from[x]);
        }
        float* out = to.data() + y * width * channels;
        for (std::size_t x = 0; x < width; ++x) {
            const auto& across = columns.parts[x];
            for (std::size_t c = 0; c < channels; ++c) {
                float sum = 0;
                for (std::size_t k = 0; k < across.count; ++k)
                    sum += columns.weights[across.begin + k] * row[(across.first + k) * channels + c];
                *out++ = sum;
            }
        }
    }
}

}  // namespace sigma::data::detail

namespace sigma::data {

SIGMA_IMPL void resize_image(const Image& image, std::size_t height, std::size_t width, std::span<float> to) {
    if (height == 0 || width == 0 || image.height == 0 || image.width == 0 ||
        image.values.size() != image.height * image.width * image.channels ||
        (!image.fine.empty() && image.fine.size() != image.values.size()) ||
        to.size() != height * width * image.channels)
        throw ShapeError(
            "resizing an image",
            sentence("numbers for ", sigma::detail::shape_text(std::vector{height, width, image.channels})),
            sentence(to.size(), " for ", image.values.size(), " pixels"));
    if (image.fine.empty()) return detail::resize(image, image.values, height, width, to);
    detail::resize(image, image.fine, height, width, to);
    for (float& v : to) v /= 257;  // to 0 … 255, with a fraction
}

}  // namespace sigma::data
