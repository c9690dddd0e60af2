// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/archive.hpp>

namespace sigma {

SIGMA_IMPL Archive::Archive(std::vector<std::uint64_t> words, std::vector<std::vector<std::byte>> blobs)
    : words_(std::move(words)), blobs_(std::move(blobs)), reading_(true) {}

SIGMA_IMPL void Archive::append(const Archive& other) {
    words_.insert(words_.end(), other.words_.begin(), other.words_.end());
    blobs_.insert(blobs_.end(), other.blobs_.begin(), other.blobs_.end());
}

SIGMA_IMPL void Archive::too_short() {
    throw MismatchError("state of hooks", "a checkpoint with the state of all hooks",
                        "a checkpoint that ends before the last hook");
}

}  // namespace sigma
