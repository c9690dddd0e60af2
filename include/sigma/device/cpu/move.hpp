// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/device/cpu/algorithm.hpp>
#include <sigma/device/cpu/kernel_arguments.hpp>
#include <sigma/device/cpu/math.hpp>
#include <sigma/device/program_table.hpp>

#include <cstddef>
#include <limits>

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

namespace detail {

/// Returns the greatest of consecutive numbers; NaN if one of them is.
template <class T>
SIGMA_INLINE T greatest_of(const T* x, std::ptrdiff_t n) {
    using V = Vector<T>;
    constexpr std::ptrdiff_t W = lanes<T>;
    constexpr auto o = sigma::detail::Operation::reduce_maximum;
    constexpr FullVector<T> whole{};
    V total[4];
    SIGMA_UNROLL
    for (int u = 0; u < 4; ++u) total[u] = V(neutral<o, T>());
    Mask<T> lost{};
    std::ptrdiff_t c = 0;
    for (; c + 4 * W <= n; c += 4 * W) {
        const V v[4] = {whole.load(x + c), whole.load(x + c + W), whole.load(x + c + 2 * W), whole.load(x + c + 3 * W)};
        SIGMA_UNROLL
        for (int u = 0; u < 4; ++u) total[u] = extreme<o, T>(total[u], v[u]);
        lost = lost | unordered(v[0], v[1]) | unordered(v[2], v[3]);
    }
    const auto last = [&](auto lane) {
        const V v = lane.keep(lane.load(x + c), neutral<o, T>());
        total[0] = extreme<o, T>(total[0], v);
        lost = lost | isnan(v);
    };
    for (; c + W <= n; c += W) last(whole);
    if (c < n && n < W) last(MaskedVector<T>{static_cast<int>(n)});
    else if (c < n) c = n - W, last(whole);  // reads some numbers again
    if (any(lost)) return std::numeric_limits<T>::quiet_NaN();
    return on_cpu::maximum<T>(on_cpu::max(on_cpu::max(total[0], total[1]), on_cpu::max(total[2], total[3])));
}
/// Returns the first position of `value`, which must be one of the numbers. Any NaN equals NaN.
template <class T>
SIGMA_INLINE std::ptrdiff_t first_equal(const T* x, std::ptrdiff_t n, T value) {
    constexpr std::ptrdiff_t W = lanes<T>;
    const Vector<T> wanted(value);
    const bool number = value == value;
    std::ptrdiff_t c = 0;
    for (; c + W <= n; c += W) {
        const Vector<T> v = FullVector<T>{}.load(x + c);
        const Mask<T> found = number ? v == wanted : isnan(v);
        if (any(found)) return c + first_of(found);
    }
    if (n >= W) {  // it is among the last numbers, some of which were compared before
        const Vector<T> v = FullVector<T>{}.load(x + n - W);
        return n - W + first_of(number ? v == wanted : isnan(v));
    }
    const MaskedVector<T> rest{static_cast<int>(n)};
    const Vector<T> v = rest.keep(rest.load(x), number ? std::numeric_limits<T>::quiet_NaN() : T(0));
    return first_of(number ? v == wanted : isnan(v));
}
/// Returns the position of the first greatest number of at most one vector, such as scores of few classes.
template <class T>
SIGMA_INLINE std::ptrdiff_t first_greatest_of_few(const T* x, int n) {
    const MaskedVector<T> lane{n};
    const Vector<T> v = lane.load(x);  // zeros in the other lanes
    if (const Mask<T> nan = isnan(v); any(nan)) return first_of(nan);
    const Vector<T> kept = lane.keep(v, neutral<sigma::detail::Operation::reduce_maximum, T>());
    return first_of(kept == Vector<T>(fold_lanes<T>(kept.data, [](auto a, auto b) { return a > b ? a : b; })));
}
/// Returns the position of the first greatest number. NaN counts as greatest.
template <class T>
SIGMA_INLINE std::ptrdiff_t first_greatest(const T* x, std::ptrdiff_t step, std::ptrdiff_t n) {
    if (step != 1) {
        std::ptrdiff_t best = 0;
        for (std::ptrdiff_t i = 1; i < n; ++i) {
            const T value = x[i * step], greatest = x[best * step];
            if (value > greatest || (value != value && greatest == greatest)) best = i;
        }
        return best;
    }
    if (n <= lanes<T>) return first_greatest_of_few(x, static_cast<int>(n));
    constexpr std::ptrdiff_t part = 2048;  // small enough to be in the cache when it is searched
    std::ptrdiff_t from = 0;
    T best = greatest_of(x, min_of(n, part));
    for (std::ptrdiff_t c = part; c < n && best == best; c += part) {
        const T greatest = greatest_of(x + c, min_of(n - c, part));
        if (greatest > best || greatest != greatest) best = greatest, from = c;
    }
    return from + first_equal(x + from, min_of(n - from, part), best);
}

}  // namespace detail

/// Computes the position of the first greatest element along the last loop. NaN counts as greatest.
template <class T>
void argmax(const T* from, T* to, int loop, int rank, const std::ptrdiff_t* extent, const Strides& from_stride,
            const Strides& to_stride) {
    const int last = rank - 1;
    if (loop < last - 1) {
        for (std::ptrdiff_t i = 0; i < extent[loop]; ++i)
            argmax(from + i * from_stride[loop], to + i * to_stride[loop], loop + 1, rank, extent, from_stride,
                   to_stride);
        return;
    }
    const std::ptrdiff_t rows = loop < last ? extent[loop] : 1;
    for (std::ptrdiff_t i = 0; i < rows; ++i)
        to[i * to_stride[loop]] =
            static_cast<T>(detail::first_greatest(from + i * from_stride[loop], from_stride[last], extent[last]));
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

// Copies the rows of the ids. An invalid id gives a row of NaN.
template <class T>
void gather(const LookupArguments<T>& g, const T* table, std::ptrdiff_t table_row, T* to, std::ptrdiff_t to_row) {
    constexpr T none = std::numeric_limits<T>::quiet_NaN();
    for (std::ptrdiff_t i = 0; i < g.count; ++i, to += to_row) {
        const std::ptrdiff_t row = g.row(i);
        if (row < 0) fill(to, g.width, none);
        else copy(table + row * table_row, g.width, to);
    }
}

// Adds to the rows of the ids, in the order of ids, for `count` rows of the table from `first` on.
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
