// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/algorithm.hpp>
#include <sigma/device/program_table.hpp>

#include <cstddef>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

namespace detail {
template <class T>
void move_loop(const T* from, T* to, int loop, int rank, const std::ptrdiff_t* extent, const Strides& from_stride,
               const Strides& to_stride) {
    if (loop == rank) {
        *to = *from;
    } else if (loop == rank - 1) {
        if (from_stride[loop] == 1 && to_stride[loop] == 1) {
            copy(from, extent[loop], to);
        } else {
            for (std::ptrdiff_t i = 0; i < extent[loop]; ++i) to[i * to_stride[loop]] = from[i * from_stride[loop]];
        }
    } else {
        for (std::ptrdiff_t i = 0; i < extent[loop]; ++i)
            move_loop(from + i * from_stride[loop], to + i * to_stride[loop], loop + 1, rank, extent, from_stride,
                      to_stride);
    }
}
}  // namespace detail

/// Copies a block of any rank between two strided layouts.
template <class T>
void move(const T* from, T* to, int rank, const std::ptrdiff_t* extent, const Strides& from_stride,
          const Strides& to_stride) {
    detail::move_loop(from, to, 0, rank, extent, from_stride, to_stride);
}

/// Position of the first greatest element along the last loop; a NaN counts as greatest.
template <class T>
void argmax(const T* from, T* to, int loop, int rank, const std::ptrdiff_t* extent, const Strides& from_stride,
            const Strides& to_stride) {
    if (loop < rank - 1) {
        for (std::ptrdiff_t i = 0; i < extent[loop]; ++i)
            argmax(from + i * from_stride[loop], to + i * to_stride[loop], loop + 1, rank, extent, from_stride,
                   to_stride);
        return;
    }
    std::ptrdiff_t best = 0;
    for (std::ptrdiff_t i = 1; i < extent[loop]; ++i) {
        const T value = from[i * from_stride[loop]], greatest = from[best * from_stride[loop]];
        if (value > greatest || (value != value && greatest == greatest)) best = i;
    }
    *to = static_cast<T>(best);
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
