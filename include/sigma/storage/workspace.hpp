// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace sigma::storage {

/// Absolute folders of the workspace that the program uses; empty where it uses none.
struct WorkspaceFolders {
    std::string cache{}, datasets{}, storage{};
    bool operator==(const WorkspaceFolders&) const = default;
};

WorkspaceFolders workspace_in_use();
void use_workspace(WorkspaceFolders folders);
/// No workspace from now on, if these are the folders of the one in use.
void leave_workspace(const WorkspaceFolders& folders);

/// Where a file is that is kept: a relative path goes on from the storage of the workspace in use.
std::string placed(std::string path);

}  // namespace sigma::storage

namespace sigma::data {

/// Where downloads and caches lie: the directory that the environment variable SIGMA_CACHE names, else the cache of the
/// workspace in use, else $XDG_CACHE_HOME/sigma, else ~/.cache/sigma. It may not be there yet. Throws DataError where
/// none of them is set.
std::string cache_directory();

}  // namespace sigma::data

namespace sigma {

/// Replaces the file by these pieces, one after the other, or throws StorageError and leaves it as it was. Relative
/// paths are below the storage of the workspace in use.
void write_file_atomically(std::string path, std::span<const std::span<const std::byte>> pieces);

void write_file_atomically(std::string path, std::span<const std::byte> bytes);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/workspace.ipp>
#endif
