// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/idx.hpp>
#include <sigma/data/pipeline/dataset_of.hpp>
#include <sigma/data/ready/published.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace sigma::data {

/// Labelled images of 28 x 28 pixels from 0 to 1.
using Images28 = DatasetOf<Schema<SectionField<"inputs", Role::input, Extents<28, 28>>, SectionField<"targets", Role::target, Extents<>>>>;

namespace detail {

/// A published file of images and the one of their labels.
struct LabelledFiles {
    PublishedFile images, labels;
};

inline Images28 read_images28(const Source& images, const Source& labels, std::string name, std::vector<std::string> classes) {
    const Dataset read = read_idx_images(images, labels, std::move(name), std::move(classes));
    const std::vector<std::size_t> expected{28, 28};
    if (!std::ranges::equal(read.input_shape(), expected))
        throw DataError(images.name(), "byte 8", sentence("images of ", shape_text(expected)), shape_text(read.input_shape()));
    return Images28(read);
}
inline Images28 read_images(const LabelledFiles& files, const std::string& directory, std::string name, std::vector<std::string> classes) {
    return read_images28(published(files.images, directory), published(files.labels, directory), std::move(name), std::move(classes));
}
/// A part that comes with the library.
inline Images28 read_shipped(const std::string& folder, const std::string& part, std::string name, std::vector<std::string> classes) {
    const auto directories = search_directories(folder, "", false);
    return read_images28(file(require_file(directories, part + "-images-idx3-ubyte")),
                         file(require_file(directories, part + "-labels-idx1-ubyte")), std::move(name), std::move(classes));
}
/// What was asked for, or what comes with the library where that is nowhere; not where the user says in which directory it is.
template <class Shipped>
Images28 read_images_or(const LabelledFiles& files, const std::string& directory, std::string name,
                        std::vector<std::string> classes, Shipped shipped) {
    std::string why;
    if (directory.empty() && !is_available(published(files.images), why)) {
        Images28 part = shipped();
        std::fprintf(stderr, "%s: %s; so here are the %zu records of '%s', which come with the library\n", name.c_str(),
                     why.c_str(), part.size(), part.name().c_str());
        return part;
    }
    return read_images(files, directory, std::move(name), std::move(classes));
}

}  // namespace detail

}  // namespace sigma::data
