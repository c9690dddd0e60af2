// SPDX-License-Identifier: BSL-1.0
// The greatest element of each window of an image, and its two adjoints, vectorized along channels.
#pragma once

#include <algorithm>
#include <cstddef>

#include <sigma/device/cpu/lanes.hpp>

namespace sigma::simd {

// Windows are cut off at the edges of the image; each holds at least one pixel.
struct PoolingArguments {
    std::ptrdiff_t images, height, width, channels, windows_high, windows_wide;
    std::ptrdiff_t window[2], stride[2], before[2];

    // No pixel lies in two windows, and each in one.
    bool apart() const { return stride[0] >= window[0] && stride[1] >= window[1]; }
    bool tiles() const {
        return stride[0] == window[0] && stride[1] == window[1] &&
               windows_high * stride[0] - before[0] >= height && windows_wide * stride[1] - before[1] >= width;
    }
};

// Pixels one after the other, `pixel` elements apart.
template <class T>
struct Pixels {
    T* data;
    std::ptrdiff_t pixel;
    bool padded() const { return pixel % lanes<T> == 0; }
};

namespace detail {

// One window and some of its channels.
template <class End>
struct Window {
    End end;
    std::ptrdiff_t pixel, number, channel, rows, columns;  // first pixel of the image in it; number of the window

    template <class T>
    SIGMA_INLINE T* at(const Pixels<T>& x) const { return x.data + pixel * x.pixel + channel; }
    template <class T>
    SIGMA_INLINE T* result(const Pixels<T>& y) const { return y.data + number * y.pixel + channel; }
};

template <class T, class F>
SIGMA_INLINE void for_each_window(const PoolingArguments& g, bool padded, F f) {
    constexpr std::ptrdiff_t width = lanes<T>;
    std::ptrdiff_t number = 0;
    for (std::ptrdiff_t n = 0; n < g.images; ++n)
        for (std::ptrdiff_t i = 0; i < g.windows_high; ++i) {
            const std::ptrdiff_t top = i * g.stride[0] - g.before[0], y = std::max<std::ptrdiff_t>(top, 0);
            const std::ptrdiff_t rows = std::min(top + g.window[0], g.height) - y;
            for (std::ptrdiff_t j = 0; j < g.windows_wide; ++j, ++number) {
                const std::ptrdiff_t left = j * g.stride[1] - g.before[1], x = std::max<std::ptrdiff_t>(left, 0);
                const std::ptrdiff_t columns = std::min(left + g.window[1], g.width) - x;
                const std::ptrdiff_t pixel = (n * g.height + y) * g.width + x;
                std::ptrdiff_t c = 0;
                for (; padded ? c < g.channels : c + width <= g.channels; c += width)
                    f(Window<Whole<T>>{{}, pixel, number, c, rows, columns});
                if (c < g.channels)
                    f(Window<Tail<T>>{{static_cast<int>(g.channels - c)}, pixel, number, c, rows, columns});
            }
        }
}

}  // namespace detail

// NaN where a window holds one.
template <class T>
void pool_max(const PoolingArguments& g, const Pixels<T>& x, const Pixels<T>& y) {
    const std::ptrdiff_t pixel = x.pixel, row = g.width * pixel;
    detail::for_each_window<T>(g, x.padded() && y.padded(), [&](auto window) {
        const T* from = window.at(x);
        Vector<T> greatest = window.end.load(from);
        for (std::ptrdiff_t i = 0; i < window.rows; ++i)
            for (std::ptrdiff_t j = 0; j < window.columns; ++j) {
                const Vector<T> v = window.end.load(from + i * row + j * pixel);
                greatest = xsimd::select((v > greatest) | xsimd::isnan(v), v, greatest);
            }
        window.end.store(window.result(y), greatest);
    });
}

// To the first pixel of each window that equals its maximum `y` goes `d`; where windows overlap, the sum.
template <class T>
void unpool(const PoolingArguments& g, const Pixels<T>& x, const Pixels<T>& y, const Pixels<T>& d,
            const Pixels<T>& result) {
    if (!g.tiles()) std::fill_n(result.data, g.images * g.height * g.width * result.pixel, T(0));
    const bool apart = g.apart();
    detail::for_each_window<T>(g, x.padded() && y.padded() && d.padded() && result.padded(), [&](auto window) {
        const T* from = window.at(x);
        T* to = window.at(result);
        const Vector<T> greatest = window.end.load(window.result(y)), zero(T(0));
        Vector<T> flow = window.end.load(window.result(d));  // until its place is found
        for (std::ptrdiff_t i = 0; i < window.rows; ++i)
            for (std::ptrdiff_t j = 0; j < window.columns; ++j) {
                const std::ptrdiff_t at = i * g.width + j;
                const Vector<T> v = window.end.load(from + at * x.pixel);
                const auto here = (v == greatest) | xsimd::isnan(v);
                const Vector<T> given = xsimd::select(here, flow, zero);
                flow = xsimd::select(here, zero, flow);
                T* target = to + at * result.pixel;
                window.end.store(target, apart ? given : given + window.end.load(target));
            }
    });
}

// The element of `values` where the maximum `y` of each window of `x` stands.
template <class T>
void pool_select(const PoolingArguments& g, const Pixels<T>& x, const Pixels<T>& y, const Pixels<T>& values,
                 const Pixels<T>& result) {
    detail::for_each_window<T>(g, x.padded() && y.padded() && values.padded() && result.padded(), [&](auto window) {
        const T* from = window.at(x);
        const T* value = window.at(values);
        const Vector<T> greatest = window.end.load(window.result(y));
        Vector<T> found(T(0));
        for (std::ptrdiff_t i = window.rows; i-- > 0;)  // backwards, so that the first one stays
            for (std::ptrdiff_t j = window.columns; j-- > 0;) {
                const std::ptrdiff_t at = i * g.width + j;
                const Vector<T> v = window.end.load(from + at * x.pixel);
                found = xsimd::select((v == greatest) | xsimd::isnan(v), Vector<T>(window.end.load(value + at * values.pixel)),
                                      found);
            }
        window.end.store(window.result(result), found);
    });
}

}  // namespace sigma::simd
