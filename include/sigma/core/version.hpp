// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma {

/// Of this library, as major.minor.patch; a test compares it with that of the build.
inline constexpr const char* library_version = "0.1.0";

}  // namespace sigma
