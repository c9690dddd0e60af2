// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Folders of the workspace in use, and files that are written as a whole: write_file_atomically, cache_directory.
/// Include it yourself.

#include <sigma/core/error.hpp>

#include <cstddef>
#include <span>
#include <string>

/// @cond internal
namespace sigma::storage {

/// The absolute folders of the workspace in use; empty if there is none.
struct WorkspaceFolders {
    std::string cache{}, datasets{}, storage{};
    bool operator==(const WorkspaceFolders&) const = default;
};

/// Returns the folders of the workspace in use.
WorkspaceFolders workspace_in_use();
/// Sets the folders of the workspace in use.
void use_workspace(WorkspaceFolders folders);
/// Stops using the workspace with these folders. Does nothing if another one is in use.
void leave_workspace(const WorkspaceFolders& folders);

/// Returns the path of a stored file: a relative path is below the storage of the workspace in use.
std::string placed(std::string path);

}  // namespace sigma::storage
/// @endcond

namespace sigma::data {

/// Returns the directory of downloads and caches. It may not exist yet.
///
/// The first of these that is set: the environment variable SIGMA_CACHE, the cache of the workspace in use,
/// `$XDG_CACHE_HOME/sigma`, `$HOME/.cache/sigma`.
///
/// @return the path of the directory
/// @throws DataError  if none of them is set
///
/// @par Example
/// @code
/// std::puts(data::cache_directory().c_str());  // /home/you/.cache/sigma
/// @endcode
std::string cache_directory();

}  // namespace sigma::data

namespace sigma {

/// Writes a file from several pieces. An existing file is replaced as a whole or not at all.
/// @param path    path of the file. A relative path is below the storage of the workspace in use.
/// @param pieces  contents, one piece after the other
/// @throws StorageError  if the file cannot be written; an existing file is then unchanged
/// @see AtomicFile
void write_file_atomically(std::string path, std::span<const std::span<const std::byte>> pieces);

/// Writes a file. An existing file is replaced as a whole or not at all.
/// @param path   path of the file. A relative path is below the storage of the workspace in use.
/// @param bytes  contents
/// @throws StorageError  if the file cannot be written; an existing file is then unchanged
///
/// @par Example
/// @code
/// const std::string text = "accuracy,0.98\n";
/// write_file_atomically("result.csv", std::as_bytes(std::span(text)));
/// @endcode
///
/// @see AtomicFile
void write_file_atomically(std::string path, std::span<const std::byte> bytes);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/workspace.ipp>
#endif
