// SPDX-License-Identifier: BSL-1.0
// The few functions of <algorithm> that kernels need; instructions.hpp explains why they do not use <algorithm>.
#pragma once
#include <sigma/device/cpu/instructions.hpp>

#include <cstddef>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

template <class N>
SIGMA_INLINE constexpr N min_of(N a, N b) {
    return b < a ? b : a;
}
template <class N>
SIGMA_INLINE constexpr N max_of(N a, N b) {
    return a < b ? b : a;
}
template <class T>
SIGMA_INLINE void fill(T* to, std::ptrdiff_t count, T value) {
    for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = value;
}
template <class T>
SIGMA_INLINE void copy(const T* from, std::ptrdiff_t count, T* to) {
    if (count > 0) __builtin_memmove(to, from, static_cast<std::size_t>(count) * sizeof(T));
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
