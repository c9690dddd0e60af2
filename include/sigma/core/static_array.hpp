// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

/// A fixed array that may have no elements.
template <class T, int n>
struct StaticArray {
    T data[n > 0 ? n : 1]{};
    static constexpr int size() { return n; }
    constexpr const T& operator[](int i) const { return data[i]; }
    constexpr const T* begin() const { return data; }
    constexpr const T* end() const { return data + n; }
};

}  // namespace sigma::detail
