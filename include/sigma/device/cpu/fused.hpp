// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/list.hpp>
#include <sigma/device/cpu/algorithm.hpp>
#include <sigma/device/cpu/math.hpp>
#include <sigma/device/program_table.hpp>
#include <sigma/plan/fused_code.hpp>

#include <cstddef>
#include <utility>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

/// A vector in memory that is padded to its full width. Only the first `count` elements have a meaning.
template <class T>
struct PaddedVector : FullVector<T> {
    int count;
    SIGMA_INLINE explicit PaddedVector(int n) : count(n) {}
    SIGMA_INLINE Vector<T> keep(Vector<T> v, T fill) const { return MaskedVector<T>{count}.keep(v, fill); }
};

/// One fused kernel of a plan. Its micro-operations become straight code at three levels (once per kernel, per row, per
/// vector), in several sweeps if later code for a row needs a reduction along that row. Extents and strides are data,
/// so kernels that differ only in size share one function, in whatever plans they are.
template <sigma::detail::FusedCode code, class T>
struct Fused {
    using V = Vector<T>;
    using Opcode = sigma::detail::Instruction::Opcode;
    static constexpr sigma::detail::FusedForm k = code.form;
    static constexpr int N = code.size();
    using All = std::make_integer_sequence<int, N>;
    static constexpr sigma::detail::Instruction at(int i) { return code[i]; }
    static constexpr int A = k.arguments;
    static constexpr std::ptrdiff_t W = lanes<T>;
    static constexpr bool columns = k.kind == sigma::detail::Kernel::Kind::columns;
    static constexpr bool reduces_rows() {
        for (int i = 0; i < N; ++i)
            if (at(i).opcode == Opcode::reduce) return !columns;
        return false;
    }
    /// Number of vectors processed at once, so that reductions do not wait for additions.
    static constexpr int bundle = columns || reduces_rows() ? 4 : 1;
    /// Several vectors of a row, each with its own total.
    struct Group : FullVector<T> {};
    static_assert(columns || bundle == 1 || bundle == row_totals);
    /// Size of a block: a sum is a sum of sums of 256 vectors, so that rounding errors grow with the longer of both,
    /// not with the number of terms.
    static constexpr std::ptrdiff_t block = columns ? 256 : 256 * W;
    static constexpr bool nested = (columns ? k.reduced : k.rank - k.outer) > 1;  ///< several loops are reduced
    /// True if sums have blocks. Rows that are one loop have none: they are short, and would take a third longer to
    /// start.
    static constexpr bool blocks = columns || nested || k.outer == 0;

    const std::ptrdiff_t* extent;
    const Strides* stride;
    V r[bundle][N];        // results of instructions
    Mask<T> m[bundle][N];  // results of comparisons, as masks
    V total[bundle][N];    // totals of reductions
    V settled[bundle][N];  // sums of the blocks that have ended
    Mask<T> lost[N];       // lanes with NaN, for maxima and minima of groups
    std::ptrdiff_t terms;  // terms counted so far in the current block

    struct Pointers {
        T* p[A > 0 ? A : 1];
        /// Advances the pointers one by one: at -O2, g++ 12 combines pairs of strides to vectors on the stack, and
        /// loads wait.
        SIGMA_INLINE void advance(const Strides* s, int loop) {
            for (int a = 0; a < A; ++a) {
                std::ptrdiff_t by = s[a][loop];
                asm("" : "+r"(by));
                p[a] += by;
            }
        }
    };

    // ---- which instructions run where ----

    static constexpr bool selected(int i, int level, int sweep) {
        return at(i).level == level && (level == 0 || at(i).sweep == sweep);
    }
    template <int level, int sweep>
    static constexpr int count() {
        int n = 0;
        for (int i = 0; i < N; ++i) n += selected(i, level, sweep);
        return n;
    }
    template <int level, int sweep>
    static constexpr auto list() {
        sigma::detail::StaticArray<short, count<level, sweep>()> f;
        for (int i = 0, n = 0; i < N; ++i)
            if (selected(i, level, sweep)) f.data[n++] = static_cast<short>(i);
        return f;
    }
    template <int level, int sweep>
    static constexpr auto which = list<level, sweep>();

    template <int level, int sweep, int u, int from, class L, int... i>
    SIGMA_INLINE void chunk(const Pointers& q, std::ptrdiff_t c, L lane, std::integer_sequence<int, i...>) {
        (step<which<level, sweep>[from + i], u>(q, c, lane), ...);
    }
    template <int level, int sweep, int u, int from = 0, class L>
    SIGMA_INLINE void perform(const Pointers& q, std::ptrdiff_t c, L lane) {
        constexpr int left = which<level, sweep>.size() - from;
        constexpr int now = left < 128 ? left : 128;  // clang limits a fold to 256 operands
        if constexpr (now > 0) chunk<level, sweep, u, from>(q, c, lane, std::make_integer_sequence<int, now>{});
        if constexpr (left > now) perform<level, sweep, u, from + now>(q, c, lane);
    }

    // ---- one instruction ----

    template <int i>
    static constexpr bool constant_operand() {
        return at(i).operation == sigma::detail::Operation::constant && at(i).opcode == Opcode::evaluate;
    }
    /// Returns the register of operand `j`. Values that do not vary along vectors, such as reductions of a row, are in
    /// the first of the bundle.
    template <int j, int u>
    SIGMA_INLINE V& reg() {
        if constexpr (j < 0) return r[0][0];
        else return r[at(j).level == 2 && (columns || at(j).opcode != Opcode::reduce) ? u : 0][j];
    }
    template <int i, int u, class L>
    SIGMA_INLINE void step(const Pointers& q, std::ptrdiff_t c, L lane) {
        constexpr sigma::detail::Instruction n = at(i);
        if constexpr (n.opcode == Opcode::load) {
            if constexpr (n.level < 2 || n.broadcast) r[u][i] = V(q.p[n.argument][0]);
            else r[u][i] = lane.load(q.p[n.argument] + c + u * W);
        } else if constexpr (n.opcode == Opcode::store) {
            const V v = reg<n.a, u>();
            if constexpr (n.level < 2) q.p[n.argument][0] = v.get(0);
            else lane.store(q.p[n.argument] + c + u * W, v);
        } else if constexpr (n.opcode == Opcode::reduce) {
            const V v = lane.keep(reg<n.a, u>(), neutral<n.operation, T>());
            if constexpr (n.b < 0 && n.operation != sigma::detail::Operation::sum && std::is_same_v<L, Group>) {
                total[u][i] = extreme<n.operation, T>(total[u][i], v);
                if constexpr (u % 2 == 1) lost[i] = lost[i] | unordered(V(reg<n.a, u - 1>()), v);
            } else if constexpr (n.b < 0) total[u][i] = combine<n.operation, T>(total[u][i], v);
            else total[u][i] = fused_multiply_add<T>(v, lane.keep(reg<n.b, u>(), T(0)), total[u][i]);
        } else if constexpr (n.operation == sigma::detail::Operation::constant) {
            r[u][i] = V(static_cast<T>(n.constant));
        } else if constexpr (n.operation == sigma::detail::Operation::where && is_comparison(at(n.a).operation) &&
                             at(n.a).opcode == Opcode::evaluate) {
            constexpr int from = at(n.a).level == 2 ? u : 0;
            r[u][i] = on_cpu::select(m[from][n.a], V(reg<n.b, u>()), V(reg<n.c, u>()));
        } else if constexpr (is_comparison(n.operation)) {
            m[u][i] = compare<n.operation, T>(reg<n.a, u>(), reg<n.b, u>());
            r[u][i] = on_cpu::select(m[u][i], V(T(1)), V(T(0)));
        } else if constexpr (n.operation == sigma::detail::Operation::maximum && constant_operand<n.a>()) {
            r[u][i] = on_cpu::max(reg<n.a, u>(), reg<n.b, u>());  // NaN in the second operand passes through
        } else if constexpr (n.operation == sigma::detail::Operation::maximum && constant_operand<n.b>()) {
            r[u][i] = on_cpu::max(reg<n.b, u>(), reg<n.a, u>());
        } else {
            r[u][i] = evaluate<n.operation, T>(reg<n.a, u>(), reg<n.b, u>(), reg<n.c, u>());
            if constexpr (n.apart) r[u][i] = apart<T>(r[u][i]);
        }
    }

    // ---- reductions ----

    template <int i, int sweep>
    static constexpr bool reduces() {
        return at(i).opcode == Opcode::reduce && at(i).sweep == sweep;
    }
    template <int i, int sweep>
    static constexpr bool sums() {
        return blocks && reduces<i, sweep>() && at(i).operation == sigma::detail::Operation::sum;
    }
    template <int sweep, int... i>
    SIGMA_INLINE void open(std::integer_sequence<int, i...>) {
        (open_one<i, sweep>(), ...);
        terms = 0;
    }
    template <int i, int sweep>
    SIGMA_INLINE void open_one() {
        constexpr int totals = columns ? bundle : 1;
        if constexpr (reduces<i, sweep>())
            for (int u = 0; u < totals; ++u) total[u][i] = V(neutral<at(i).operation, T>());
        if constexpr (sums<i, sweep>())
            for (int u = 0; u < totals; ++u) settled[u][i] = V(T(0));
    }
    template <int sweep, int... i>
    static constexpr bool any_sums(std::integer_sequence<int, i...>) {
        return (sums<i, sweep>() || ...);
    }
    /// Counts terms that were added since the last call, and ends the block if it is complete.
    template <int sweep, int... i>
    SIGMA_INLINE void count_terms(std::ptrdiff_t n, std::integer_sequence<int, i...>) {
        if constexpr (any_sums<sweep>(All{})) {
            terms += n;
            if (terms < block) return;
            terms = 0;
            (settle<i, sweep>(), ...);
        }
    }
    template <int i, int sweep>
    SIGMA_INLINE void settle() {
        if constexpr (sums<i, sweep>())
            for (int u = 0; u < (columns ? bundle : 1); ++u) {
                settled[u][i] = settled_sum(settled[u][i], total[u][i]);
            }
    }
    template <int i, int sweep>
    SIGMA_INLINE V whole(int u) {
        if constexpr (sums<i, sweep>()) return settled[u][i] + total[u][i];
        else return total[u][i];
    }
    template <int sweep, int... i>
    SIGMA_INLINE void close(const Pointers& q, std::integer_sequence<int, i...>) {
        (close_one<i, sweep>(q), ...);
    }
    template <int i, int sweep>
    SIGMA_INLINE void close_one(const Pointers& q) {
        if constexpr (reduces<i, sweep>()) {
            const T result = across<at(i).operation, T>(whole<i, sweep>(0));
            r[0][i] = V(result);
            if constexpr (at(i).argument >= 0) q.p[at(i).argument][0] = result;
        }
    }
    template <int u, class L, int... i>
    SIGMA_INLINE void close_columns(const Pointers& q, std::ptrdiff_t c, L lane, std::integer_sequence<int, i...>) {
        (close_column<i, u>(q, c, lane), ...);
    }
    template <int i, int u, class L>
    SIGMA_INLINE void close_column(const Pointers& q, std::ptrdiff_t c, L lane) {
        if constexpr (reduces<i, 0>()) {
            r[u][i] = whole<i, 0>(u);
            if constexpr (at(i).argument >= 0) lane.store(q.p[at(i).argument] + c + u * W, r[u][i]);
        }
    }

    // ---- rows ----

    template <int sweep, int... i>
    static constexpr bool reduces_in(std::integer_sequence<int, i...>) {
        return (reduces<i, sweep>() || ...);
    }
    template <int i, int sweep>
    SIGMA_INLINE void open_group() {
        if constexpr (reduces<i, sweep>()) {
            for (int u = 1; u < bundle; ++u) total[u][i] = V(neutral<at(i).operation, T>());
            lost[i] = Mask<T>{};
        }
    }
    template <int i, int sweep>
    SIGMA_INLINE void close_group() {
        if constexpr (reduces<i, sweep>())
            total[0][i] = together<at(i).operation, T>(total[0][i], total[1][i], total[2][i], total[3][i], lost[i]);
    }
    /// Processes all groups of four vectors before `end`.
    template <int sweep, int... i>
    SIGMA_INLINE void groups(const Pointers& q, std::ptrdiff_t& c, std::ptrdiff_t end,
                             std::integer_sequence<int, i...>) {
        if (end - c < bundle * W) return;
        (open_group<i, sweep>(), ...);
        for (; c + bundle * W <= end; c += bundle * W) group<sweep>(q, c, std::make_integer_sequence<int, bundle>{});
        (close_group<i, sweep>(), ...);
    }
    template <int sweep, int... u>
    SIGMA_INLINE void group(const Pointers& q, std::ptrdiff_t c, std::integer_sequence<int, u...>) {
        (perform<2, sweep, u>(q, c, Group{}), ...);
    }
    template <int loop, int sweep>
    SIGMA_INLINE void along_row(Pointers q) {
        if constexpr (loop + 1 < k.rank) {
            for (std::ptrdiff_t i = 0; i < extent[loop]; ++i) {
                along_row<loop + 1, sweep>(q);
                q.advance(stride, loop);
            }
        } else {
            const std::ptrdiff_t n = extent[loop];
            std::ptrdiff_t c = 0, counted = 0;
            if constexpr (any_sums<sweep>(All{})) {
                while (true) {
                    groups<sweep>(q, c, min_of(n, c + block), All{});
                    if (n - counted <= block) break;
                    count_terms<sweep>(block, All{});
                    counted = c;
                }
            } else if constexpr (reduces_in<sweep>(All{})) {
                groups<sweep>(q, c, n, All{});
            }
            for (; c + W <= n; c += W) perform<2, sweep, 0>(q, c, FullVector<T>{});
            if constexpr (k.tail == sigma::detail::FusedKernel::Tail::masked) {
                if (c < n) perform<2, sweep, 0>(q, c, MaskedVector<T>{static_cast<int>(n - c)});
            } else if constexpr (k.tail == sigma::detail::FusedKernel::Tail::padded) {
                if (c < n) perform<2, sweep, 0>(q, c, PaddedVector<T>{static_cast<int>(n - c)});
            }
            if constexpr (nested) count_terms<sweep>(n - counted, All{});
        }
    }

    template <int sweep>
    SIGMA_INLINE void sweep_row(const Pointers& q) {
        perform<1, sweep, 0>(q, 0, FullVector<T>{});
        open<sweep>(All{});
        along_row<k.outer, sweep>(q);
        close<sweep>(q, All{});
    }
    template <int... sweep>
    SIGMA_INLINE void row(const Pointers& q, std::integer_sequence<int, sweep...>) {
        (sweep_row<sweep>(q), ...);
    }

    // ---- columns ----

    template <int loop, int width, class L, int... u>
    SIGMA_INLINE void down(Pointers q, std::ptrdiff_t c, L lane, std::integer_sequence<int, u...> all) {
        if constexpr (loop + 1 < k.outer + k.reduced) {
            for (std::ptrdiff_t i = 0; i < extent[loop]; ++i) {
                down<loop + 1, width>(q, c, lane, all);
                q.advance(stride, loop);
            }
        } else if constexpr (loop < k.outer + k.reduced) {
            const std::ptrdiff_t n = extent[loop];
            for (std::ptrdiff_t begin = 0, end = 0; begin < n; begin = end) {
                end = any_sums<0>(All{}) ? min_of(n, begin + block) : n;
                for (std::ptrdiff_t i = begin; i < end; ++i) {
                    (perform<2, 0, u>(q, c, lane), ...);
                    q.advance(stride, loop);
                }
                if (nested || end < n) count_terms<0>(end - begin, All{});
            }
        } else {
            (perform<2, 0, u>(q, c, lane), ...);
        }
    }
    template <int width, class L, int... u>
    SIGMA_INLINE void column(const Pointers& q, std::ptrdiff_t c, L lane, std::integer_sequence<int, u...> all) {
        open<0>(All{});
        down<k.outer, width>(q, c, lane, all);
        (close_columns<u>(q, c, lane, All{}), ...);
        (perform<2, 1, u>(q, c, lane), ...);
    }

    // ---- columns of several rows, block by block ----

    /// True if all rows of the result reduce the same loop, so that what they all read can stay in the cache.
    static constexpr bool by_blocks() {
        return columns && k.reduced == 1 && k.rank == k.outer + 3 && any_sums<0>(All{});
    }
    /// The number of reductions before an instruction.
    static constexpr int reductions_before(int instruction) {
        int n = 0;
        for (int i = 0; i < instruction; ++i) n += at(i).opcode == Opcode::reduce && at(i).sweep == 0;
        return n;
    }
    static constexpr std::ptrdiff_t most_kept = 2048;  ///< elements of the result whose totals are kept between blocks
    struct Kept {
        alignas(64) T total[reductions_before(N)][most_kept];
        alignas(64) T settled[reductions_before(N)][most_kept];
    };
    template <bool write>
    SIGMA_INLINE static void keep(V& v, T* place) {
        if constexpr (write) FullVector<T>{}.store(place, v);
        else v = FullVector<T>{}.load(place);
    }
    /// Stores a total, or loads it.
    template <int i, int u, bool write>
    SIGMA_INLINE void keep_one(Kept& kept, std::ptrdiff_t place) {
        if constexpr (reduces<i, 0>()) keep<write>(total[u][i], kept.total[reductions_before(i)] + place + u * W);
        if constexpr (sums<i, 0>()) keep<write>(settled[u][i], kept.settled[reductions_before(i)] + place + u * W);
    }
    template <int u, bool write, int... i>
    SIGMA_INLINE void keep(Kept& kept, std::ptrdiff_t place, std::integer_sequence<int, i...>) {
        (keep_one<i, u, write>(kept, place), ...);
    }
    /// Works like `column`, for one block of the reduction.
    template <int width, class L, int... u>
    SIGMA_INLINE void block_of_column(const Pointers& q, std::ptrdiff_t begin, std::ptrdiff_t c, Kept& kept,
                                      std::ptrdiff_t place, L lane, std::integer_sequence<int, u...>) {
        constexpr int loop = k.outer;
        const std::ptrdiff_t n = extent[loop], end = min_of(n, begin + block);
        open<0>(All{});
        if (begin > 0) (keep<u, false>(kept, place, All{}), ...);
        Pointers moved = q;
        for (int a = 0; a < A; ++a) moved.p[a] += begin * stride[a][loop];
        for (std::ptrdiff_t i = begin; i < end; ++i) {
            (perform<2, 0, u>(moved, c, lane), ...);
            moved.advance(stride, loop);
        }
        if (end < n) {
            count_terms<0>(end - begin, All{});
            (keep<u, true>(kept, place, All{}), ...);
        } else {
            (close_columns<u>(q, c, lane, All{}), ...);
            (perform<2, 1, u>(q, c, lane), ...);
        }
    }
    SIGMA_INLINE void columns_by_blocks(Pointers q) {
        constexpr int over = k.outer + 1, along = k.outer + 2;
        const std::ptrdiff_t n = extent[along], padded = (n + W - 1) / W * W, most = most_kept / padded;
        Kept kept;
        for (std::ptrdiff_t first = 0, rows = 0; first < extent[over]; first += rows) {
            rows = min_of(most, extent[over] - first);
            for (std::ptrdiff_t begin = 0; begin < extent[k.outer]; begin += block) {
                Pointers row = q;
                for (std::ptrdiff_t j = 0; j < rows; ++j) {
                    const auto go = [&]<int width, class L>(std::ptrdiff_t c, L lane) {
                        block_of_column<width>(row, begin, c, kept, j * padded + c, lane,
                                               std::make_integer_sequence<int, width>{});
                    };
                    std::ptrdiff_t c = 0;
                    for (; c + bundle * W <= n; c += bundle * W) go.template operator()<bundle>(c, FullVector<T>{});
                    for (; c + 2 * W <= n; c += 2 * W) go.template operator()<2>(c, FullVector<T>{});
                    for (; c + W <= n; c += W) go.template operator()<1>(c, FullVector<T>{});
                    if constexpr (k.tail == sigma::detail::FusedKernel::Tail::masked)
                        if (c < n) go.template operator()<1>(c, MaskedVector<T>{static_cast<int>(n - c)});
                    row.advance(stride, over);
                }
            }
            for (int a = 0; a < A; ++a) q.p[a] += rows * stride[a][over];
        }
    }

    template <int loop>
    SIGMA_INLINE void along_columns(Pointers q) {
        if constexpr (loop == k.outer + 1 && by_blocks()) {
            const std::ptrdiff_t width = extent[loop + 1];
            if (extent[k.outer] > block && extent[loop] > 1 && width > 0 && width <= most_kept - W)
                return columns_by_blocks(q);
        }
        if constexpr (loop + 1 < k.rank) {
            for (std::ptrdiff_t i = 0; i < extent[loop]; ++i) {
                along_columns<loop + 1>(q);
                q.advance(stride, loop);
            }
        } else {
            const std::ptrdiff_t n = extent[loop];
            std::ptrdiff_t c = 0;
            for (; c + bundle * W <= n; c += bundle * W)
                column<bundle>(q, c, FullVector<T>{}, std::make_integer_sequence<int, bundle>{});
            for (; c + W <= n; c += W) column<1>(q, c, FullVector<T>{}, std::integer_sequence<int, 0>{});
            if constexpr (k.tail == sigma::detail::FusedKernel::Tail::masked)
                if (c < n) column<1>(q, c, MaskedVector<T>{static_cast<int>(n - c)}, std::integer_sequence<int, 0>{});
        }
    }

    // ---- all ----

    template <int loop>
    SIGMA_INLINE void nest(Pointers q) {
        if constexpr (loop < k.outer) {
            for (std::ptrdiff_t i = 0; i < extent[loop]; ++i) {
                nest<loop + 1>(q);
                q.advance(stride, loop);
            }
        } else if constexpr (columns) {
            along_columns<k.outer + k.reduced>(q);
        } else {
            row(q, std::make_integer_sequence<int, k.sweeps>{});
        }
    }

    static void run(T* const* pointers, const Strides* strides, const std::ptrdiff_t* extents) {
        Fused f;
        f.extent = extents;
        f.stride = strides;
        Pointers q;
        for (int a = 0; a < A; ++a) q.p[a] = pointers[a];
        f.template perform<0, 0, 0>(q, 0, FullVector<T>{});
        if constexpr (k.rank > 0) f.template nest<0>(q);
    }
};

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
