// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>

#include <cstddef>

namespace sigma::detail {

/// Asks the system to back memory that nobody has touched yet by pages of 2 MB: where every first touch of a page of
/// 4 KB costs 1 to 20 microseconds, new memory takes as long as a kernel that fills it, or fifty times as long. Nothing
/// happens to memory that is small, or where there are no such pages.
void prefer_huge_pages(void* memory, std::size_t bytes);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/core/impl/huge_pages.ipp>
#endif
