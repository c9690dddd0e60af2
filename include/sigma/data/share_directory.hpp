// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

namespace sigma::data {

bool is_readable(const std::string& path);

/// Where the data is that comes with the library: where SIGMA_SHARE_DIR says, which CMake defines for programs, else
/// beside the folder of the headers, as it was installed or checked out.
std::string share_directory();

/// Says where; `directory` must stay. True.
bool set_share_directory(const char* directory);

}  // namespace sigma::data

#ifdef SIGMA_SHARE_DIR
namespace {
// The compiled library does not know where it was installed; each program does.
[[maybe_unused]] const bool share_directory_is_set = sigma::data::set_share_directory(SIGMA_SHARE_DIR);
}  // namespace
#endif

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/share_directory.ipp>
#endif
