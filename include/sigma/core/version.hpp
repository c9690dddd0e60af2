// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The version of the library: library_version. Included by `<sigma/sigma.hpp>`.

namespace sigma {

/// The version of this library as MAJOR.MINOR.PATCH.
///
/// @par Example
/// @code
/// std::puts(library_version);
/// @endcode
// A test compares it with the version of the build.
inline constexpr const char* library_version = "0.1.0";

}  // namespace sigma
