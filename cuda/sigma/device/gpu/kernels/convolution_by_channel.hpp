// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::on_gpu {

/// The text of convolutions with separate kernels for each channel, for which a matrix product would have one column,
/// and of the sum of parts of weights. A thread computes G::vc neighboring channels of one element. It follows
/// image_kernels.
inline constexpr const char* convolution_by_channel_kernels = R"cuda(
#ifndef SIGMA_CONVOLUTION_BY_CHANNEL_KERNELS
#define SIGMA_CONVOLUTION_BY_CHANNEL_KERNELS

template <class G> struct sigma_by_channel {
    static constexpr int vc = G::vc, each = G::outputs / G::channels;  // outputs per channel; 1 if vc > 1
    static constexpr int output_packs = (G::outputs + vc - 1) / vc, channel_packs = (G::channels + vc - 1) / vc;
    static constexpr int positions = G::result_height * G::result_width, taps = G::kernel_height * G::kernel_width;
};

template <class T, class G> SIGMA_DEVICE void sigma_forward_by_channel(const T* x, const T* w, T* y, long long images) {
    using C = sigma_by_channel<G>;
    constexpr int vc = C::vc;
    const bool x_whole = sigma_is_aligned(x), w_whole = sigma_is_aligned(w), y_whole = sigma_is_aligned(y);
    constexpr long long an_image = (long long)C::positions * C::output_packs;
    const long long all = images * an_image;
    for (long long e = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; e < all; e += SIGMA_BLOCKS * SIGMA_THREADS) {
        const long long n = e / an_image;
        const unsigned at = unsigned(e - n * an_image), position = at / C::output_packs;
        const int o = int(at - position * C::output_packs) * vc, c = o / C::each, left = G::outputs - o;
        const int i = int(position / G::result_width) * G::stride0 - G::before0;
        const int j = int(position % G::result_width) * G::stride1 - G::before1;
        const T* const from = x + n * G::image + (i * (long long)G::row + j * G::pixel + c);
        sigma_some<T, vc> sum = sigma_zeros<T, vc>();
        for (int kh = 0; kh < G::kernel_height; ++kh)
            for (int kw = 0; kw < G::kernel_width; ++kw) {
                if (sigma_is_outside<G>(i + kh * G::dilation0, j + kw * G::dilation1)) continue;
                const int pixel = kh * (G::dilation0 * G::row) + kw * (G::dilation1 * G::pixel);
                const int line = (kh * G::kernel_width + kw) * G::weights_row;
                const auto a = sigma_load_some<vc>(from + pixel, x_whole, left);
                const auto b = sigma_load_some<vc>(w + (line + o), w_whole, left);
                SIGMA_UNROLL
                for (int v = 0; v < vc; ++v) sum.v[v] += a.v[v] * b.v[v];
            }
        sigma_store_some(y + n * G::y_image + ((long long)position * G::y_pixel + o), sum, y_whole, left);
    }
}

template <class T, class G>
SIGMA_DEVICE void sigma_backward_by_channel(const T* y, const T* w, T* x, long long images) {
    using C = sigma_by_channel<G>;
    constexpr int vc = C::vc;
    const bool x_whole = sigma_is_aligned(x), w_whole = sigma_is_aligned(w), y_whole = sigma_is_aligned(y);
    constexpr long long an_image = (long long)G::height * G::width * C::channel_packs;
    const long long all = images * an_image;
    for (long long e = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; e < all; e += SIGMA_BLOCKS * SIGMA_THREADS) {
        const long long n = e / an_image;
        const unsigned at = unsigned(e - n * an_image), pixel = at / C::channel_packs;
        const int c = int(at - pixel * C::channel_packs) * vc, left = G::channels - c;
        const int h = int(pixel / G::width), across = int(pixel % G::width);
        sigma_some<T, vc> sum = sigma_zeros<T, vc>();
        for (int kh = 0; kh < G::kernel_height; ++kh) {
            const int down = h + G::before0 - kh * G::dilation0, i = down / G::stride0;
            if (down < 0 || down % G::stride0 != 0 || i >= G::result_height) continue;
            for (int kw = 0; kw < G::kernel_width; ++kw) {
                const int right = across + G::before1 - kw * G::dilation1, j = right / G::stride1;
                if (right < 0 || right % G::stride1 != 0 || j >= G::result_width) continue;
                const T* const from = y + n * G::y_image + (i * G::result_width + j) * G::y_pixel;
                const T* const by = w + (kh * G::kernel_width + kw) * G::weights_row;
                for (int o = c * C::each; o < (c + 1) * C::each; ++o) {
                    const auto a = sigma_load_some<vc>(from + o, y_whole, left);
                    const auto b = sigma_load_some<vc>(by + o, w_whole, left);
                    SIGMA_UNROLL
                    for (int v = 0; v < vc; ++v) sum.v[v] += a.v[v] * b.v[v];
                }
            }
        }
        sigma_store_some(x + n * G::image + ((long long)pixel * G::pixel + c), sum, x_whole, left);
    }
}

// Rows of positions of all images are divided into G::parts. Part i is stored at i * G::part, rows G::result_row apart.
template <class T, class G>
SIGMA_DEVICE void sigma_weights_by_channel(const T* x, const T* y, T* result, long long images) {
    using C = sigma_by_channel<G>;
    constexpr int vc = C::vc;
    const bool x_whole = sigma_is_aligned(x), y_whole = sigma_is_aligned(y);
    const bool result_whole = G::result_row % vc == 0 && sigma_is_aligned(result);
    const long long rows = images * G::result_height, share = (rows + G::parts - 1) / G::parts;
    constexpr long long all = (long long)G::parts * C::taps * C::output_packs;
    for (long long e = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; e < all; e += SIGMA_BLOCKS * SIGMA_THREADS) {
        const long long line = e / C::output_packs, part = line / C::taps;
        const int o = int(e - line * C::output_packs) * vc, c = o / C::each, left = G::outputs - o;
        const int tap = int(line - part * C::taps), kh = tap / G::kernel_width, kw = tap - kh * G::kernel_width;
        const long long end = (part + 1) * share < rows ? (part + 1) * share : rows;
        sigma_some<T, vc> sum = sigma_zeros<T, vc>();
        for (long long r = part * share; r < end; ++r) {
            const long long n = r / G::result_height;
            const int i = int(r - n * G::result_height) * G::stride0 + kh * G::dilation0 - G::before0;
            const int from = kw * G::dilation1 - G::before1;
            const T* a = x + n * G::image + (i * (long long)G::row + from * G::pixel + c);
            const T* b = y + r * ((long long)G::result_width * G::y_pixel) + o;
            for (int j = 0; j < G::result_width; ++j, a += G::stride1 * G::pixel, b += G::y_pixel) {
                if (sigma_is_outside<G>(i, from + j * G::stride1)) continue;
                const auto of_a = sigma_load_some<vc>(a, x_whole, left);
                const auto of_b = sigma_load_some<vc>(b, y_whole, left);
                SIGMA_UNROLL
                for (int v = 0; v < vc; ++v) sum.v[v] += of_a.v[v] * of_b.v[v];
            }
        }
        sigma_store_some(result + part * G::part + (tap * G::result_row + o), sum, result_whole, left);
    }
}

// to[r][j] = the sum over parts of from[part][r][j], in a fixed order.
template <class T, int parts, int rows, int columns, int from_row, int to_row>
SIGMA_DEVICE void sigma_add_parts(const T* from, T* to) {
    constexpr long long part = (long long)rows * from_row, all = (long long)rows * columns;
    if (parts <= 32) {
        for (long long e = SIGMA_BLOCK * SIGMA_THREADS + SIGMA_THREAD; e < all; e += SIGMA_BLOCKS * SIGMA_THREADS) {
            const long long r = e / columns, j = e - r * columns;
            T sum = T(0);
            SIGMA_UNROLL
            for (int i = 0; i < parts; ++i) sum += from[i * part + r * from_row + j];
            to[r * to_row + j] = sum;
        }
    } else {  // few elements: one group for each
        for (long long e = SIGMA_BLOCK * SIGMA_GROUPS + SIGMA_GROUP; e < all; e += SIGMA_BLOCKS * SIGMA_GROUPS) {
            const long long r = e / columns, j = e - r * columns;
            T sum = T(0);
            for (int i = SIGMA_LANE; i < parts; i += SIGMA_LANES) sum += from[i * part + r * from_row + j];
            sum = sigma_group_reduce<sigma_add>(sum);
            if (SIGMA_LANE == 0) to[r * to_row + j] = sum;
        }
    }
}
#endif
)cuda";

}  // namespace sigma::on_gpu
