// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/shared_owner.hpp>
#include <sigma/data/blocks/hold.hpp>

#include <span>
#include <utility>
#include <vector>

namespace sigma::detail {

/// The numbers of one record's input or target. Where its dataset lies in blocks or as bytes, the numbers stay in
/// memory while the Record lives: keep the Record, not the span, for as long as they are read.
class Record : public std::span<const float> {
public:
    Record() = default;
    explicit Record(std::span<const float> numbers, data::BlockHold block = {})
        : std::span<const float>(numbers), block_(std::move(block)) {}
    explicit Record(detail::SharedOwner<const std::vector<float>> numbers)
        : std::span<const float>(*numbers), own_(std::move(numbers)) {}

    /// The same numbers, which are there as long as the Record, whatever becomes of its dataset.
    Record copy() const { return Record(detail::SharedOwner<const std::vector<float>>::make(begin(), end())); }

private:
    data::BlockHold block_;
    detail::SharedOwner<const std::vector<float>> own_;
};

}  // namespace sigma::detail
