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
    const auto changed = [&]<class T>(const std::vector<T>& from) {
        std::vector<T> to;
        to.reserve(from.size() / image.channels * channels);
        for (std::size_t i = 0; i < from.size(); i += image.channels) {
            if (channels == 1) to.push_back(static_cast<T>(grey_of(from[i], from[i + 1], from[i + 2])));
            else to.insert(to.end(), 3, from[i]);
        }
        return to;
    };
    return {image.height, image.width, channels, changed(image.values), changed(image.fine)};
}

SIGMA_IMPL void check_channels(std::size_t channels) {
    if (channels > 3 || channels == 2) throw ArgumentError("channels of an image", "0, 1 or 3", sentence(channels));
}

}  // namespace sigma::data::detail
