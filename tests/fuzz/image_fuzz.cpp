// SPDX-License-Identifier: BSL-1.0
// Any bytes are either refused with a DataError or an image with all its numbers, as its first bytes said, which can be
// resized.
#include <sigma/data/image/image.hpp>

#include "target.hpp"

using fuzz::require;

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) try {
    const auto bytes = std::as_bytes(std::span(data, size));
    const sigma::data::ImageInfo info = sigma::data::image_info(bytes);
    // libjpeg-turbo holds all coefficients of progressive images, six bytes a pixel: the limit is below that of the
    // driver.
    const sigma::data::Image image = sigma::data::decode_image(bytes, {.max_pixels = std::size_t{1} << 18});
    require(info == sigma::data::ImageInfo{image.height, image.width, image.channels});
    require(image.values.size() == image.height * image.width * image.channels);
    std::vector<float> small(3 * 5 * image.channels);
    sigma::data::resize_image(image, 3, 5, small);
    for (const float number : small) require(number >= 0 && number < 255.01f);
    return true;
} catch (const sigma::DataError& refusal) {
    fuzz::require_printable(refusal);
    return false;
}
