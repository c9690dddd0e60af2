// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The requirements on a duration that you pass to functions: AnyDuration. Included by `<sigma/sigma.hpp>`.

#include <sigma/core/error.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sigma::detail {

/// An integer argument of any type. Negative values keep their sign, so that they can be rejected.
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

/// The requirements on a duration: any std::chrono::duration meets them.
///
/// @par Example
/// @code
/// using namespace std::chrono_literals;
/// trainer.add(every(30s).then(report(loss)));
/// @endcode
///
/// @see every
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

/// A path or a name of a file: std::string, const char*, std::string_view, std::filesystem::path.
template <class P>
concept PathText = std::convertible_to<P, std::string> || std::convertible_to<P, std::string_view>;

template <PathText P>
std::string path_text(P path) {
    if constexpr (std::convertible_to<P, std::string>) return std::string(std::move(path));
    else return std::string(std::string_view(path));
}

}  // namespace detail
}  // namespace sigma
