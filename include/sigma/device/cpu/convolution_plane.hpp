// SPDX-License-Identifier: BSL-1.0
// Convolution of images of one channel into few outputs: vectors run along the width, so that no lane is wasted, and
// are turned into channels-last order at the end. The sums are those of convolution_tile, bit for bit.
#pragma once

#include <cstddef>
#include <type_traits>

#include <sigma/device/cpu/convolution_tile.hpp>
#include <sigma/device/cpu/transpose.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

inline constexpr std::ptrdiff_t plane_terms = 256;  // most elements of a kernel

template <class T>
struct PlaneRow {
    const T* x;  // where the kernel begins
    std::ptrdiff_t terms;
    const std::ptrdiff_t* offsets;  // of each term in x
    const T* w;
    std::ptrdiff_t w_row;
};

// O outputs at V vectors of neighbouring positions.
template <int O, int V, class T>
SIGMA_INLINE void plane_tile(const PlaneRow<T>& p, std::ptrdiff_t output, T* to, std::ptrdiff_t to_row) {
    constexpr int width = lanes<T>;
    Vector<T> sums[O][V];
    SIGMA_UNROLL
    for (int o = 0; o < O; ++o) {
        SIGMA_UNROLL
        for (int v = 0; v < V; ++v) sums[o][v] = Vector<T>(T(0));
    }
    const T* w = p.w + output;
    for (std::ptrdiff_t k = 0; k < p.terms; ++k, w += p.w_row) {
        const T* x = p.x + p.offsets[k];
        Vector<T> of_x[V];
        SIGMA_UNROLL
        for (int v = 0; v < V; ++v) of_x[v] = FullVector<T>{}.load(x + v * width);
        SIGMA_UNROLL
        for (int v = 0; v < V; ++v) hold_in_register<T>(of_x[v]);
        SIGMA_UNROLL
        for (int o = 0; o < O; ++o) {
            const Vector<T> of_w(w[o]);
            SIGMA_UNROLL
            for (int v = 0; v < V; ++v) sums[o][v] = fused_multiply_add<T>(of_x[v], of_w, sums[o][v]);
        }
    }
    SIGMA_UNROLL
    for (int o = 0; o < O; ++o) {
        SIGMA_UNROLL
        for (int v = 0; v < V; ++v) FullVector<T>{}.store(to + (output + o) * to_row + v * width, sums[o][v]);
    }
}

// Sums, vectors of x and one weight fit the registers.
#if defined(__AVX512F__) || defined(__aarch64__)
template <int V>
inline constexpr int plane_outputs = 8;
#else
template <int V>
inline constexpr int plane_outputs = V == 3 ? 4 : 6;
#endif

template <int O, int V, class T>
SIGMA_INLINE void plane_tile_of(const PlaneRow<T>& p, std::ptrdiff_t outputs, std::ptrdiff_t first, T* to) {
    if (outputs == O) return plane_tile<O, V>(p, first, to, V * lanes<T>);
    if constexpr (O > 1) plane_tile_of<O - 1, V>(p, outputs, first, to);
}

// V vectors of positions, all outputs (as many as a vector has lanes, at most), to pixels `y_pixel` apart.
template <int V, class T>
[[gnu::noinline]] void plane_strip(const PlaneRow<T>& p, std::ptrdiff_t outputs, T* y, std::ptrdiff_t y_pixel) {
    constexpr int width = lanes<T>;
    alignas(64) T sums[width * V * width];
    std::ptrdiff_t tiles = (outputs + plane_outputs<V> - 1) / plane_outputs<V>;  // of nearly equal size
    for (std::ptrdiff_t first = 0; tiles > 0; --tiles) {
        const std::ptrdiff_t now = (outputs - first + tiles - 1) / tiles;
        plane_tile_of<plane_outputs<V>, V>(p, now, first, sums);
        first += now;
    }
    for (std::ptrdiff_t o = outputs; o < width; ++o)
        for (int v = 0; v < V; ++v) FullVector<T>{}.store(sums + (o * V + v) * width, Vector<T>(T(0)));
    for (int v = 0; v < V; ++v)
        transpose_block<T, width>(sums + v * width, V * width, y + v * width * y_pixel, y_pixel);
}

// Whether vectors of this type can be turned.
template <class T>
inline constexpr bool plane_possible = std::is_same_v<T, float> || lanes<T> <= 4;

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
