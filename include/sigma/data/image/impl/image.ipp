// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/image/image.hpp>

namespace sigma::data::detail {

SIGMA_IMPL void check_pixels(const ImageInfo& info, const DecodeOptions& options, std::size_t most,
                             const std::string& name) {
    const std::string found = sentence(info.height, " rows of ", info.width);
    if (info.height == 0 || info.width == 0) throw DataError(name, "", "an image of at least one pixel", found);
    const std::size_t limit = options.max_pixels;
    if (info.height > limit / info.width) throw DataError(name, "", sentence("at most ", limit, " pixels"), found);
    if (info.height * info.width > most)
        throw DataError(name, "", sentence("at most the ", most, " pixels that its bytes can hold"), found);
}

SIGMA_IMPL Image with_channels(Image image, std::size_t channels) {
    if (channels == image.channels) return image;
    const std::size_t pixels = image.height * image.width;
    Image other{image.height, image.width, channels, std::vector<std::uint8_t>(pixels * channels)};
    for (std::size_t i = 0; i < pixels; ++i) {
        const std::uint8_t* from = &image.values[i * image.channels];
        if (channels == 1) other.values[i] = grey_of(from[0], from[1], from[2]);
        else
            for (std::size_t c = 0; c < 3; ++c) other.values[3 * i + c] = from[0];
    }
    return other;
}

SIGMA_IMPL void check_channels(std::size_t channels) {
    if (channels > 3 || channels == 2) throw ArgumentError("channels of an image", "0, 1 or 3", sentence(channels));
}

}  // namespace sigma::data::detail
