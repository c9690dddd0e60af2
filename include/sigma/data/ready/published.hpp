// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/show_tasks.hpp>
#include <sigma/data/ready/image_parts.hpp>
#include <sigma/data/share_directory.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/source/url.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sigma::data {

/// A file of a published data set: `folder` is where it lies below a directory of data sets, `name` how it is called
/// there.
struct PublishedFile {
    std::string folder, name;
    std::string sha256;  ///< of what the addresses give
    std::vector<std::string>
        addresses;  ///< mirrors, the first is asked first; none where it only comes with the library
};

/// Where a published file is: in `directory` alone, where that is given, itself or in `folder`; else in `folder` of the
/// directory that the environment variable SIGMA_DATA names; else among the files that come with the library; else in
/// the cache, or downloaded into it, unless SIGMA_OFFLINE=1. Files may be packed, `name`.gz. Only downloads are held to
/// the digest: a file that the user has may be another edition. Throws DataError where a directory given does not have
/// it; opening it does where it is nowhere.
Source published(const PublishedFile& what, const std::string& directory = "");

/// Can it be opened? Downloads it where it is nowhere else. `why` tells what was wrong.
bool is_available(const Source& source, std::string& why);

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
#include <sigma/data/ready/impl/published.ipp>
#endif
