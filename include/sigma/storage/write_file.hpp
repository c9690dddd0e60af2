// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace sigma {

/// Replaces the file by these pieces, one after the other, or throws StorageError and leaves it as it was. Relative
/// paths are below the storage of the workspace in use.
void write_file_atomically(std::string path, std::span<const std::span<const std::byte>> pieces);

void write_file_atomically(std::string path, std::span<const std::byte> bytes);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/storage/impl/write_file.ipp>
#endif
