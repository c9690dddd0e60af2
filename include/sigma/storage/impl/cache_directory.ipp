// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/cache_directory.hpp>

#include <cstdlib>

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
                    "none");
}

}  // namespace sigma::data
