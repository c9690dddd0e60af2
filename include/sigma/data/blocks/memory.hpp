// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <string>

namespace sigma::data {

namespace detail {

/// The beginning of a file of the system; empty where there is none.
std::string system_file(const std::string& path);

/// The number after `word` in `text`, `other` where there is none.
std::size_t number_after(const std::string& text, const char* word, std::size_t other);

}  // namespace detail

/// Bytes of memory that this process can still take: what the system has (MemAvailable), and what its control group
/// (version 2) and its limits of address space and data leave. Half of the largest number where nothing tells.
std::size_t free_memory();

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/blocks/impl/memory.ipp>
#endif
