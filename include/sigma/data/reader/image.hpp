// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/image/decode.hpp>
#include <sigma/data/image/files.hpp>
#include <sigma/data/image/resize.hpp>
#include <sigma/data/pipeline/pipeline.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// What becomes of an image with other extents: none refuses it, bilinear resizes it (resize.hpp), where the proportions
/// differ also them.
enum class Resize { none, bilinear };

struct ImageOptions {
    /// Those of all records; 0 stands for that of the first image that can be read. Given by the compiler where it knows them.
    std::size_t height = 0, width = 0, channels = 0;
    Resize resize = Resize::none;
    /// Is told of an image that cannot be used, which is then left out; without it that is an error. It is told again when
    /// the images are read again.
    std::function<void(const DataError&)> unreadable{};
    std::size_t max_pixels = std::size_t{1} << 26;
    std::size_t max_bytes = std::size_t{1} << 28;
    /// The grey in front of which transparent pixels are put.
    std::uint8_t background = 0;
};

/// Images of files: inputs (height, width, channels), numbers 0 … 255, and targets, the number of the class. Decodes one
/// after the other.
class ImageReader final : public RecordReader {
public:
    ImageReader(ImageFiles files, ImageOptions options)
        : files_(std::move(files)), options_(std::move(options)),
          wanted_(sentence(options_.height, ",", options_.width, ",", options_.channels)) {
        detail::check_channels(options_.channels);
        if (options_.width > 0 && options_.height > options_.max_pixels / options_.width)
            throw ArgumentError(sentence("images of '", files_.name, "'"), sentence("at most ", options_.max_pixels, " pixels"),
                                sentence(options_.height, " rows of ", options_.width));
        if (files_.files.empty()) throw DataError(files_.name, "", "at least one image", "none");
        for (const ImageFile& file : files_.files)
            if (file.label >= (files_.classes.empty() ? std::size_t{1} << 24 : files_.classes.size()))
                throw ArgumentError(sentence("images of '", files_.name, "', file '", file.path, "'"),
                                    sentence("a class below ", files_.classes.empty() ? std::size_t{1} << 24 : files_.classes.size()),
                                    sentence(file.label));
    }

    std::string name() const override { return files_.name; }
    const std::vector<SectionInfo>& sections() override {
        if (sections_.empty()) {
            if (options_.height == 0 || options_.width == 0 || options_.channels == 0) look_at_first();
            sections_ = {{"inputs", {options_.height, options_.width, options_.channels}, false}, {"targets", {}, true}};
        }
        return sections_;
    }
    std::optional<std::size_t> size() override {
        return options_.unreadable ? std::nullopt : std::optional<std::size_t>(files_.files.size());
    }
    std::size_t read(std::size_t most, Block& to) override {
        const std::size_t size = sections()[0].size();
        to.values.resize(2);
        to.values[0].resize(std::min(most, files_.files.size() - at_) * size);
        to.values[1].clear();
        to.records = 0;
        for (; to.records < most && at_ < files_.files.size(); ++at_) {
            const ImageFile& file = files_.files[at_];
            try {
                read_image(file, std::span(to.values[0]).subspan(to.records * size, size));
            } catch (const DataError& refusal) {
                if (!options_.unreadable) throw;
                options_.unreadable(refusal);
                continue;
            }
            to.values[1].push_back(static_cast<float>(file.label));
            ++to.records;
        }
        to.values[0].resize(to.records * size);
        given_ += to.records;
        if (given_ == 0 && most > 0) refuse_all();
        return to.records;
    }
    void rewind() override { at_ = given_ = 0; }
    /// Files are told apart by their length and time of change, not by what is in them.
    std::string key() const override {
        return sentence("images(", files_.name, ";", detail::digest_of(files_), ";", wanted_, ";",
                        options_.resize == Resize::none ? "none" : "bilinear", ";", options_.background,
                        ";", options_.max_pixels, ",", options_.max_bytes, ";", options_.unreadable ? "skip" : "all", ")");
    }
    std::vector<std::string> classes() const override { return files_.classes; }

private:
    [[noreturn]] void refuse_all() const {
        throw DataError(files_.name, "", "at least one image that can be read", sentence("none among ", files_.files.size()));
    }

    void look_at_first() {
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

    void read_image(const ImageFile& file, std::span<float> to) const {
        const std::string bytes = detail::read_regular_file(file.path, options_.max_bytes);
        const auto from = std::as_bytes(std::span(bytes));
        if (options_.resize == Resize::none) {  // before anything is decoded
            const ImageInfo info = image_info(from, file.path);
            if (info.height != options_.height || info.width != options_.width)
                throw DataError(file.path, "",
                                sentence(options_.height, " rows of ", options_.width,
                                         " pixels (or .resize = Resize::bilinear)"),
                                sentence(info.height, " of ", info.width));
        }
        const Image image = decode_image(
            from, {.channels = options_.channels, .max_pixels = options_.max_pixels, .background = options_.background}, file.path);
        resize_image(image, options_.height, options_.width, to);
    }

    ImageFiles files_;
    ImageOptions options_;
    std::string wanted_;  // the extents as they were given
    std::vector<SectionInfo> sections_;
    std::size_t at_ = 0, given_ = 0;
};

namespace detail {
template <class E>
using ImagePipeline = Pipeline<Schema<SectionField<"inputs", Role::input, E>, SectionField<"targets", Role::target, Extents<>>>>;
}

/// Images and their classes as records: inputs (height, width, channels), numbers 0 … 255, and targets, class numbers.
///
///     images<28, 28, 1>("digits")                               // digits/0/a.png, digits/1/b.jpg, …
///     images<64, 64, 3>("photos", {.resize = Resize::bilinear})
template <int height, int width, int channels>
    requires(height > 0 && width > 0 && (channels == 1 || channels == 3))
auto images(ImageFiles files, ImageOptions options = {}) {
    options.height = height, options.width = width, options.channels = channels;
    return detail::ImagePipeline<Extents<height, width, channels>>{
        std::make_shared<ImageReader>(std::move(files), std::move(options))};
}
template <int height, int width, int channels>
    requires(height > 0 && width > 0 && (channels == 1 || channels == 3))
auto images(const std::string& directory, ImageOptions options = {}) {
    return images<height, width, channels>(image_files(directory), std::move(options));
}
/// Extents that are known when the program runs: those of the options, or of the first image.
inline auto images(ImageFiles files, ImageOptions options = {}) {
    return detail::ImagePipeline<UnknownExtents>{std::make_shared<ImageReader>(std::move(files), std::move(options))};
}
inline auto images(const std::string& directory, ImageOptions options = {}) {
    return images(image_files(directory), std::move(options));
}

}  // namespace sigma::data
