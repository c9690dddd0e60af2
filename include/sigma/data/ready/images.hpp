// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/ready/image_parts.hpp>
#include <sigma/data/ready/published.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sigma::data {

namespace detail {

/// A published file of images and the one of their labels.
struct LabelledFiles {
    PublishedFile images, labels;
    std::size_t records;
    std::array<std::uint8_t, 10> first;  ///< labels, which tell them from another set's files of the same names
};

Images28 read_images(const LabelledFiles& files, const std::string& directory, std::string name,
                     std::vector<std::string> classes);
/// Throws DataError, and may download, where a file is not in a directory.
void require(const LabelledFiles& files);
/// Both parts, or those of the sample where they are nowhere; not where the user says in which directory they are.
ImageParts read_parts(const LabelledFiles& training, const LabelledFiles& testing, const LabelledFiles& sample,
                      const std::string& directory, const std::string& name, const std::vector<std::string>& classes);

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/ready/impl/images.ipp>
#endif
