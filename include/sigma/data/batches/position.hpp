// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace sigma {

/// Which minibatch: both count from 0. All of a batch follows from it, the seed and what the minibatches are, so it is
/// all that has to be stored to go on exactly.
struct BatchPosition {
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;  ///< within the epoch

    friend auto operator<=>(const BatchPosition&, const BatchPosition&) = default;
    /// "3/17": batch 17 of epoch 3.
    std::string text() const { return sentence(epoch, "/", number); }
    /// Back from text. Throws ArgumentError.
    static BatchPosition from_text(std::string_view text);
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/data/batches/impl/position.ipp>
#endif
