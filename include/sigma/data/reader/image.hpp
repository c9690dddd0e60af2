// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `images`: records from directories of PNG, JPEG, PGM and PPM files. Include it yourself and link `sigma::images`.

#include <sigma/data/image/image.hpp>
#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/reader/class_files.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// The treatment of images with other extents than the records.
///
/// @see ImageOptions
enum class Resize {
    none,     ///< Rejects them.
    bilinear  ///< Resizes them (resize_image), also if their proportions differ.
};

/// Lists the images of a directory with one subdirectory for each class.
///
/// Sorts classes by name, or by value if all names are numbers, and the files of a class by name. Skips names that
/// begin with a dot, and files next to the subdirectories. Follows symbolic links.
///
/// @param directory  the directory
/// @param classes    names of classes 0, 1, …, such as `training.classes()`; some may have no subdirectory. Empty (the
///                   default): the names of the subdirectories
/// @return the files
/// @throws DataError  if there is no class, a class has no file or contains a directory, or a class is not in `classes`
///
/// @par Example
/// @code
/// const data::ClassFiles files = data::image_files("photos");
/// @endcode
///
/// @see images, docs/images.md
ClassFiles image_files(const std::string& directory, const std::vector<std::string>& classes = {});

/// Options of `images`. `images<height, width, channels>` sets the three extents itself.
///
/// @see images
struct ImageOptions {
    /// Rows of each record; 0: those of the first readable image. height · width is at most `max_pixels`.
    std::size_t height = 0;
    std::size_t width = 0;         ///< Columns of each record; 0: those of the first readable image.
    std::size_t channels = 0;      ///< 1 (grey) or 3 (red, green, blue); 0: those of the first readable image.
    Resize resize = Resize::none;  ///< Treatment of images with other extents.
    /// Called with the error of each image that cannot be used, which is then left out. Called again when the images
    /// are read again. Without this function, reading throws the error.
    std::function<void(const DataError&)> unreadable{};
    std::size_t max_pixels = std::size_t{1} << 26;  ///< Largest number of pixels of an image.
    std::size_t max_bytes = std::size_t{1} << 28;   ///< Largest size of a file, in bytes.
    std::uint8_t background = 0;                    ///< Grey behind transparent pixels, from 0 (black) to 255.
};

namespace detail {

/// Throws ArgumentError for options that no image can have.
std::shared_ptr<RecordReader> image_reader(ClassFiles files, ImageOptions options);

template <class E>
using ImagePipeline =
    Pipeline<Schema<SectionField<"inputs", Role::input, E>, SectionField<"targets", Role::target, Extents<>>>>;
}  // namespace detail

/// Reads images and their classes as records.
///
/// @par Shape
/// Inputs (height, width, channels), numbers from 0 to 255. Targets: class indices.
///
/// @tparam height    rows, at least 1
/// @tparam width     columns, at least 1
/// @tparam channels  1 (grey) or 3 (red, green, blue)
/// @param files      the files; see image_files
/// @param options    resizing, limits, unreadable files
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws ArgumentError  if the options are invalid
/// @throws DataError      if there are no files
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// auto photos = data::images<64, 64, 3>(image_files("photos"), {.resize = Resize::bilinear}) >> dataset("photos");
/// @endcode
///
/// @see docs/images.md
template <int height, int width, int channels>
    requires(height > 0 && width > 0 && (channels == 1 || channels == 3))
auto images(ClassFiles files, ImageOptions options = {}) {
    options.height = height, options.width = width, options.channels = channels;
    return detail::ImagePipeline<Extents<height, width, channels>>{
        detail::image_reader(std::move(files), std::move(options))};
}
/// Reads the images of a directory with one subdirectory for each class: `digits/0/a.png`, `digits/1/b.jpg`, ….
/// @tparam height    rows, at least 1
/// @tparam width     columns, at least 1
/// @tparam channels  1 (grey) or 3 (red, green, blue)
/// @param directory  the directory; see image_files
/// @param options    resizing, limits, unreadable files
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws ArgumentError  if the options are invalid
/// @throws DataError      if the directory has no classes or files
template <int height, int width, int channels>
    requires(height > 0 && width > 0 && (channels == 1 || channels == 3))
auto images(const std::string& directory, ImageOptions options = {}) {
    return images<height, width, channels>(image_files(directory), std::move(options));
}
/// Reads images of extents that need not be constants: those of the options, or those of the first image.
/// @param files    the files; see image_files
/// @param options  extents, resizing, limits, unreadable files
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws ArgumentError  if the options are invalid
inline auto images(ClassFiles files, ImageOptions options = {}) {
    return detail::ImagePipeline<UnknownExtents>{detail::image_reader(std::move(files), std::move(options))};
}
/// Reads the images of a directory, with extents that need not be constants.
/// @param directory  the directory; see image_files
/// @param options    extents, resizing, limits, unreadable files
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws ArgumentError  if the options are invalid
/// @throws DataError      if the directory has no classes or files
inline auto images(const std::string& directory, ImageOptions options = {}) {
    return images(image_files(directory), std::move(options));
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/image.ipp>
#endif
