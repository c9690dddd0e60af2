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

// Three nested loops, innermost first: their numbers of steps, and the strides of two tensors.
struct TileLoops {
    std::ptrdiff_t count[3], left[3], right[3];

    // Removes loops of one step, and joins loops that continue at the end of the inner one.
    void merge() {
        int kept = 0;
        for (int i = 0; i < 3; ++i) {
            if (count[i] == 1) continue;
            if (kept > 0 && left[i] == count[kept - 1] * left[kept - 1] &&
                right[i] == count[kept - 1] * right[kept - 1]) {
                count[kept - 1] *= count[i];
            } else {
                count[kept] = count[i];
                left[kept] = left[i];
                right[kept++] = right[i];
            }
        }
        for (; kept < 3; ++kept) count[kept] = 1, left[kept] = right[kept] = 0;
    }
    // Replaces the strides of outer loops by the step from the end of the inner loop to its next start.
    void after_inner() {
        for (int i = 2; i > 0; --i) {
            left[i] -= count[i - 1] * left[i - 1];
            right[i] -= count[i - 1] * right[i - 1];
        }
    }
};

template <class T>
class RowCursor {
public:
    RowCursor(const TileLoops& loops, const T* a, T* c, std::ptrdiff_t first) : l(loops), a_(a), c_(c) {
        if (first == 0) return;  // saves divisions
        at_[0] = first % l.count[0];
        at_[1] = first / l.count[0] % l.count[1];
        at_[2] = first / l.count[0] / l.count[1];
        for (int i = 0; i < 3; ++i) a_ += at_[i] * l.left[i], c_ += at_[i] * l.right[i];
    }
    /// Gets the next R rows.
    template <int R>
    SIGMA_INLINE void take(const T* (&a)[R], T* (&c)[R]) {
        if (at_[0] + R < l.count[0]) {  // the usual case: all in one innermost loop
            const std::ptrdiff_t a_step = l.left[0], c_step = l.right[0];
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
            a_ += l.left[i];
            c_ += l.right[i];
            if (++at_[i] < l.count[i] || i == 2) return;
            a_ -= l.count[i] * l.left[i];
            c_ -= l.count[i] * l.right[i];
            at_[i] = 0;
        }
    }
    const TileLoops& l;
    std::ptrdiff_t at_[3]{};
    const T* a_;
    T* c_;
};

// The use of the sums of a tile. `store`: they replace the result. `go_on`: the chain of sums begins with the values of
// the result. `add`: the finished sums are added to the result, row after row, because rows may overlap there.
enum class TileResult { store, go_on, add };

template <class T>
struct ConvolutionPart {
    TileLoops rows;  // of the result: strides of a and c
    TileLoops sums;  // terms: strides of a and b, after_inner()
    const T* a;
    const T* b;
    T* c;
    TileResult result;

    void merge() {
        rows.merge();
        sums.merge();
        sums.after_inner();
    }
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
#if defined(__GNUC__)
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) __builtin_prefetch(c[r] + v * width, 1);
#endif
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
    const TileLoops& l = p.sums;
    const std::ptrdiff_t a_step = l.left[0], b_step = l.right[0], turns = l.count[0];
    std::ptrdiff_t at = 0;
    for (std::ptrdiff_t z = l.count[2]; z > 0; --z, at += l.left[2], b += l.right[2])
        for (std::ptrdiff_t y = l.count[1]; y > 0; --y, at += l.left[1], b += l.right[1])
            for (std::ptrdiff_t x = turns; x > 0; --x, at += a_step, b += b_step) {
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
inline constexpr int convolution_vectors = 3;

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

// Whether two rows share a vector when half of its lanes hold all columns.
template <class T>
inline constexpr bool pairs_rows = lanes<T> == 16 && register_bytes == 64;
template <class T>
SIGMA_INLINE Register<T> pair(T lower, T upper) {
    const Register<T> x = Vector<T>(lower).data, y = Vector<T>(upper).data;
    return __builtin_shufflevector(x, y, 0, 1, 2, 3, 4, 5, 6, 7, 24, 25, 26, 27, 28, 29, 30, 31);
}
// The tile of R rows of V vectors whose upper halves are no columns. Each sum is the chain of the other tiles.
template <int R, int V, class T>
SIGMA_INLINE void paired_tile(const ConvolutionPart<T>& p, RowCursor<T>& cursor, std::ptrdiff_t column) {
    constexpr int width = lanes<T>, half = register_bytes / 2, pairs = (R + 1) / 2;
    const auto upper = [](int i) { return min_of(2 * i + 1, R - 1); };  // an odd last row is a pair with itself
    const T* a[R];
    T* c[R];
    cursor.take(a, c);
    for (int r = 0; r < R; ++r) c[r] += column;
    Vector<T> sums[pairs][V];
    SIGMA_UNROLL
    for (int i = 0; i < pairs * V; ++i) {
        Vector<T>& sum = sums[i / V][i % V];
        sum = Vector<T>(T(0));
        if (p.result == TileResult::go_on)
            sum = both_halves<T, register_bytes>(load_register<T, half>(c[2 * (i / V)] + i % V * width),
                                                 load_register<T, half>(c[upper(i / V)] + i % V * width));
    }
    const T* b = p.b + column;
    const TileLoops& l = p.sums;
    std::ptrdiff_t at = 0;
    for (std::ptrdiff_t z = l.count[2]; z > 0; --z, at += l.left[2], b += l.right[2])
        for (std::ptrdiff_t y = l.count[1]; y > 0; --y, at += l.left[1], b += l.right[1])
            for (std::ptrdiff_t x = l.count[0]; x > 0; --x, at += l.left[0], b += l.right[0]) {
                Vector<T> of_b[V];
                SIGMA_UNROLL
                for (int v = 0; v < V; ++v) {
                    const auto columns = load_register<T, half>(b + v * width);
                    of_b[v] = both_halves<T, register_bytes>(columns, columns);
                    hold_in_register<T>(of_b[v]);
                }
                SIGMA_UNROLL
                for (int i = 0; i < pairs; ++i) {
                    const Vector<T> of_a = pair<T>(a[2 * i][at], a[upper(i)][at]);
                    SIGMA_UNROLL
                    for (int v = 0; v < V; ++v) sums[i][v] = fused_multiply_add<T>(of_a, of_b[v], sums[i][v]);
                }
            }
    SIGMA_UNROLL
    for (int r = 0; r < R; ++r) {  // one after the other, because rows may overlap
        SIGMA_UNROLL
        for (int v = 0; v < V; ++v) {
            const Register<T> sum = sums[r / 2][v].data;
            auto result = r % 2 == 0 ? lower_half<T, register_bytes>(sum) : upper_half<T, register_bytes>(sum);
            if (p.result == TileResult::add) result += load_register<T, half>(c[r] + v * width);
            store_register<T, half>(c[r] + v * width, result);
        }
    }
}
template <int R, int V, class T>
SIGMA_INLINE void paired_rest(const ConvolutionPart<T>& p, RowCursor<T>& cursor, std::ptrdiff_t column,
                              std::ptrdiff_t rows) {
    if (rows == R) return paired_tile<R, V>(p, cursor, column);
    if constexpr (R > 1) paired_rest<R - 1, V>(p, cursor, column, rows);
}
template <int V, class T>
[[gnu::noinline]] void paired_strip(const ConvolutionPart<T>& p, std::ptrdiff_t first, std::ptrdiff_t count,
                                    std::ptrdiff_t column) {
    constexpr int most = V == 1 ? 10 : 8;
    RowCursor<T> cursor(p.rows, p.a, p.c, first);
    for (std::ptrdiff_t tiles = (count + most - 1) / most; tiles > 0; --tiles) {  // tiles of nearly equal size
        const std::ptrdiff_t rows = (count + 2 * tiles - 1) / (2 * tiles) * 2;
        paired_rest<most, V>(p, cursor, column, min_of(rows, count));
        count -= min_of(rows, count);
    }
}

// One vector of channels, each with its own kernel, at R neighbouring positions.
template <int R, class End, class T>
SIGMA_INLINE void channel_tile(const ConvolutionPart<T>& p, const T* a, const T* b, T* c, End end) {
    const TileLoops& l = p.sums;
    const std::ptrdiff_t a_step = p.rows.left[0], c_step = p.rows.right[0];
#if defined(__GNUC__)
    for (int r = 0; r < R; ++r) __builtin_prefetch(c + (2 * R + r) * c_step, 1);  // of the tile after the next
#endif
    Vector<T> sums[R];
    SIGMA_UNROLL
    for (int r = 0; r < R; ++r) sums[r] = Vector<T>(T(0));
    constexpr int slid = 3;
    const bool slides = l.count[0] == slid && l.left[0] == a_step;
    for (std::ptrdiff_t y = l.count[1]; y > 0; --y, a += l.left[1], b += l.right[1])
        if (slides) {  // loads a vector of a once for all terms of the row that read it
            Vector<T> of_b[slid];
            for (int x = 0; x < slid; ++x, b += l.right[0]) of_b[x] = end.load(b);
            SIGMA_UNROLL
            for (int i = 0; i < R + slid - 1; ++i) {
                Vector<T> of_a = end.load(a + i * a_step);
                hold_in_register<T>(of_a);
                SIGMA_UNROLL
                for (int x = 0; x < slid; ++x)
                    if (x <= i && i < x + R) sums[i - x] = fused_multiply_add<T>(of_a, of_b[x], sums[i - x]);
            }
            a += slid * a_step;
        } else {
            for (std::ptrdiff_t x = l.count[0]; x > 0; --x, a += l.left[0], b += l.right[0]) {
                Vector<T> of_b = end.load(b);
                hold_in_register<T>(of_b);
                SIGMA_UNROLL
                for (int r = 0; r < R; ++r) sums[r] = fused_multiply_add<T>(end.load(a + r * a_step), of_b, sums[r]);
            }
        }
    SIGMA_UNROLL
    for (int r = 0; r < R; ++r) end.store(c + r * c_step, sums[r]);
}

// One vector of channels at `count` positions. The last tile computes some of them again.
template <int R, class End, class T>
SIGMA_INLINE void channel_row(const ConvolutionPart<T>& p, const T* a, const T* b, T* c, std::ptrdiff_t count,
                              End end) {
    if constexpr (R > 1)
        if (count < R) return channel_row<R / 2>(p, a, b, c, count, end);
    for (std::ptrdiff_t j = 0;; j = min_of(j + R, count - R)) {
        channel_tile<R>(p, a + j * p.rows.left[0], b, c + j * p.rows.right[0], end);
        if (j + R >= count) return;
    }
}

template <class End, class T>
[[gnu::noinline]] void channel_strip(const ConvolutionPart<T>& p, std::ptrdiff_t outer, std::ptrdiff_t inner,
                                     std::ptrdiff_t column, End end) {
    const TileLoops& l = p.rows;
    channel_row<8>(p, p.a + column + inner * l.left[1] + outer * l.left[2], p.b + column,
                   p.c + column + inner * l.right[1] + outer * l.right[2], l.count[0], end);
}

// The elements of a kernel of 3 x 3 for one vector of channels, which are summed over positions.
inline constexpr std::ptrdiff_t channel_terms = 9;
template <class T>
bool channel_sums_slide(const ConvolutionPart<T>& p) {
    return p.result == TileResult::go_on && p.rows.count[0] == 3 && p.rows.count[1] == 3 &&
           p.rows.left[0] == p.sums.left[0];
}
// Adds products of all positions to these sums. Each vector of a is loaded once for the three elements of a row that
// read it.
template <class End, class T>
[[gnu::noinline]] void channel_sums(const ConvolutionPart<T>& p, std::ptrdiff_t column, End end) {
    const TileLoops &r = p.rows, &l = p.sums;
    const T* a = p.a + column;
    const T* b = p.b + column;
    T* const c = p.c + column;
    Vector<T> sums[3][3];
    SIGMA_UNROLL
    for (int i = 0; i < 9; ++i) sums[i / 3][i % 3] = end.load(c + i / 3 * r.right[1] + i % 3 * r.right[0]);
    for (std::ptrdiff_t z = l.count[2]; z > 0; --z, a += l.left[2], b += l.right[2])
        for (std::ptrdiff_t y = l.count[1]; y > 0; --y, a += l.left[1], b += l.right[1]) {
            Vector<T> seen[3][2];
            SIGMA_UNROLL
            for (int i = 0; i < 6; ++i) seen[i / 2][i % 2] = end.load(a + i / 2 * r.left[1] + i % 2 * r.left[0]);
            for (std::ptrdiff_t x = l.count[0]; x > 0; --x, a += l.left[0], b += l.right[0]) {
                const Vector<T> of_b = end.load(b);
                SIGMA_UNROLL
                for (int i = 0; i < 3; ++i) {
                    const Vector<T> next = end.load(a + i * r.left[1] + 2 * r.left[0]);
                    sums[i][0] = fused_multiply_add<T>(seen[i][0], of_b, sums[i][0]);
                    sums[i][1] = fused_multiply_add<T>(seen[i][1], of_b, sums[i][1]);
                    sums[i][2] = fused_multiply_add<T>(next, of_b, sums[i][2]);
                    seen[i][0] = seen[i][1];
                    seen[i][1] = next;
                }
            }
        }
    SIGMA_UNROLL
    for (int i = 0; i < 9; ++i) end.store(c + i / 3 * r.right[1] + i % 3 * r.right[0], sums[i / 3][i % 3]);
}

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
