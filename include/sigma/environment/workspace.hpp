// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <filesystem>
#include <utility>

namespace sigma {

/// Folders below one, for what programs keep between runs. Nothing is made before `create`.
class Workspace {
public:
    explicit Workspace(std::filesystem::path path = "workspace") : path_(std::move(path)) {}

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path cache() const { return path_ / "cache"; }
    std::filesystem::path datasets() const { return path_ / "datasets"; }
    /// For checkpoints.
    std::filesystem::path storage() const { return path_ / "storage"; }

    /// Makes the folders that are missing. Throws std::filesystem::filesystem_error.
    void create() const {
        for (const auto& folder : {cache(), datasets(), storage()}) std::filesystem::create_directories(folder);
    }

private:
    std::filesystem::path path_;
};

}  // namespace sigma
