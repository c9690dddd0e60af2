// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Files of published data sets: search in directories, and download. Include it yourself.

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

/// A file of a published data set.
///
/// @see published
struct PublishedFile {
    std::string folder;                  ///< folder below a directory of data sets
    std::string name;                    ///< name of the file
    std::string sha256;                  ///< digest of the bytes at the addresses
    std::vector<std::string> addresses;  ///< mirrors, in order; empty: the file only comes with the library
};

/// Returns the source of a published file.
///
/// With a directory, searches the directory and its folder `what.folder` alone. Otherwise it searches `what.folder` in:
/// the directory that the environment variable SIGMA_DATA names, the workspace in use, the files that come with the
/// library, `data` and `../data`; then the cache, into which it downloads the file unless SIGMA_OFFLINE=1. Files may be
/// compressed (`name`.gz). Only downloads must have the digest: your own file may be another edition.
///
/// Opening the source throws DataError if the file is found nowhere.
///
/// @param what       the file
/// @param directory  directory of the file; empty (the default): searches
/// @return a source
/// @throws DataError  if the file is not in `directory`
///
/// @see mnist, docs/ready-datasets.md
Source published(const PublishedFile& what, const std::string& directory = "");

/// Returns whether a source can be opened. Downloads the file if it is found nowhere else.
///
/// @param source  the source
/// @param why     receives the reason if it cannot be opened
/// @return true if it can be opened
///
/// @see published
bool is_available(const Source& source, std::string& why);

namespace detail {

/// A published file of images and the one of their labels.
struct LabelledFiles {
    PublishedFile images, labels;
    std::size_t records;
    std::array<std::uint8_t, 10> first;  ///< first labels, to recognize files of another set with the same names
};

Images28 read_images(const LabelledFiles& files, const std::string& directory, std::string name,
                     std::vector<std::string> classes);
/// Checks that both files can be opened; may download them. Throws DataError.
void require(const LabelledFiles& files);
/// Reads both parts, or those of the sample if no directory is given and the files are found nowhere.
ImageParts read_parts(const LabelledFiles& training, const LabelledFiles& testing, const LabelledFiles& sample,
                      const std::string& directory, const std::string& name, const std::vector<std::string>& classes);

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/ready/impl/published.ipp>
#endif
