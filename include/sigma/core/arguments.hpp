// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

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

namespace sigma {

/// std::chrono::duration, without its header.
template <class D>
concept AnyDuration = requires(const D& d) {
    static_cast<double>(d.count());
    static_cast<double>(D::period::num) / static_cast<double>(D::period::den);
};

namespace detail {

template <AnyDuration D>
constexpr double in_seconds(const D& d) {
    return static_cast<double>(d.count()) * static_cast<double>(D::period::num) / static_cast<double>(D::period::den);
}

/// A text as paths and names of files have them: std::string, const char*, std::string_view, std::filesystem::path.
template <class P>
concept PathText = std::convertible_to<P, std::string> || std::convertible_to<P, std::string_view>;

template <PathText P>
std::string path_text(P path) {
    if constexpr (std::convertible_to<P, std::string>) return std::string(std::move(path));
    else return std::string(std::string_view(path));
}

}  // namespace detail
}  // namespace sigma
