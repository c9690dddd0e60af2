// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

namespace sigma::data {

bool is_readable(const std::string& path);

/// Where the data is that comes with the library: where SIGMA_SHARE_DIR says, which CMake defines for programs, else
/// beside the folder of the headers, as it was installed or checked out.
std::string share_directory();

/// Says where, or where this header is; the texts must stay. True.
bool set_share_directory(const char* directory);
bool set_share_header(const char* file);

/// The directory that the environment variable SIGMA_DATA names; empty where it names none.
std::string named_directory();

/// Where the files of the data set `folder` may lie: only in `directory` where that is given; else where SIGMA_DATA
/// says, then in the workspace in use, then with the library, then in data/ of the current directory.
std::vector<std::string> search_directories(const std::string& folder, const std::string& directory = "");

/// These directories, for errors.
std::string searched_text(const std::string& folder, const std::string& directory = "");

/// The path of the file in the first directory that has it, as it is or as .gz; empty where none has.
std::string find_file(const std::vector<std::string>& directories, const std::string& name);

/// The path of a file of the data set `folder`; throws DataError where it is nowhere.
std::string require_file(const std::string& folder, const std::string& name, const std::string& directory = "");

}  // namespace sigma::data

#ifdef SIGMA_SHARE_DIR
namespace {
// The compiled library does not know where it was installed; each program does.
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
