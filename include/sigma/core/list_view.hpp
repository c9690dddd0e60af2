// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

/// Elements that lie somewhere else and outlive this, read as those of a List are.
template <class T>
struct ListView {
    const T* data = nullptr;
    int count = 0;

    constexpr int size() const { return count; }
    constexpr bool empty() const { return count == 0; }
    constexpr const T& operator[](int i) const { return data[i]; }
    constexpr const T* begin() const { return data; }
    constexpr const T* end() const { return data + count; }
};

}  // namespace sigma::detail
