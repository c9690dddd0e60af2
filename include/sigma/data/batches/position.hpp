// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <charconv>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace sigma {

/// Which minibatch: both count from 0. All of a batch follows from it, the seed and what the minibatches are, so it is all that
/// has to be stored to go on exactly.
struct BatchPosition {
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;  ///< within the epoch

    friend auto operator<=>(const BatchPosition&, const BatchPosition&) = default;
    /// "3/17": batch 17 of epoch 3.
    std::string text() const { return sentence(epoch, "/", number); }
    /// Back from text. Throws ArgumentError.
    static BatchPosition from_text(std::string_view text) {
        BatchPosition p;
        const char* const end = text.data() + text.size();
        const auto first = std::from_chars(text.data(), end, p.epoch);
        if (first.ec == std::errc{} && first.ptr != end && *first.ptr == '/') {
            const auto second = std::from_chars(first.ptr + 1, end, p.number);
            if (second.ec == std::errc{} && second.ptr == end) return p;
        }
        throw ArgumentError("position of a minibatch", "two numbers as '3/17'", sentence("'", text, "'"));
    }
};

}  // namespace sigma
