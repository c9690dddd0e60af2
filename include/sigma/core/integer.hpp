// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <concepts>
#include <cstdint>

namespace sigma::detail {

/// An integer of any type as it was given: a negative one is refused, not wrapped.
class Integer {
public:
    template <std::integral X>
    constexpr Integer(X x) : value_(static_cast<std::uint64_t>(x)), negative_(x < X{0}) {}

    constexpr bool within(std::uint64_t first, std::uint64_t last) const {
        return !negative_ && value_ >= first && value_ <= last;
    }
    constexpr std::uint64_t value() const { return value_; }
    TextPart text() const { return negative_ ? TextPart(static_cast<std::int64_t>(value_)) : TextPart(value_); }

private:
    std::uint64_t value_;
    bool negative_;
};

}  // namespace sigma::detail
