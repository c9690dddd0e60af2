// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/storage/workspace.hpp>

#include <mutex>
#include <string>
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
