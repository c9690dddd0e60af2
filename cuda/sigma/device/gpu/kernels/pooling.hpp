// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::on_gpu {

/// The text of maximum pooling over images, and of its two adjoints. A thread processes G::v neighboring channels of
/// one window or pixel. It follows image_kernels. G has as constants on_cpu::PoolingArguments, v, and the distance of
/// pixels of each argument (pixel0, …).
inline constexpr const char* pooling_kernels = R"cuda(
#ifndef SIGMA_POOLING_KERNELS
#define SIGMA_POOLING_KERNELS

template <class G> struct sigma_pool {
    static constexpr int packs = (G::channels + G::v - 1) / G::v, windows = G::windows_high * G::windows_wide;
    static constexpr bool apart = G::stride0 >= G::window0 && G::stride1 >= G::window1;
    // Cells of pixels from one window to the next, for windows that do not overlap. The last cells may have no window.
    static constexpr int cells_high = (G::height + G::before0 + G::stride0 - 1) / G::stride0;
    static constexpr int cells_wide = (G::width + G::before1 + G::stride1 - 1) / G::stride1;
};
// The rows and columns of the image in a window.
struct sigma_window { int top, bottom, left, right; };
template <class G> SIGMA_DEVICE sigma_window sigma_window_at(int i, int j) {
    const int top = i * G::stride0 - G::before0, left = j * G::stride1 - G::before1;
    const int bottom = top + G::window0, right = left + G::window1;
    return {top > 0 ? top : 0, bottom < G::height ? bottom : G::height,
            left > 0 ? left : 0, right < G::width ? right : G::width};
}
template <class T> SIGMA_DEVICE bool sigma_is_found(T x, T greatest) { return x == greatest || x != x; }

template <class T, class G> SIGMA_DEVICE void sigma_pool_max(const T* x, T* y, long long images) {
    using P = sigma_pool<G>;
    constexpr int v = G::v;
    const bool x_whole = sigma_is_aligned(x), y_whole = sigma_is_aligned(y);
    constexpr long long an_image = (long long)P::windows * P::packs;
    const long long all = images * an_image;
    for (long long e = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; e < all; e += SIGMA_BLOCKS * SIGMA_THREADS) {
        const long long n = e / an_image;
        const unsigned at = unsigned(e - n * an_image), number = at / P::packs;
        const int c = int(at - number * P::packs) * v, left = G::channels - c;
        const sigma_window window = sigma_window_at<G>(int(number / G::windows_wide), int(number % G::windows_wide));
        const T* const image = x + n * ((long long)G::height * G::width * G::pixel0) + c;
        const T* const first = image + (window.top * G::width + window.left) * G::pixel0;
        sigma_some<T, v> greatest = sigma_load_some<v>(first, x_whole, left);
        for (int h = window.top; h < window.bottom; ++h)
            for (int w = window.left; w < window.right; ++w) {
                const auto some = sigma_load_some<v>(image + (h * G::width + w) * G::pixel0, x_whole, left);
                SIGMA_UNROLL
                for (int i = 0; i < v; ++i)
                    if (some.v[i] > greatest.v[i] || some.v[i] != some.v[i]) greatest.v[i] = some.v[i];
            }
        sigma_store_some(y + (n * P::windows + number) * G::pixel1 + c, greatest, y_whole, left);
    }
}

// For windows that do not overlap: each pixel belongs to one cell, and each cell to at most one window.
template <class T, class G>
SIGMA_DEVICE void sigma_unpool_apart(const T* x, const T* y, const T* d, T* result, long long images) {
    using P = sigma_pool<G>;
    constexpr int v = G::v;
    const bool x_whole = sigma_is_aligned(x), y_whole = sigma_is_aligned(y), d_whole = sigma_is_aligned(d);
    const bool result_whole = sigma_is_aligned(result);
    constexpr long long an_image = (long long)P::cells_high * P::cells_wide * P::packs;
    const long long all = images * an_image;
    for (long long e = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; e < all; e += SIGMA_BLOCKS * SIGMA_THREADS) {
        const long long n = e / an_image;
        const unsigned at = unsigned(e - n * an_image), cell = at / P::packs;
        const int c = int(at - cell * P::packs) * v, left = G::channels - c;
        const int i = int(cell / P::cells_wide), j = int(cell % P::cells_wide);
        sigma_window window = {0, 0, 0, 0};
        sigma_some<T, v> greatest = sigma_zeros<T, v>(), flow = sigma_zeros<T, v>();  // flow: 0 after its pixel is found
        if (i < G::windows_high && j < G::windows_wide) {
            window = sigma_window_at<G>(i, j);
            const long long number = n * P::windows + i * G::windows_wide + j;
            greatest = sigma_load_some<v>(y + number * G::pixel1 + c, y_whole, left);
            flow = sigma_load_some<v>(d + number * G::pixel2 + c, d_whole, left);
        }
        const int top = i * G::stride0 - G::before0, left_side = j * G::stride1 - G::before1;
        for (int h = top > 0 ? top : 0; h < top + G::stride0 && h < G::height; ++h)
            for (int w = left_side > 0 ? left_side : 0; w < left_side + G::stride1 && w < G::width; ++w) {
                const long long pixel = n * ((long long)G::height * G::width) + (h * G::width + w);
                sigma_some<T, v> given = sigma_zeros<T, v>();
                if (h < window.bottom && w < window.right) {
                    const auto some = sigma_load_some<v>(x + pixel * G::pixel0 + c, x_whole, left);
                    SIGMA_UNROLL
                    for (int q = 0; q < v; ++q)
                        if (sigma_is_found(some.v[q], greatest.v[q])) {
                            given.v[q] = flow.v[q];
                            flow.v[q] = T(0);
                        }
                }
                sigma_store_some(result + pixel * G::pixel3 + c, given, result_whole, left);
            }
    }
}

// For overlapping windows: each pixel checks in order for which windows it is the first greatest element.
template <class T, class G>
SIGMA_DEVICE void sigma_unpool_overlapping(const T* x, const T* y, const T* d, T* result, long long images) {
    using P = sigma_pool<G>;
    constexpr int v = G::v;
    const bool x_whole = sigma_is_aligned(x), y_whole = sigma_is_aligned(y), d_whole = sigma_is_aligned(d);
    const bool result_whole = sigma_is_aligned(result);
    constexpr long long an_image = (long long)G::height * G::width * P::packs;
    const long long all = images * an_image;
    for (long long e = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; e < all; e += SIGMA_BLOCKS * SIGMA_THREADS) {
        const long long n = e / an_image;
        const unsigned at = unsigned(e - n * an_image), pixel = at / P::packs;
        const int c = int(at - pixel * P::packs) * v, left = G::channels - c;
        const int h = int(pixel / G::width), w = int(pixel % G::width);
        const T* const image = x + n * ((long long)G::height * G::width * G::pixel0) + c;
        const auto own = sigma_load_some<v>(image + (long long)pixel * G::pixel0, x_whole, left);
        sigma_some<T, v> sum = sigma_zeros<T, v>();
        const int down = h + G::before0, right = w + G::before1;  // i * stride <= down < i * stride + window
        const int first_i = down < G::window0 ? 0 : (down - G::window0) / G::stride0 + 1;
        const int first_j = right < G::window1 ? 0 : (right - G::window1) / G::stride1 + 1;
        for (int i = first_i; i < G::windows_high && i * G::stride0 <= down; ++i)
            for (int j = first_j; j < G::windows_wide && j * G::stride1 <= right; ++j) {
                const long long number = n * P::windows + i * G::windows_wide + j;
                const sigma_window window = sigma_window_at<G>(i, j);
                const auto greatest = sigma_load_some<v>(y + number * G::pixel1 + c, y_whole, left);
                bool mine[v], any = false;
                SIGMA_UNROLL
                for (int q = 0; q < v; ++q) any = (mine[q] = sigma_is_found(own.v[q], greatest.v[q])) || any;
                if (!any) continue;
                for (int a = window.top; a <= h; ++a)
                    for (int b = window.left; b < (a == h ? w : window.right); ++b) {
                        const auto some = sigma_load_some<v>(image + (a * G::width + b) * G::pixel0, x_whole, left);
                        SIGMA_UNROLL
                        for (int q = 0; q < v; ++q) mine[q] = mine[q] && !sigma_is_found(some.v[q], greatest.v[q]);
                    }
                const auto flow = sigma_load_some<v>(d + number * G::pixel2 + c, d_whole, left);
                SIGMA_UNROLL
                for (int q = 0; q < v; ++q) sum.v[q] += mine[q] ? flow.v[q] : T(0);
            }
        T* const to = result + (n * ((long long)G::height * G::width) + pixel) * G::pixel3 + c;
        sigma_store_some(to, sum, result_whole, left);
    }
}

template <class T, class G>
SIGMA_DEVICE void sigma_unpool(const T* x, const T* y, const T* d, T* result, long long images) {
    if constexpr (sigma_pool<G>::apart) sigma_unpool_apart<T, G>(x, y, d, result, images);
    else sigma_unpool_overlapping<T, G>(x, y, d, result, images);
}

template <class T, class G>
SIGMA_DEVICE void sigma_pool_select(const T* x, const T* y, const T* values, T* result, long long images) {
    using P = sigma_pool<G>;
    constexpr int v = G::v;
    const bool x_whole = sigma_is_aligned(x), y_whole = sigma_is_aligned(y), values_whole = sigma_is_aligned(values);
    const bool result_whole = sigma_is_aligned(result);
    constexpr long long an_image = (long long)P::windows * P::packs;
    const long long all = images * an_image;
    for (long long e = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; e < all; e += SIGMA_BLOCKS * SIGMA_THREADS) {
        const long long n = e / an_image;
        const unsigned at = unsigned(e - n * an_image), number = at / P::packs;
        const int c = int(at - number * P::packs) * v, left = G::channels - c;
        const sigma_window window = sigma_window_at<G>(int(number / G::windows_wide), int(number % G::windows_wide));
        const long long of_y = n * P::windows + number;
        const auto greatest = sigma_load_some<v>(y + of_y * G::pixel1 + c, y_whole, left);
        sigma_some<T, v> found = sigma_zeros<T, v>();
        for (int h = window.bottom - 1; h >= window.top; --h)  // backwards, so that the first maximum wins
            for (int w = window.right - 1; w >= window.left; --w) {
                const long long pixel = n * ((long long)G::height * G::width) + (h * G::width + w);
                const auto some = sigma_load_some<v>(x + pixel * G::pixel0 + c, x_whole, left);
                const auto value = sigma_load_some<v>(values + pixel * G::pixel2 + c, values_whole, left);
                SIGMA_UNROLL
                for (int q = 0; q < v; ++q)
                    if (sigma_is_found(some.v[q], greatest.v[q])) found.v[q] = value.v[q];
            }
        sigma_store_some(result + of_y * G::pixel3 + c, found, result_whole, left);
    }
}
#endif
)cuda";

}  // namespace sigma::on_gpu
