// SPDX-License-Identifier: BSL-1.0
#pragma once

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

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/workspace.ipp>
#endif
