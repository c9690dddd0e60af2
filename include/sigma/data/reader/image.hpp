// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/image/image.hpp>
#include <sigma/data/pipeline/pipeline.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// What becomes of an image with other extents: none refuses it, bilinear resizes it (resize.hpp), where the
/// proportions differ also them.
enum class Resize { none, bilinear };

/// A file with an image and the number of its class.
struct ImageFile {
    std::string path;
    std::size_t label = 0;
};

struct ImageFiles {
    std::string name;  ///< what errors and data sets call them
    std::vector<ImageFile> files;
    std::vector<std::string> classes{};  ///< names of classes 0, 1, …; may be empty
};

/// The images of a directory that has a sub-directory for each class: classes sorted by name, or by value where all
/// names are numbers, in each its files sorted by name. Names that begin with a dot are passed over, so are files
/// beside the sub-directories. Symbolic links are followed. Throws DataError where there is no class, where a class has
/// no file, and where a directory lies in a class. With `classes`, training.classes() for instance, these are the names
/// of classes 0, 1, …, of which some may be missing; others are refused.
ImageFiles image_files(const std::string& directory, const std::vector<std::string>& classes = {});

struct ImageOptions {
    /// Those of all records; 0 stands for that of the first image that can be read. Given by the compiler where it
    /// knows them.
    std::size_t height = 0, width = 0, channels = 0;
    Resize resize = Resize::none;
    /// Is told of an image that cannot be used, which is then left out; without it that is an error. It is told again
    /// when the images are read again.
    std::function<void(const DataError&)> unreadable{};
    std::size_t max_pixels = std::size_t{1} << 26;
    std::size_t max_bytes = std::size_t{1} << 28;
    /// The grey in front of which transparent pixels are put.
    std::uint8_t background = 0;
};

namespace detail {

/// Throws ArgumentError for options that no image can have.
std::shared_ptr<RecordReader> image_reader(ImageFiles files, ImageOptions options);

template <class E>
using ImagePipeline =
    Pipeline<Schema<SectionField<"inputs", Role::input, E>, SectionField<"targets", Role::target, Extents<>>>>;
}  // namespace detail

/// Images and their classes as records: inputs (height, width, channels), numbers 0 … 255, and targets, class numbers.
///
///     images<28, 28, 1>("digits")                               // digits/0/a.png, digits/1/b.jpg, …
///     images<64, 64, 3>("photos", {.resize = Resize::bilinear})
template <int height, int width, int channels>
    requires(height > 0 && width > 0 && (channels == 1 || channels == 3))
auto images(ImageFiles files, ImageOptions options = {}) {
    options.height = height, options.width = width, options.channels = channels;
    return detail::ImagePipeline<Extents<height, width, channels>>{
        detail::image_reader(std::move(files), std::move(options))};
}
template <int height, int width, int channels>
    requires(height > 0 && width > 0 && (channels == 1 || channels == 3))
auto images(const std::string& directory, ImageOptions options = {}) {
    return images<height, width, channels>(image_files(directory), std::move(options));
}
/// Extents that are known when the program runs: those of the options, or of the first image.
inline auto images(ImageFiles files, ImageOptions options = {}) {
    return detail::ImagePipeline<UnknownExtents>{detail::image_reader(std::move(files), std::move(options))};
}
inline auto images(const std::string& directory, ImageOptions options = {}) {
    return images(image_files(directory), std::move(options));
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/image.ipp>
#endif
