// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/blocks/hold.hpp>

#include <span>
#include <utility>

namespace sigma {

/// The numbers of one record's input or target. Where its dataset lies in blocks, the block stays in memory while the
/// Record lives: keep the Record, not the span, for as long as the numbers are read.
class Record : public std::span<const float> {
public:
    Record() = default;
    explicit Record(std::span<const float> numbers, data::BlockHold block = {})
        : std::span<const float>(numbers), block_(std::move(block)) {}

private:
    data::BlockHold block_;
};

}  // namespace sigma
