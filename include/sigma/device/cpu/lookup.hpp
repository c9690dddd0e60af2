// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

namespace sigma::simd {

// Row numbers, `ids_each` side by side in rows `ids_row` apart.
template <class T>
struct LookupArguments {
    std::ptrdiff_t count, width, rows;  // of ids; of the table
    const T* ids;
    std::ptrdiff_t ids_row, ids_each;

    // The row of the table that id `i` names, or -1: a number that is no row's is never used as an address.
    std::ptrdiff_t row(std::ptrdiff_t i) const {
        const T id = ids[i / ids_each * ids_row + i % ids_each];
        return id >= 0 && id < static_cast<T>(rows) ? static_cast<std::ptrdiff_t>(id) : -1;
    }
};

// Copies the rows that ids name; a row of NaN for an id that names none.
template <class T>
void gather(const LookupArguments<T>& g, const T* table, std::ptrdiff_t table_row, T* to, std::ptrdiff_t to_row) {
    for (std::ptrdiff_t i = 0; i < g.count; ++i, to += to_row) {
        const std::ptrdiff_t row = g.row(i);
        if (row < 0) std::fill_n(to, g.width, std::numeric_limits<T>::quiet_NaN());
        else std::copy_n(table + row * table_row, g.width, to);
    }
}

// Sums into the rows that ids name, in the order of ids, for `count` rows of the table from `first` on.
template <class T>
void scatter_add(const LookupArguments<T>& g, const T* from, std::ptrdiff_t from_row, T* table, std::ptrdiff_t table_row,
                 std::ptrdiff_t first, std::ptrdiff_t count) {
    for (std::ptrdiff_t r = first; r < first + count; ++r) std::fill_n(table + r * table_row, g.width, T(0));
    for (std::ptrdiff_t i = 0; i < g.count; ++i, from += from_row) {
        const std::ptrdiff_t row = g.row(i);
        if (row < first || row >= first + count) continue;
        for (std::ptrdiff_t j = 0; j < g.width; ++j) table[row * table_row + j] += from[j];
    }
}

}  // namespace sigma::simd
