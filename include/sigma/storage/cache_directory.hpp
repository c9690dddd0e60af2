// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/storage/workspace.hpp>

#include <string>

namespace sigma::data {

/// Where downloads and caches lie: the directory that the environment variable SIGMA_CACHE names, else the cache of the
/// workspace in use, else $XDG_CACHE_HOME/sigma, else ~/.cache/sigma. It may not be there yet. Throws DataError where
/// none of them is set.
std::string cache_directory();

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/cache_directory.ipp>
#endif
