// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/reader/image.hpp>

#include <algorithm>

namespace sigma::data {

SIGMA_IMPL ImageReader::ImageReader(ImageFiles files, ImageOptions options)
    : files_(std::move(files)), options_(std::move(options)),
      wanted_(sentence(options_.height, ",", options_.width, ",", options_.channels)) {
    detail::check_channels(options_.channels);
    if (options_.width > 0 && options_.height > options_.max_pixels / options_.width)
        throw ArgumentError(sentence("images of '", files_.name, "'"),
                            sentence("at most ", options_.max_pixels, " pixels"),
                            sentence(options_.height, " rows of ", options_.width));
    if (files_.files.empty()) throw DataError(files_.name, "", "at least one image", "none");
    for (const ImageFile& file : files_.files)
        if (file.label >= (files_.classes.empty() ? std::size_t{1} << 24 : files_.classes.size()))
            throw ArgumentError(
                sentence("images of '", files_.name, "', file '", file.path, "'"),
                sentence("a class below ", files_.classes.empty() ? std::size_t{1} << 24 : files_.classes.size()),
                sentence(file.label));
}

SIGMA_IMPL const std::vector<SectionInfo>& ImageReader::sections() {
    if (sections_.empty()) {
        if (options_.height == 0 || options_.width == 0 || options_.channels == 0) look_at_first();
        sections_ = {{"inputs", {options_.height, options_.width, options_.channels}, false}, {"targets", {}, true}};
    }
    return sections_;
}

SIGMA_IMPL std::optional<std::size_t> ImageReader::size() {
    return options_.unreadable ? std::nullopt : std::optional<std::size_t>(files_.files.size());
}

SIGMA_IMPL std::size_t ImageReader::read(std::size_t most, Block& to) {
    const std::size_t size = sections()[0].size();
    to.values.resize(2);
    std::vector<float>&pixels = to.values[0].floats(), &labels = to.values[1].floats();
    pixels.resize(std::min(most, files_.files.size() - at_) * size);
    labels.clear();
    to.records = 0;
    for (; to.records < most && at_ < files_.files.size(); ++at_) {
        const ImageFile& file = files_.files[at_];
        try {
            read_image(file, std::span(pixels).subspan(to.records * size, size));
        } catch (const DataError& refusal) {
            if (!options_.unreadable) throw;
            options_.unreadable(refusal);
            continue;
        }
        labels.push_back(static_cast<float>(file.label));
        ++to.records;
    }
    pixels.resize(to.records * size);
    given_ += to.records;
    if (given_ == 0 && most > 0) refuse_all();
    return to.records;
}

SIGMA_IMPL std::string ImageReader::key() const {
    return sentence("images of all bits(", files_.name, ";", detail::digest_of(files_), ";", wanted_, ";",
                    options_.resize == Resize::none ? "none" : "bilinear", ";", options_.background, ";",
                    options_.max_pixels, ",", options_.max_bytes, ";", options_.unreadable ? "skip" : "all", ")");
}

SIGMA_IMPL void ImageReader::refuse_all() const {
    throw DataError(files_.name, "", "at least one image that can be read",
                    sentence("none among ", files_.files.size()));
}

SIGMA_IMPL void ImageReader::look_at_first() {
    for (const ImageFile& file : files_.files) {
        try {
            const std::string bytes = detail::read_regular_file(file.path, options_.max_bytes);
            const ImageInfo info = image_info(std::as_bytes(std::span(bytes)), file.path);
            detail::check_pixels(info, {.max_pixels = options_.max_pixels}, options_.max_pixels, file.path);
            if (options_.height == 0) options_.height = info.height;
            if (options_.width == 0) options_.width = info.width;
            if (options_.channels == 0) options_.channels = info.channels;
            return;
        } catch (const DataError&) {
            if (!options_.unreadable) throw;  // else read() tells of it
        }
    }
    refuse_all();
}

SIGMA_IMPL void ImageReader::read_image(const ImageFile& file, std::span<float> to) const {
    const std::string bytes = detail::read_regular_file(file.path, options_.max_bytes);
    const auto from = std::as_bytes(std::span(bytes));
    if (options_.resize == Resize::none) {  // before anything is decoded
        const ImageInfo info = image_info(from, file.path);
        if (info.height != options_.height || info.width != options_.width)
            throw DataError(
                file.path, "",
                sentence(options_.height, " rows of ", options_.width, " pixels (or .resize = Resize::bilinear)"),
                sentence(info.height, " of ", info.width));
    }
    const Image image = decode_image(
        from, {.channels = options_.channels, .max_pixels = options_.max_pixels, .background = options_.background},
        file.path);
    resize_image(image, options_.height, options_.width, to);
}

}  // namespace sigma::data
