// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/file.hpp>
#include <sigma/storage/workspace.hpp>

#include <cstdlib>
#include <mutex>
#include <utility>

namespace sigma::storage {

inline std::mutex workspace_mutex;
inline WorkspaceFolders workspace_folders;  // under the mutex

SIGMA_IMPL WorkspaceFolders workspace_in_use() {
    const std::lock_guard lock(workspace_mutex);
    return workspace_folders;
}

SIGMA_IMPL void use_workspace(WorkspaceFolders folders) {
    const std::lock_guard lock(workspace_mutex);
    workspace_folders = std::move(folders);
}

SIGMA_IMPL void leave_workspace(const WorkspaceFolders& folders) {
    const std::lock_guard lock(workspace_mutex);
    if (workspace_folders == folders) workspace_folders = {};
}

SIGMA_IMPL std::string placed(std::string path) {
    if (path.empty() || path.front() == '/') return path;
    const std::string storage = workspace_in_use().storage;
    return storage.empty() ? path : sentence(storage, "/", path);
}

}  // namespace sigma::storage

namespace sigma::data {

SIGMA_IMPL std::string cache_directory() {
    const auto named = [](const char* variable) {
        const char* value = std::getenv(variable);
        return std::string(value == nullptr ? "" : value);
    };
    if (std::string own = named("SIGMA_CACHE"); !own.empty()) return own;
    if (std::string used = storage::workspace_in_use().cache; !used.empty()) return used;
    // The XDG Base Directory Specification: "all paths must be absolute", others are ignored.
    if (const std::string caches = named("XDG_CACHE_HOME"); caches.starts_with('/')) return sentence(caches, "/sigma");
    if (const std::string home = named("HOME"); !home.empty()) return sentence(home, "/.cache/sigma");
    throw DataError("the cache directory", "", "one of SIGMA_CACHE, XDG_CACHE_HOME and HOME in the environment",
                    "none of them");
}

}  // namespace sigma::data

namespace sigma {

SIGMA_IMPL void write_file_atomically(std::string path, std::span<const std::span<const std::byte>> pieces) {
    AtomicFile file(storage::placed(std::move(path)));
    for (const std::span<const std::byte> piece : pieces) file.write(piece);
    file.commit();
}

SIGMA_IMPL void write_file_atomically(std::string path, std::span<const std::byte> bytes) {
    write_file_atomically(std::move(path), std::span(&bytes, 1));
}

}  // namespace sigma
