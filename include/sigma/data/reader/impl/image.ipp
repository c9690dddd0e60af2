// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/reader/image.hpp>

namespace sigma::data {

SIGMA_IMPL ClassFiles image_files(const std::string& directory, const std::vector<std::string>& classes) {
    return detail::class_files(directory, classes, "image");
}

namespace detail {

/// Reads images of files: inputs (height, width, channels), numbers 0 … 255, and targets, class indices. Decodes one
/// image after the other.
class ImageReader final : public ClassFileReader {
public:
    ImageReader(ClassFiles files, ImageOptions options)
        : ClassFileReader(checked(std::move(files), options), "image", options.unreadable, options.max_bytes),
          options_(std::move(options)),
          wanted_(sentence(options_.height, ",", options_.width, ",", options_.channels)) {}

    std::string key() const override {
        return key_with(sentence("all bits;", wanted_, ";", options_.resize == Resize::none ? "none" : "bilinear", ";",
                                 options_.background, ";", options_.max_pixels));
    }

private:
    static ClassFiles checked(ClassFiles files, const ImageOptions& o) {
        check_channels(o.channels);
        if (o.width > 0 && o.height > o.max_pixels / o.width)
            throw ArgumentError(sentence("images of '", files.name, "'"), sentence("at most ", o.max_pixels, " pixels"),
                                sentence(o.height, " rows of ", o.width));
        return files;
    }
    bool knows_extents() const override { return options_.height > 0 && options_.width > 0 && options_.channels > 0; }
    std::vector<std::size_t> extents() const override { return {options_.height, options_.width, options_.channels}; }
    void look_at(std::span<const std::byte> bytes, const std::string& path) override {
        const ImageInfo info = image_info(bytes, path);
        check_pixels(info, {.max_pixels = options_.max_pixels}, options_.max_pixels, path);
        if (options_.height == 0) options_.height = info.height;
        if (options_.width == 0) options_.width = info.width;
        if (options_.channels == 0) options_.channels = info.channels;
    }
    void decode(std::span<const std::byte> bytes, const std::string& path, std::span<float> to) const override {
        if (options_.resize == Resize::none) {  // checked before anything is decoded
            const ImageInfo info = image_info(bytes, path);
            if (info.height != options_.height || info.width != options_.width)
                throw DataError(
                    path, "",
                    sentence(options_.height, " rows of ", options_.width, " pixels (or .resize = Resize::bilinear)"),
                    sentence(info.height, " of ", info.width));
        }
        const Image image = decode_image(
            bytes,
            {.channels = options_.channels, .max_pixels = options_.max_pixels, .background = options_.background},
            path);
        resize_image(image, options_.height, options_.width, to);
    }

    ImageOptions options_;
    std::string wanted_;  // the requested extents
};

SIGMA_IMPL std::shared_ptr<RecordReader> image_reader(ClassFiles files, ImageOptions options) {
    return std::make_shared<ImageReader>(std::move(files), std::move(options));
}

}  // namespace detail

}  // namespace sigma::data
