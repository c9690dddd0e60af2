// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The version of the library: version(), and for the preprocessor SIGMA_VERSION (10000 · major + 100 · minor + patch,
/// so 100 for 0.1.0), SIGMA_VERSION_MAJOR, SIGMA_VERSION_MINOR, SIGMA_VERSION_PATCH and SIGMA_VERSION_TEXT. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/core/config.hpp>

// CMakeLists.txt reads these three lines.
#define SIGMA_VERSION_MAJOR 0
#define SIGMA_VERSION_MINOR 1
#define SIGMA_VERSION_PATCH 0

#define SIGMA_VERSION (SIGMA_VERSION_MAJOR * 10000 + SIGMA_VERSION_MINOR * 100 + SIGMA_VERSION_PATCH)
#define SIGMA_VERSION_TEXT_OF_NOW(major, minor, patch) #major "." #minor "." #patch
#define SIGMA_VERSION_TEXT_OF(...) SIGMA_VERSION_TEXT_OF_NOW(__VA_ARGS__)
#define SIGMA_VERSION_TEXT SIGMA_VERSION_TEXT_OF(SIGMA_VERSION_MAJOR, SIGMA_VERSION_MINOR, SIGMA_VERSION_PATCH)

namespace sigma {

/// Returns the version of the library that the program is linked with, as MAJOR.MINOR.PATCH.
///
/// The version of the headers is SIGMA_VERSION. A program whose headers have another version than the library does not
/// link.
///
/// @return the version, such as "0.1.0"
///
/// @par Example
/// @code
/// std::puts(version());
/// @endcode
const char* version() noexcept;

/// The version of the headers as MAJOR.MINOR.PATCH.
///
/// @deprecated Use version() or SIGMA_VERSION_TEXT.
///
/// @par Example
/// @code
/// std::puts(SIGMA_VERSION_TEXT);
/// @endcode
[[deprecated("write sigma::version()")]] inline constexpr const char* library_version = SIGMA_VERSION_TEXT;

#ifdef SIGMA_COMPILED
namespace detail {

// The library defines this function for its own version only. Each program refers to it, so the linker reports headers
// that do not belong to the library. Without `retain`, --gc-sections would remove the reference.
template <int, int, int>
void library_has_version();
template <>
void library_has_version<SIGMA_VERSION_MAJOR, SIGMA_VERSION_MINOR, SIGMA_VERSION_PATCH>();

#if __has_cpp_attribute(gnu::retain)
[[gnu::used, gnu::retain]] inline void (*const check_of_library_version)() =
    &library_has_version<SIGMA_VERSION_MAJOR, SIGMA_VERSION_MINOR, SIGMA_VERSION_PATCH>;
#endif

}  // namespace detail
#endif

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/version.ipp>
#endif
