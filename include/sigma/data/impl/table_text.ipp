// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/table_text.hpp>

#include <algorithm>
#include <cstring>
#include <functional>

namespace sigma::data::detail {

SIGMA_IMPL std::string TextSource::key() const {
    return sentence(name_, " ", text_.size(), " ", std::hash<std::string_view>()(text_));
}

SIGMA_IMPL std::size_t TextSource::Stream::read(std::span<std::byte> to) {
    const std::size_t count = std::min(to.size(), rest.size());
    if (count > 0) std::memcpy(to.data(), rest.data(), count);
    rest.remove_prefix(count);
    return count;
}

}  // namespace sigma::data::detail
