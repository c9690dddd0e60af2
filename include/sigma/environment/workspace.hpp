// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/storage/workspace.hpp>

#include <filesystem>

namespace sigma::detail {

/// Folders below one, for what programs keep between runs. Nothing is made before `create`. A program may use one: its
/// own working directory, as it were, for what this library reads and writes by relative names.
class Workspace {
public:
    explicit Workspace(std::filesystem::path path = "workspace");

    const std::filesystem::path& path() const& { return path_; }
    std::filesystem::path path() && { return path_; }
    /// Of what is downloaded and of blocks of data, unless SIGMA_CACHE names another.
    std::filesystem::path cache() const { return path_ / "cache"; }
    /// Where ready data sets are sought, after SIGMA_DATA.
    std::filesystem::path datasets() const { return path_ / "datasets"; }
    /// Where checkpoints, parameters, preprocessings and vocabularies with relative names are saved and loaded.
    std::filesystem::path storage() const { return path_ / "storage"; }

    /// Makes the folders that are missing. Throws std::filesystem::filesystem_error.
    void create() const;

    /// The program uses it from now on, in place of another, until `leave`.
    void use() const { sigma::storage::use_workspace(folders()); }
    void leave() const { sigma::storage::leave_workspace(folders()); }

private:
    sigma::storage::WorkspaceFolders folders() const;

    std::filesystem::path path_, place_;  ///< as given, and absolute
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/environment/impl/workspace.ipp>
#endif
