// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/storage/safetensors_header.hpp>

#include <limits>

namespace sigma::storage {

SIGMA_IMPL std::size_t checksum_place(std::string_view header) {
    const std::string before = sentence('"', checksum_key, "\":\"");
    const std::size_t at = header.find(before);
    return at == header.npos ? at : at + before.size();
}

SIGMA_IMPL std::optional<std::uint64_t> byte_count(Dtype dtype, const std::vector<std::uint64_t>& shape) {
    std::uint64_t count = size_of(dtype);
    bool empty = false;
    for (const std::uint64_t extent : shape) {
        if (extent == 0) {
            empty = true;
            continue;
        }
        if (count > std::numeric_limits<std::uint64_t>::max() / extent) return {};
        count *= extent;
    }
    return empty ? 0 : count;
}

}  // namespace sigma::storage
