// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Directories of the data sets that come with the library. Include it yourself.

#include <string>
#include <vector>

namespace sigma::data {

/// Returns whether a file can be opened.
/// @param path  path of the file
///
/// @see find_file
bool is_readable(const std::string& path);

/// Returns the directory of the data that comes with the library: SIGMA_SHARE_DIR, which CMake defines for programs, or
/// a directory next to the headers, as installed or checked out.
///
/// @see search_directories
std::string share_directory();

/// @cond internal
/// Sets the directory, or the path of this header. The texts must stay valid. Returns true.
bool set_share_directory(const char* directory);
bool set_share_header(const char* file);
/// @endcond

/// Returns the directory that the environment variable SIGMA_DATA names, or an empty text.
///
/// @see search_directories
std::string named_directory();

/// Returns the directories in which the files of a data set may be.
///
/// With a directory: its folder `folder`, then the directory itself. Otherwise `folder` in: the directory of
/// SIGMA_DATA, the workspace in use, the files that come with the library, `data`, `../data`.
///
/// @param folder     folder of the data set
/// @param directory  directory to search; empty (the default): the others
/// @return paths, the first to search first
///
/// @see find_file, published
std::vector<std::string> search_directories(const std::string& folder, const std::string& directory = "");

/// Returns a text of the directories of `search_directories`, for errors.
///
/// @see search_directories
///
/// @param folder     folder of the data set
/// @param directory  directory to search; empty (the default): the others
std::string searched_text(const std::string& folder, const std::string& directory = "");

/// Returns the path of a file in the first directory that has it, unchanged or as .gz; empty if none has it.
/// @param directories  directories to search, in order
/// @param name         name of the file
///
/// @see search_directories
std::string find_file(const std::vector<std::string>& directories, const std::string& name);

/// Returns the path of a file of a data set.
/// @param folder     folder of the data set
/// @param name       name of the file
/// @param directory  directory to search; empty (the default): the others
/// @throws DataError  if no directory has the file
///
/// @see search_directories
std::string require_file(const std::string& folder, const std::string& name, const std::string& directory = "");

}  // namespace sigma::data

#ifdef SIGMA_SHARE_DIR
namespace {
// Each program sets it: the compiled library does not know the directory of its installation.
[[maybe_unused]] const bool share_directory_is_set = sigma::data::set_share_directory(SIGMA_SHARE_DIR);
}  // namespace
#elif defined(SIGMA_COMPILED) && !defined(SIGMA_LIBRARY)
namespace {
[[maybe_unused]] const bool share_header_is_set = sigma::data::set_share_header(__FILE__);
}  // namespace
#endif

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/share_directory.ipp>
#endif
