// SPDX-License-Identifier: BSL-1.0
// Micro-operations over tiles, with the formulas of fused kernels.
#pragma once
#include <sigma/device/cpu/interpreter/tile.hpp>
#include <sigma/device/cpu/math.hpp>

#include <cstddef>
#include <utility>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

namespace tiles {

/// An operand along one row.
template <class T, bool broadcast>
struct Operand {
    const T* from;
    SIGMA_INLINE explicit Operand(const T* p) : from(p) {}
    SIGMA_INLINE Vector<T> at(std::ptrdiff_t c, FullVector<T> lane) const { return lane.load(from + c); }
    SIGMA_INLINE Vector<T> at(std::ptrdiff_t c, MaskedVector<T> lane) const { return lane.load(from + c); }
};
template <class T>
struct Operand<T, true> {
    Vector<T> all;
    SIGMA_INLINE explicit Operand(const T* p) : all(p[0]) {}
    template <class L>
    SIGMA_INLINE Vector<T> at(std::ptrdiff_t, L) const {
        return all;
    }
};

// ---- element by element ----

template <sigma::detail::Operation o, class T>
struct Evaluate {
    using V = Vector<T>;
    static constexpr int operands = operand_count(o);
    static constexpr bool costly = is_costly(o);
    static constexpr bool dense = needs_tiles(o);  ///< rare: a broadcast operand becomes a tile
    SIGMA_INLINE static V of(V a) { return evaluate<o, T>(a, a, a); }
    SIGMA_INLINE static V of(V a, V b) { return evaluate<o, T>(a, b, b); }
    SIGMA_INLINE static V of(V a, V b, V c) { return evaluate<o, T>(a, b, c); }
};
template <class T>
struct Greater {
    static constexpr int operands = 2;
    static constexpr bool costly = false, dense = false;
    SIGMA_INLINE static Vector<T> of(Vector<T> number, Vector<T> x) { return max(number, x); }
};
template <sigma::detail::Operation o, class T>
struct Choose {
    using V = Vector<T>;
    static constexpr int operands = 4;
    static constexpr bool costly = false, dense = false;
    SIGMA_INLINE static V of(V a, V b, V x, V y) { return select(compare<o, T>(a, b), x, y); }
};

template <class T, class F, class... X>
SIGMA_INLINE void map_row(const Tile<T>& t, const TileOperation<T>& n, std::ptrdiff_t length, T* to, const X&... x) {
    constexpr std::ptrdiff_t W = lanes<T>;
    constexpr FullVector<T> whole{};
    std::ptrdiff_t c = 0;
    if constexpr (!F::costly)
        for (; c + 2 * W <= length; c += 2 * W) {
            whole.store(to + c, F::of(x.at(c, whole)...));
            whole.store(to + c + W, F::of(x.at(c + W, whole)...));
        }
    for (; c < length; c += W) whole.store(to + c, F::of(x.at(c, whole)...));
    if (n.masked && t.rest) {
        const MaskedVector<T> lane{t.rest};
        const Vector<T> y = F::of(x.at(c, lane)...);
        if (n.inside) whole.store(to + c, y);
        else lane.store(to + c, y);
    }
}
template <class T, class F, bool... broadcast, std::size_t... i>
SIGMA_INLINE void map_rows(const Tile<T>& t, const TileOperation<T>& n, std::index_sequence<i...>) {
    const bool flat = n.flat && t.flat;
    std::ptrdiff_t length = (n.masked ? t.whole : t.vectors) * std::ptrdiff_t{lanes<T>};
    if (flat) length *= t.rows;
    const T* from[] = {t.at[n.operand[i]]...};
    T* to = t.at[n.result];
    for (int rows = flat ? 1 : t.rows; rows > 0; --rows) {
        map_row<T, F>(t, n, length, to, Operand<T, broadcast>(from[i])...);
        ((from[i] += t.step[n.operand[i]]), ...);
        to += t.step[n.result];
    }
}
template <class T, class F, bool... broadcast>
void map(const Tile<T>& t, const TileOperation<T>& n) {
    map_rows<T, F, broadcast...>(t, n, std::make_index_sequence<sizeof...(broadcast)>{});
}

/// Fills each row with its number.
template <class T>
void broadcast(const Tile<T>& t, const TileOperation<T>& n) {
    for (int r = 0; r < t.rows; ++r) {
        const Vector<T> v(t.at[n.operand[0]][r * t.step[n.operand[0]]]);
        T* to = t.at[n.result] + r * t.step[n.result];
        for (int i = n.masked ? t.whole : t.vectors; i > 0; --i, to += lanes<T>) FullVector<T>{}.store(to, v);
        if (n.masked && t.rest && n.inside) FullVector<T>{}.store(to, v);
        else if (n.masked && t.rest) MaskedVector<T>{t.rest}.store(to, v);
    }
}
template <class T>
void number(const Tile<T>& t, const TileOperation<T>& n) {
    FullVector<T>{}.store(t.at[n.result], Vector<T>(t.at[n.operand[0]][0]));
}

// ---- numbers of rows, which functions process by whole vectors ----

template <class T>
SIGMA_INLINE void fill_vector(T* numbers, int count) {
    for (; count % lanes<T> != 0; ++count) numbers[count] = numbers[count - 1];
}
template <class T>
void gather_rows(const Tile<T>& t, const TileOperation<T>& n) {
    const T* from = t.at[n.operand[0]];
    T* const to = t.at[n.result];
    for (int r = 0; r < t.numbers; ++r, from += t.step[n.operand[0]]) to[r] = *from;
    fill_vector(to, t.numbers);
}
template <class T, bool equal>
void scatter_rows(const Tile<T>& t, const TileOperation<T>& n) {
    const T* from = t.at[n.operand[0]];
    T* to = t.at[n.result];
    for (int r = 0; r < t.numbers; ++r, to += t.step[n.result]) *to = from[equal ? 0 : r];
}

// ---- reductions, in the order of fused kernels ----

/// Reduces complete rows, or a part of a row that continues earlier parts. The last row then stays open, and the call
/// that ends it joins its totals.
template <sigma::detail::Operation o, class T, bool product, bool broadcast_a, bool broadcast_b, bool each_row>
void reduce_rows(const Tile<T>& t, const TileOperation<T>& n) {
    using V = Vector<T>;
    constexpr std::ptrdiff_t W = lanes<T>;
    constexpr FullVector<T> whole{};
    const T *a = t.at[n.operand[0]], *b = product ? t.at[n.operand[1]] : nullptr;
    const std::ptrdiff_t next_a = t.step[n.operand[0]], next_b = product ? t.step[n.operand[1]] : 0;
    T* const to = t.at[n.result];
    V total[row_totals];
    SIGMA_UNROLL
    for (int u = 0; u < row_totals; ++u) total[u] = each_row ? V(neutral<o, T>()) : whole.load(to + u * W);
    for (int r = 0; r < t.rows; ++r, a += next_a, b += next_b) {
        if constexpr (each_row) total[0] = V(neutral<o, T>());
        const Operand<T, broadcast_a> x(a);
        const Operand<T, broadcast_b> y(product ? b : a);
        const std::ptrdiff_t end = t.whole * W;
        std::ptrdiff_t c = 0;
        Mask<T> lost{};
        for (; c + row_totals * W <= end; c += row_totals * W) {
            SIGMA_UNROLL
            for (int u = 0; u < row_totals; ++u) {
                const V v = x.at(c + u * W, whole);
                if constexpr (product) total[u] = fused_multiply_add<T>(v, y.at(c + u * W, whole), total[u]);
                else if constexpr (o == sigma::detail::Operation::sum) total[u] = total[u] + v;
                else {
                    total[u] = extreme<o, T>(total[u], v);
                    if (u % 2 == 1) lost = lost | unordered(x.at(c + (u - 1) * W, whole), v);
                }
            }
        }
        if constexpr (o != sigma::detail::Operation::sum)
            total[0] = select(lost, V(std::numeric_limits<T>::quiet_NaN()), total[0]);
        const bool ends = each_row || c < end || t.rest || r + 1 < t.rows;
        if (ends && (c > 0 || !each_row)) {
            total[0] = together<o, T>(total[0], total[1], total[2], total[3], Mask<T>{});
            SIGMA_UNROLL
            for (int u = 1; u < row_totals; ++u) total[u] = V(neutral<o, T>());
        }
        for (; c < end; c += W) {
            if constexpr (product) total[0] = fused_multiply_add<T>(x.at(c, whole), y.at(c, whole), total[0]);
            else total[0] = combine<o, T>(total[0], x.at(c, whole));
        }
        if (t.rest) {
            const MaskedVector<T> lane{t.rest};
            const V v = lane.keep(n.masked ? x.at(c, lane) : x.at(c, whole), neutral<o, T>());
            if constexpr (product)
                total[0] =
                    fused_multiply_add<T>(v, lane.keep(n.masked ? y.at(c, lane) : y.at(c, whole), T(0)), total[0]);
            else total[0] = combine<o, T>(total[0], v);
        }
        if constexpr (each_row) to[r] = across<o, T>(total[0]);
    }
    if constexpr (each_row) {
        fill_vector(to, t.rows);
    } else {
        SIGMA_UNROLL
        for (int u = 0; u < row_totals; ++u) whole.store(to + u * W, total[u]);
    }
}

template <sigma::detail::Operation o, class T, bool product, bool broadcast_a, bool broadcast_b>
void reduce_columns(const Tile<T>& t, const TileOperation<T>& n) {
    using V = Vector<T>;
    constexpr std::ptrdiff_t W = lanes<T>;
    const T *a = t.at[n.operand[0]], *b = product ? t.at[n.operand[1]] : nullptr;
    const std::ptrdiff_t next_a = t.step[n.operand[0]], next_b = product ? t.step[n.operand[1]] : 0;
    T* const to = t.at[n.result];
    const auto columns = [&]<int count, class L>(std::ptrdiff_t c, std::integral_constant<int, count>, L lane) {
        V total[count];
        SIGMA_UNROLL
        for (int i = 0; i < count; ++i) total[i] = FullVector<T>{}.load(to + c + i * W);
        const T *row_a = a, *row_b = b;
        for (int r = 0; r < t.rows; ++r, row_a += next_a, row_b += next_b) {
            const Operand<T, broadcast_a> x(row_a);
            const Operand<T, broadcast_b> y(product ? row_b : row_a);
            SIGMA_UNROLL
            for (int i = 0; i < count; ++i) {
                const V v = x.at(c + i * W, lane);
                if constexpr (product) total[i] = fused_multiply_add<T>(v, y.at(c + i * W, lane), total[i]);
                else total[i] = combine<o, T>(total[i], v);
            }
        }
        SIGMA_UNROLL
        for (int i = 0; i < count; ++i) FullVector<T>{}.store(to + c + i * W, total[i]);
    };
    const std::ptrdiff_t end = (n.masked ? t.whole : t.vectors) * W;
    std::ptrdiff_t c = 0;
    for (; c + 8 * W <= end; c += 8 * W) columns(c, std::integral_constant<int, 8>{}, FullVector<T>{});
    for (; c + 4 * W <= end; c += 4 * W) columns(c, std::integral_constant<int, 4>{}, FullVector<T>{});
    for (; c < end; c += W) columns(c, std::integral_constant<int, 1>{}, FullVector<T>{});
    if (n.masked && t.rest) columns(c, std::integral_constant<int, 1>{}, MaskedVector<T>{t.rest});
}

// ---- which function ----

template <class T, class F>
TileFunction<T> mapped(unsigned broadcast) {
    if constexpr (F::operands == 1) {
        return &map<T, F, false>;
    } else if constexpr (F::dense) {
        return &map<T, F, false, false>;
    } else if constexpr (F::operands == 2) {
        return broadcast == 1   ? &map<T, F, true, false>
               : broadcast == 2 ? &map<T, F, false, true>
                                : &map<T, F, false, false>;
    } else if constexpr (F::operands == 3) {
        constexpr TileFunction<T> all[] = {&map<T, F, false, false, false>, &map<T, F, true, false, false>,
                                           &map<T, F, false, true, false>,  &map<T, F, true, true, false>,
                                           &map<T, F, false, false, true>,  &map<T, F, true, false, true>,
                                           &map<T, F, false, true, true>};
        return all[broadcast];
    } else {  // comparisons with a broadcast left operand are rare: it becomes a tile
        constexpr TileFunction<T> all[] = {
            &map<T, F, false, false, false, false>, &map<T, F, false, true, false, false>,
            &map<T, F, false, false, true, false>,  &map<T, F, false, true, true, false>,
            &map<T, F, false, false, false, true>,  &map<T, F, false, true, false, true>,
            &map<T, F, false, false, true, true>,   &map<T, F, false, true, true, true>};
        return all[broadcast / 2];
    }
}
template <class T>
TileFunction<T> evaluation(sigma::detail::Operation o, unsigned broadcast) {
    switch (o) {
#define SIGMA_CASE(name, ...) \
    case sigma::detail::Operation::name: return mapped<T, Evaluate<sigma::detail::Operation::name, T>>(broadcast);
        SIGMA_OPERATIONS(SIGMA_NO_ROW, SIGMA_CASE, SIGMA_CASE)
#undef SIGMA_CASE
        default: return nullptr;
    }
}
template <sigma::detail::Operation o, class T, bool product, bool broadcast_a, bool broadcast_b>
TileFunction<T> reduction_by(TileTask task) {
    return task == TileTask::reduce_columns ? &reduce_columns<o, T, product, broadcast_a, broadcast_b>
           : task == TileTask::reduce_row   ? &reduce_rows<o, T, product, broadcast_a, broadcast_b, false>
                                            : &reduce_rows<o, T, product, broadcast_a, broadcast_b, true>;
}
template <sigma::detail::Operation o, class T>
TileFunction<T> reduction(const TileRequest& q) {
    if constexpr (o == sigma::detail::Operation::sum)
        if (q.product)
            return q.broadcast == 1   ? reduction_by<o, T, true, true, false>(q.task)
                   : q.broadcast == 2 ? reduction_by<o, T, true, false, true>(q.task)
                                      : reduction_by<o, T, true, false, false>(q.task);
    return q.broadcast ? reduction_by<o, T, false, true, false>(q.task)
                       : reduction_by<o, T, false, false, false>(q.task);
}

}  // namespace tiles

/// Returns the function that runs an operation over tiles.
template <class T>
TileFunction<T> tile_function(const TileRequest& q) {
    switch (q.task) {
        case TileTask::evaluate: return tiles::evaluation<T>(q.operation, q.broadcast);
        case TileTask::greater: return tiles::mapped<T, tiles::Greater<T>>(q.broadcast);
        case TileTask::choose:
            return q.operation == sigma::detail::Operation::less
                       ? tiles::mapped<T, tiles::Choose<sigma::detail::Operation::less, T>>(q.broadcast)
                   : q.operation == sigma::detail::Operation::less_equal
                       ? tiles::mapped<T, tiles::Choose<sigma::detail::Operation::less_equal, T>>(q.broadcast)
                       : tiles::mapped<T, tiles::Choose<sigma::detail::Operation::equal, T>>(q.broadcast);
        case TileTask::broadcast: return &tiles::broadcast<T>;
        case TileTask::number: return &tiles::number<T>;
        case TileTask::gather: return &tiles::gather_rows<T>;
        case TileTask::scatter: return &tiles::scatter_rows<T, false>;
        case TileTask::scatter_equal: return &tiles::scatter_rows<T, true>;
        default: break;
    }
    return q.operation == sigma::detail::Operation::sum ? tiles::reduction<sigma::detail::Operation::sum, T>(q)
           : q.operation == sigma::detail::Operation::reduce_maximum
               ? tiles::reduction<sigma::detail::Operation::reduce_maximum, T>(q)
               : tiles::reduction<sigma::detail::Operation::reduce_minimum, T>(q);
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
