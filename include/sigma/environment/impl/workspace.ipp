// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/environment/workspace.hpp>

#include <utility>

namespace sigma::detail {

SIGMA_IMPL Workspace::Workspace(std::filesystem::path path)
    : path_(std::move(path)), place_(std::filesystem::absolute(path_)) {}

SIGMA_IMPL void Workspace::create() const {
    for (const auto& folder : {cache(), datasets(), storage()}) std::filesystem::create_directories(folder);
}

SIGMA_IMPL sigma::storage::WorkspaceFolders Workspace::folders() const {
    return {(place_ / "cache").string(), (place_ / "datasets").string(), (place_ / "storage").string()};
}

}  // namespace sigma::detail
