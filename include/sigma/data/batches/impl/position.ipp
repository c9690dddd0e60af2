// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/batches/position.hpp>

#include <charconv>

namespace sigma {

SIGMA_IMPL BatchPosition BatchPosition::from_text(std::string_view text) {
    BatchPosition p;
    const char* const end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, p.epoch);
    if (first.ec == std::errc{} && first.ptr != end && *first.ptr == '/') {
        const auto second = std::from_chars(first.ptr + 1, end, p.number);
        if (second.ec == std::errc{} && second.ptr == end) return p;
    }
    throw ArgumentError("position of a minibatch", "two numbers as '3/17'", sentence("'", text, "'"));
}

}  // namespace sigma
