// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/data/share_directory.hpp>

#include <string>
#include <vector>

namespace sigma::data {

std::string system_message(int code);

/// The whole of a file, as text.
std::string read_text(const std::string& path);

/// The directory that the environment variable SIGMA_DATA names; empty where it names none.
std::string named_directory();

/// Where the files of the data set `folder` may lie: only in `directory` where that is given; else where SIGMA_DATA
/// says, then in the workspace in use, then with the library, then in data/ of the current directory.
std::vector<std::string> search_directories(const std::string& folder, const std::string& directory = "");

/// These directories, for errors.
std::string searched_text(const std::string& folder, const std::string& directory = "");

/// The path of the file in the first directory that has it, as it is or as .gz; empty where none has.
std::string find_file(const std::vector<std::string>& directories, const std::string& name);

/// The path of a file of the data set `folder`; throws where it is nowhere.
std::string require_file(const std::string& folder, const std::string& name, const std::string& directory = "");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/file.ipp>
#endif
