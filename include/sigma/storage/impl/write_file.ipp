// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/atomic_file.hpp>
#include <sigma/storage/workspace.hpp>
#include <sigma/storage/write_file.hpp>

#include <utility>

namespace sigma {

SIGMA_IMPL void write_file_atomically(std::string path, std::span<const std::span<const std::byte>> pieces) {
    AtomicFile file(storage::placed(std::move(path)));
    for (const std::span<const std::byte> piece : pieces) file.write(piece);
    file.commit();
}

SIGMA_IMPL void write_file_atomically(std::string path, std::span<const std::byte> bytes) {
    write_file_atomically(std::move(path), std::span(&bytes, 1));
}

}  // namespace sigma
