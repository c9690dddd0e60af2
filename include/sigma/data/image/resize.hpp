// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/image/image.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace sigma::data {

namespace detail {

/// How much of which numbers along an axis each number of the other length is made of.
struct AxisWeights {
    struct Part {
        std::size_t first, begin, count;  // count weights from begin on, for numbers from first on
    };
    std::vector<Part> parts;
    std::vector<float> weights;

    /// Shrinking takes the mean over the area that a pixel covers; growing is linear between the centres of pixels, and
    /// constant beyond the outermost ones.
    AxisWeights(std::size_t from, std::size_t to);
};

}  // namespace detail

/// The image with other extents, written to `to`, (height, width, channels) in row-major order, numbers 0 … 255. An
/// axis that shrinks is averaged over areas, one that grows is linear; the same extents copy.
void resize_image(const Image& image, std::size_t height, std::size_t width, std::span<float> to);

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/image/impl/resize.ipp>
#endif
