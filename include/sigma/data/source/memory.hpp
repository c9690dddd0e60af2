// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/source/source.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace sigma::data {

/// A text, as the bytes of a file that errors call `name`.
Source memory(std::string text, std::string name = "memory");

/// Bytes, as those of a file that errors call `name`.
Source memory(std::vector<std::byte> bytes, std::string name = "memory");

/// A copy of these bytes.
Source memory(std::span<const std::byte> bytes, std::string name = "memory");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/source/impl/memory.ipp>
#endif
