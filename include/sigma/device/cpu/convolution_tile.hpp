// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/lanes.hpp>
#include <sigma/device/cpu/transpose.hpp>

#include <cstddef>
#include <type_traits>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

// Keeps a vector in a register: g++ would load a vector that several rows use once for each, as an operand in memory.
template <class T>
SIGMA_INLINE void hold_in_register([[maybe_unused]] Vector<T>& v) {
#if defined(__GNUC__) && defined(__AVX512F__)
    asm("" : "+v"(v.data));
#elif defined(__GNUC__) && defined(__x86_64__)
    asm("" : "+x"(v.data));
#endif
}

// Three nested loops over elements that are summed, innermost first: their numbers of steps and the strides.
struct SumLoops {
    std::ptrdiff_t count[3], step[3];

    // Removes loops of one step, and joins loops that continue at the end of the inner one.
    void merge() {
        int kept = 0;
        for (int i = 0; i < 3; ++i) {
            if (count[i] == 1) continue;
            if (kept > 0 && step[i] == count[kept - 1] * step[kept - 1]) {
                count[kept - 1] *= count[i];
            } else {
                count[kept] = count[i];
                step[kept++] = step[i];
            }
        }
        for (; kept < 3; ++kept) count[kept] = 1, step[kept] = 0;
    }
};

// Three nested loops over the rows of the result, innermost first: the strides of the left operand's row and of the
// result's row.
struct RowLoops {
    std::ptrdiff_t count[3], a_step[3], c_step[3];
};
template <class T>
class RowCursor {
public:
    RowCursor(const RowLoops& loops, const T* a, T* c, std::ptrdiff_t first) : l(loops), a_(a), c_(c) {
        if (first == 0) return;  // saves divisions
        at_[0] = first % l.count[0];
        at_[1] = first / l.count[0] % l.count[1];
        at_[2] = first / l.count[0] / l.count[1];
        for (int i = 0; i < 3; ++i) a_ += at_[i] * l.a_step[i], c_ += at_[i] * l.c_step[i];
    }
    /// Gets the next R rows.
    template <int R>
    SIGMA_INLINE void take(const T* (&a)[R], T* (&c)[R]) {
        if (at_[0] + R < l.count[0]) {  // the usual case: all in one innermost loop
            const std::ptrdiff_t a_step = l.a_step[0], c_step = l.c_step[0];
            SIGMA_UNROLL
            for (int r = 0; r < R; ++r) a[r] = a_ + r * a_step, c[r] = c_ + r * c_step;
            a_ += R * a_step;
            c_ += R * c_step;
            at_[0] += R;
        } else {
            const T* some_a[R];  // the tile's own arrays must stay registers
            T* some_c[R];
            take_over_ends(R, some_a, some_c);
            SIGMA_UNROLL
            for (int r = 0; r < R; ++r) a[r] = some_a[r], c[r] = some_c[r];
        }
    }

private:
    [[gnu::noinline]] void take_over_ends(int count, const T** a, T** c) {
        for (int r = 0; r < count; ++r) {
            a[r] = a_;
            c[r] = c_;
            next();
        }
    }
    void next() {
        for (int i = 0; i < 3; ++i) {
            a_ += l.a_step[i];
            c_ += l.c_step[i];
            if (++at_[i] < l.count[i] || i == 2) return;
            a_ -= l.count[i] * l.a_step[i];
            c_ -= l.count[i] * l.c_step[i];
            at_[i] = 0;
        }
    }
    const RowLoops& l;
    std::ptrdiff_t at_[3]{};
    const T* a_;
    T* c_;
};

// The use of the sums of a tile. `go_on`: the chain of sums begins with the values of the result. `add`: the finished
// sums are added to the result, row after row, because rows may overlap there.
enum class TileResult { store, go_on, add };

template <class T>
struct ConvolutionPart {
    RowLoops rows;
    SumLoops sums;
    const T* a;
    const T* b;
    std::ptrdiff_t b_step;  // stride from term to term
    T* c;
    TileResult result;
};

// c[r][j] = chain of fma(a[r][k], b[k][j], sum) in the order of the loops, so that results do not depend on tiles. With
// `by_channel` the left operand also has a value for each column.
template <int R, int V, bool by_channel, class End, class T>
SIGMA_INLINE void convolution_tile(const ConvolutionPart<T>& p, RowCursor<T>& cursor, std::ptrdiff_t column, End end) {
    constexpr int width = lanes<T>;
    const T* a[R];
    T* c[R];
    cursor.take(a, c);
    for (int r = 0; r < R; ++r) {
        c[r] += column;
        if constexpr (by_channel) a[r] += column;
    }
    Vector<T> sums[R][V];
    SIGMA_UNROLL
    for (int r = 0; r < R; ++r) {
        SIGMA_UNROLL
        for (int v = 0; v < V; ++v) sums[r][v] = Vector<T>(T(0));
    }
    if (p.result == TileResult::go_on) {
        SIGMA_UNROLL
        for (int r = 0; r < R; ++r) {
            SIGMA_UNROLL
            for (int v = 0; v < V - 1; ++v) sums[r][v] = FullVector<T>{}.load(c[r] + v * width);
            sums[r][V - 1] = end.load(c[r] + (V - 1) * width);
        }
    }
    const T* b = p.b + column;
    const std::ptrdiff_t b_step = p.b_step, step = p.sums.step[0], turns = p.sums.count[0];
    const std::ptrdiff_t skip = p.sums.step[1] - turns * step,
                         far_skip = p.sums.step[2] - p.sums.count[1] * p.sums.step[1];
    std::ptrdiff_t at = 0;
    for (std::ptrdiff_t z = p.sums.count[2]; z > 0; --z, at += far_skip)
        for (std::ptrdiff_t y = p.sums.count[1]; y > 0; --y, at += skip)
            for (std::ptrdiff_t x = turns; x > 0; --x, at += step, b += b_step) {
                Vector<T> of_b[V];
                SIGMA_UNROLL
                for (int v = 0; v < V - 1; ++v) of_b[v] = FullVector<T>{}.load(b + v * width);
                of_b[V - 1] = end.load(b + (V - 1) * width);
                if constexpr (V > 1 && R > 1) {
                    SIGMA_UNROLL
                    for (int v = 0; v < V; ++v) hold_in_register<T>(of_b[v]);
                }
                SIGMA_UNROLL
                for (int r = 0; r < R; ++r) {
                    if constexpr (by_channel) {
                        static_assert(V == 1);
                        sums[r][0] = fused_multiply_add<T>(end.load(a[r] + at), of_b[0], sums[r][0]);
                    } else {
                        const Vector<T> of_a(a[r][at]);
                        SIGMA_UNROLL
                        for (int v = 0; v < V; ++v) sums[r][v] = fused_multiply_add<T>(of_a, of_b[v], sums[r][v]);
                    }
                }
            }
    const bool adds = p.result == TileResult::add;
    SIGMA_UNROLL
    for (int r = 0; r < R; ++r) {
        if (adds) {
            SIGMA_UNROLL
            for (int v = 0; v < V - 1; ++v) sums[r][v] += FullVector<T>{}.load(c[r] + v * width);
            sums[r][V - 1] += end.load(c[r] + (V - 1) * width);
        }
        SIGMA_UNROLL
        for (int v = 0; v < V - 1; ++v) FullVector<T>{}.store(c[r] + v * width, sums[r][v]);
        end.store(c[r] + (V - 1) * width, sums[r][V - 1]);
    }
}

// Rows of a tile: sums, one row of b and one broadcast fit the registers, and one pointer a row fits the others.
#if defined(__AVX512F__) || defined(__aarch64__)
template <int V>
inline constexpr int convolution_rows = V <= 2 ? 9 : 8;
#else
template <int V>
inline constexpr int convolution_rows = V == 1   ? 9
                                        : V == 2 ? 6
                                                 : 4;
#endif
inline constexpr int convolution_vectors = 2;

template <int R, int V, bool by_channel, class End, class T>
SIGMA_INLINE void convolution_rest(const ConvolutionPart<T>& p, RowCursor<T>& cursor, std::ptrdiff_t column, End end,
                                   std::ptrdiff_t rows) {
    if (rows == R) return convolution_tile<R, V, by_channel>(p, cursor, column, end);
    if constexpr (R > 1) convolution_rest<R - 1, V, by_channel>(p, cursor, column, end, rows);
}

// Computes some rows of one strip of V vectors, in tiles. The rows of the last two tiles are halved, because a tile of
// one row would wait for its sums.
template <int V, bool by_channel, class End, class T>
[[gnu::noinline]] void convolution_strip(const ConvolutionPart<T>& p, std::ptrdiff_t first, std::ptrdiff_t count,
                                         std::ptrdiff_t column, End end) {
    constexpr int most = convolution_rows<V>;
    RowCursor<T> cursor(p.rows, p.a, p.c, first);
    while (count > 0) {
        const std::ptrdiff_t rows = count > 2 * most ? most : count > most ? (count + 1) / 2 : count;
        convolution_rest<most, V, by_channel>(p, cursor, column, end, rows);
        count -= rows;
    }
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

inline constexpr std::ptrdiff_t plane_terms = 256;  // most elements of a kernel

template <class T>
struct PlaneRow {
    const T* x;  // beginning of the kernel
    std::ptrdiff_t terms;
    const std::ptrdiff_t* offsets;  // offset of each term in x
    const T* w;
    std::ptrdiff_t w_row;
};

// Computes O outputs at V vectors of neighboring positions.
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

// Computes all outputs (at most as many as a vector has lanes) at V vectors of positions, to pixels `y_pixel` apart.
template <int V, class T>
[[gnu::noinline]] void plane_strip(const PlaneRow<T>& p, std::ptrdiff_t outputs, T* y, std::ptrdiff_t y_pixel) {
    constexpr int width = lanes<T>;
    alignas(64) T sums[width * V * width];
    std::ptrdiff_t tiles = (outputs + plane_outputs<V> - 1) / plane_outputs<V>;  // tiles of nearly equal size
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

// True if vectors of this type can be transposed.
template <class T>
inline constexpr bool plane_possible = std::is_same_v<T, float> || lanes<T> <= 4;

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
