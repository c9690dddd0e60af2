// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace sigma::data::detail {

/// What a file is instead, where it begins as files do that often come in place of data; else its first four bytes.
std::string contents_of(std::span<const std::byte> front);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/contents.ipp>
#endif
