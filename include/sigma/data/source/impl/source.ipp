// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/source/source.hpp>

#include <algorithm>

namespace sigma::data {

SIGMA_IMPL std::vector<std::byte> read_all(const Source& source, std::size_t limit) {
    const auto stream = source.open();
    std::vector<std::byte> bytes;
    for (std::size_t block = std::size_t{1} << 16;; block = std::min(2 * block, std::size_t{1} << 24)) {
        const std::size_t size = bytes.size();
        bytes.resize(size + block);
        const std::size_t count = stream->read(std::span(bytes).subspan(size));
        bytes.resize(size + count);
        if (bytes.size() > limit) throw DataError(source.name(), "", sentence("at most ", limit, " bytes"), "more");
        if (count == 0) return bytes;
    }
}

SIGMA_IMPL std::string read_text(const Source& source, std::size_t limit) {
    const std::vector<std::byte> bytes = read_all(source, limit);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace sigma::data
