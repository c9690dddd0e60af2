// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <mutex>
#include <string>
#include <utility>

namespace sigma::storage {

/// Absolute folders of the workspace that the program uses; empty where it uses none.
struct WorkspaceFolders {
    std::string cache{}, datasets{}, storage{};
    bool operator==(const WorkspaceFolders&) const = default;
};

inline std::mutex workspace_mutex;
inline WorkspaceFolders workspace_folders;  // under the mutex

inline WorkspaceFolders workspace_in_use() {
    const std::lock_guard lock(workspace_mutex);
    return workspace_folders;
}
inline void use_workspace(WorkspaceFolders folders) {
    const std::lock_guard lock(workspace_mutex);
    workspace_folders = std::move(folders);
}
/// No workspace from now on, if these are the folders of the one in use.
inline void leave_workspace(const WorkspaceFolders& folders) {
    const std::lock_guard lock(workspace_mutex);
    if (workspace_folders == folders) workspace_folders = {};
}

/// Where a file is that is kept: a relative path goes on from the storage of the workspace in use.
inline std::string placed(std::string path) {
    if (path.empty() || path.front() == '/') return path;
    const std::string storage = workspace_in_use().storage;
    return storage.empty() ? path : sentence(storage, "/", path);
}

}  // namespace sigma::storage
