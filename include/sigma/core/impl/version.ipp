// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/version.hpp>

namespace sigma {

SIGMA_IMPL const char* version() noexcept { return SIGMA_VERSION_TEXT; }

#ifdef SIGMA_COMPILED
template <>
void detail::library_has_version<SIGMA_VERSION_MAJOR, SIGMA_VERSION_MINOR, SIGMA_VERSION_PATCH>() {}
#endif

}  // namespace sigma
