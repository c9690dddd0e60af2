// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/plan.hpp>

#include "support/reference.hpp"

#include <cstddef>

namespace sigma::test {

/// Elements from one row of a buffer to the next, for so many records.
inline long long stored_row(const sigma::detail::Buffer& b, long long records) {
    return b.shape.rank ? static_cast<long long>(sigma::detail::resolve(b.pitch, static_cast<std::ptrdiff_t>(records)))
                        : 1;
}
/// Calls f(number, place) for each element: its number in row-major order, and where it lies in the buffer.
template <class F>
void each_stored(const sigma::detail::Buffer& b, long long records, F f) {
    const Extents e(b.shape, records);
    const long long last = e.rank ? e[e.rank - 1] : 1, row = stored_row(b, records);
    for (long long i = 0; i < e.count(); ++i)
        f(static_cast<std::size_t>(i), static_cast<std::size_t>(i / last * row + i % last));
}

}  // namespace sigma::test
