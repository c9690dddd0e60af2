// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/archive.hpp>

#include <utility>

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

namespace sigma::detail {

SIGMA_IMPL void join_archives(Archive& to, const std::vector<Archive>& all) {
    std::uint64_t count = all.size();
    to(count);
    for (const Archive& each : all) {
        std::uint64_t words = each.words().size(), blobs = each.blobs().size();
        to(words, blobs);
        to.append(each);
    }
}
SIGMA_IMPL std::vector<Archive> split_archives(Archive& from) {
    std::vector<Archive> all;
    std::uint64_t count = 0;
    from(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        std::uint64_t size = 0, parts = 0;
        from(size, parts);
        std::vector<std::uint64_t> words;
        for (std::uint64_t k = 0; k < size; ++k) from(words.emplace_back());
        std::vector<std::vector<std::byte>> blobs;
        for (std::uint64_t k = 0; k < parts; ++k) from.tensor(blobs.emplace_back());
        all.emplace_back(std::move(words), std::move(blobs));
    }
    return all;
}

}  // namespace sigma::detail
