// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <limits>

#include <sigma/device/cpu/algorithm.hpp>
#include <sigma/device/cpu/kernel_arguments.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

// Copies the rows that ids name; a row of NaN for an id that names none.
template <class T>
void gather(const LookupArguments<T>& g, const T* table, std::ptrdiff_t table_row, T* to, std::ptrdiff_t to_row) {
    constexpr T none = std::numeric_limits<T>::quiet_NaN();
    for (std::ptrdiff_t i = 0; i < g.count; ++i, to += to_row) {
        const std::ptrdiff_t row = g.row(i);
        if (row < 0) fill(to, g.width, none);
        else copy(table + row * table_row, g.width, to);
    }
}

// Sums into the rows that ids name, in the order of ids, for `count` rows of the table from `first` on.
template <class T>
void scatter_add(const LookupArguments<T>& g, const T* from, std::ptrdiff_t from_row, T* table,
                 std::ptrdiff_t table_row, std::ptrdiff_t first, std::ptrdiff_t count) {
    for (std::ptrdiff_t r = first; r < first + count; ++r) fill(table + r * table_row, g.width, T(0));
    for (std::ptrdiff_t i = 0; i < g.count; ++i, from += from_row) {
        const std::ptrdiff_t row = g.row(i);
        if (row < first || row >= first + count) continue;
        for (std::ptrdiff_t j = 0; j < g.width; ++j) table[row * table_row + j] += from[j];
    }
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
