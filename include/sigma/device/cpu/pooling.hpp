// SPDX-License-Identifier: BSL-1.0
// Maximum pooling over images, and its two adjoints, vectorized along channels.
#pragma once

#include <cstddef>
#include <type_traits>

#include <sigma/device/cpu/algorithm.hpp>
#include <sigma/device/cpu/kernel_arguments.hpp>
#include <sigma/device/cpu/lanes.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

template <class T>
SIGMA_INLINE bool padded(const Pixels<T>& x) {
    return x.pixel % lanes<T> == 0;
}

namespace detail {

// The extent of the usual windows of 2 x 2 inside the image, so that the compiler removes their loops.
struct Two {
    SIGMA_INLINE constexpr operator std::ptrdiff_t() const { return 2; }
};

// One window and some of its channels.
template <class End, class Extent>
struct Window {
    End end;
    std::ptrdiff_t pixel, number, channel;  // its first pixel in the image; number of the window
    Extent rows, columns;

    template <class F>
    SIGMA_INLINE void for_each_pixel(F f) const {
        if constexpr (std::is_same_v<Extent, Two>) {
            f(0, 0), f(0, 1), f(1, 0), f(1, 1);
        } else {
            for (std::ptrdiff_t i = 0; i < rows; ++i)
                for (std::ptrdiff_t j = 0; j < columns; ++j) f(i, j);
        }
    }
    template <class T>
    SIGMA_INLINE T* at(const Pixels<T>& x) const {
        return x.data + pixel * x.pixel + channel;
    }
    template <class T>
    SIGMA_INLINE T* result(const Pixels<T>& y) const {
        return y.data + number * y.pixel + channel;
    }
};

template <class Extent, class T, class F>
SIGMA_INLINE void for_each_window(const PoolingArguments& g, bool padded, F f) {
    constexpr std::ptrdiff_t width = lanes<T>;
    std::ptrdiff_t number = 0;
    for (std::ptrdiff_t n = 0; n < g.images; ++n)
        for (std::ptrdiff_t i = 0; i < g.windows_high; ++i) {
            const std::ptrdiff_t top = i * g.stride[0] - g.before[0], y = max_of<std::ptrdiff_t>(top, 0);
            for (std::ptrdiff_t j = 0; j < g.windows_wide; ++j, ++number) {
                const std::ptrdiff_t left = j * g.stride[1] - g.before[1], x = max_of<std::ptrdiff_t>(left, 0);
                const std::ptrdiff_t pixel = (n * g.height + y) * g.width + x;
                Extent rows{}, columns{};
                if constexpr (!std::is_same_v<Extent, Two>) {
                    rows = min_of(top + g.window[0], g.height) - y;
                    columns = min_of(left + g.window[1], g.width) - x;
                }
                std::ptrdiff_t c = 0;
                for (; padded ? c < g.channels : c + width <= g.channels; c += width)
                    f(Window<FullVector<T>, Extent>{{}, pixel, number, c, rows, columns});
                if (c < g.channels)
                    f(Window<MaskedVector<T>, Extent>{
                        {static_cast<int>(g.channels - c)}, pixel, number, c, rows, columns});
            }
        }
}
template <class T, class F>
SIGMA_INLINE void for_each_window(const PoolingArguments& g, bool padded, F f) {
    const bool two = g.window[0] == 2 && g.window[1] == 2 && g.before[0] == 0 && g.before[1] == 0 &&
                     (g.windows_high - 1) * g.stride[0] + 2 <= g.height &&
                     (g.windows_wide - 1) * g.stride[1] + 2 <= g.width;
    if (two) for_each_window<Two, T>(g, padded, f);
    else for_each_window<std::ptrdiff_t, T>(g, padded, f);
}

}  // namespace detail

// y = the maximum of each window; NaN if a window contains NaN.
template <class T>
void pool_max(const PoolingArguments& g, const Pixels<T>& x, const Pixels<T>& y) {
    const std::ptrdiff_t pixel = x.pixel, row = g.width * pixel;
    detail::for_each_window<T>(g, padded(x) && padded(y), [&](auto window) {
        const T* from = window.at(x);
        Vector<T> greatest = window.end.load(from);
        window.for_each_pixel([&](std::ptrdiff_t i, std::ptrdiff_t j) {
            const Vector<T> v = window.end.load(from + i * row + j * pixel);
            greatest = on_cpu::select((v > greatest) | on_cpu::isnan(v), v, greatest);
        });
        window.end.store(window.result(y), greatest);
    });
}

// Puts `d` of each window to the first pixel that equals its maximum `y`. If windows overlap, adds their values.
template <class T>
void unpool(const PoolingArguments& g, const Pixels<T>& x, const Pixels<T>& y, const Pixels<T>& d,
            const Pixels<T>& result) {
    if (!g.tiles()) fill(result.data, g.images * g.height * g.width * result.pixel, T(0));
    const bool apart = g.apart();
    detail::for_each_window<T>(g, padded(x) && padded(y) && padded(d) && padded(result), [&](auto window) {
        const T* from = window.at(x);
        T* to = window.at(result);
        const Vector<T> greatest = window.end.load(window.result(y)), zero(T(0));
        Vector<T> flow = window.end.load(window.result(d));  // becomes 0 in a lane when its pixel is found
        window.for_each_pixel([&](std::ptrdiff_t i, std::ptrdiff_t j) {
            const std::ptrdiff_t at = i * g.width + j;
            const Vector<T> v = window.end.load(from + at * x.pixel);
            const auto here = (v == greatest) | on_cpu::isnan(v);
            const Vector<T> given = on_cpu::select(here, flow, zero);
            flow = on_cpu::select(here, zero, flow);
            T* target = to + at * result.pixel;
            window.end.store(target, apart ? given : given + window.end.load(target));
        });
    });
}

// result = the element of `values` at the position of the maximum `y` of each window of `x`.
template <class T>
void pool_select(const PoolingArguments& g, const Pixels<T>& x, const Pixels<T>& y, const Pixels<T>& values,
                 const Pixels<T>& result) {
    detail::for_each_window<T>(g, padded(x) && padded(y) && padded(values) && padded(result), [&](auto window) {
        const T* from = window.at(x);
        const T* value = window.at(values);
        const Vector<T> greatest = window.end.load(window.result(y));
        Vector<T> found(T(0));
        for (std::ptrdiff_t i = window.rows; i-- > 0;)  // backwards, so that the first maximum wins
            for (std::ptrdiff_t j = window.columns; j-- > 0;) {
                const std::ptrdiff_t at = i * g.width + j;
                const Vector<T> v = window.end.load(from + at * x.pixel);
                found = on_cpu::select((v == greatest) | on_cpu::isnan(v),
                                       Vector<T>(window.end.load(value + at * values.pixel)), found);
            }
        window.end.store(window.result(result), found);
    });
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
