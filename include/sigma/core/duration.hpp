// SPDX-License-Identifier: BSL-1.0
#pragma once

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

}  // namespace detail
}  // namespace sigma
