// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/class_order.hpp>
#include <sigma/core/error.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma::data {

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

namespace detail {

/// The names in a directory but those that begin with a dot, sorted by their bytes.
std::vector<std::string> visible_names(const std::string& directory);

/// The bytes of a file that is neither a directory nor a device, through symbolic links.
std::string read_regular_file(const std::string& path, std::size_t most);

/// Another number when a file, its length, its times or its label is another one.
std::string digest_of(const ImageFiles& all);

}  // namespace detail

/// The images of a directory that has a sub-directory for each class: classes sorted by name, or by value where all
/// names are numbers, in each its files sorted by name. Names that begin with a dot are passed over, so are files
/// beside the sub-directories. Symbolic links are followed. Throws DataError where there is no class, where a class has
/// no file, and where a directory lies in a class. With `classes`, training.classes() for instance, these are the names
/// of classes 0, 1, …, of which some may be missing; others are refused.
ImageFiles image_files(const std::string& directory, const std::vector<std::string>& classes = {});

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/image/impl/files.ipp>
#endif
