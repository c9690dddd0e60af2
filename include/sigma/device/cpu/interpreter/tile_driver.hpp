// SPDX-License-Identifier: BSL-1.0
// The driver that runs a fused kernel tile by tile.
#pragma once
#include <sigma/device/cpu/algorithm.hpp>
#include <sigma/device/cpu/interpreter/tile.hpp>
#include <sigma/device/cpu/math.hpp>

namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS {

namespace tiles {

template <class T>
class Driver {
public:
    static constexpr std::ptrdiff_t W = lanes<T>;
    using Code = TileCode<T>;
    using Walk = typename Code::Walk;

    /// Constructs a driver. `at` and `step` have room for all places, `memory` for the places that are not arguments.
    Driver(const Code& code, T* const* arguments, const Strides* strides, const std::ptrdiff_t* extents, T** at,
           std::ptrdiff_t* step, T* memory, T* kept)
        : code_(code), strides_(strides), extent_(extents), at_(at), step_(step),
          length_(code.rank > 0 ? extents[code.rank - 1] : 1), vectors_((length_ + W - 1) / W),
          rest_(static_cast<int>(length_ % W)), flat_(length_ == code.length), kept_(kept) {
        int place = 0;
        const auto next = [&](T* where, std::ptrdiff_t s) {
            at_[place] = where;
            step_[place++] = s;
        };
        for (int a = 0; a < code.arguments; ++a)
            next(arguments[a], code.rows_loop >= 0 ? strides[a][code.rows_loop] : 0);
        for (int i = 0; i < code.constants; ++i) next(const_cast<T*>(code.constant_values) + i * W, 0);
        for (int i = 0; i < code.equal; ++i, memory += W) next(memory, 0);
        for (int i = 0; i < code.numbers; ++i, memory += tile_rows) next(memory, code.numbers_step);
        const std::ptrdiff_t width = min_of<std::ptrdiff_t>(vectors_, code.tile) * W;
        for (int i = 0; i < code.totals + code.tiles; ++i, memory += room_of(code.tile) * W) next(memory, width);
    }
    /// Returns the number of rows of the result whose totals are kept between blocks of a reduction, or 0 if the
    /// reduction runs row after row. If all rows reduce the same loop, what they all read can stay in the cache.
    static std::ptrdiff_t rows_kept(const Code& code, const std::ptrdiff_t* extents) {
        if (code.walk != Walk::columns || code.reduced != 1 || code.rank != code.outer + 3) return 0;
        const std::ptrdiff_t rows = extents[code.outer + 1], vectors = (extents[code.rank - 1] + W - 1) / W;
        if (extents[code.outer] <= sum_block || rows < 2 || vectors == 0 || vectors > code.tile) return 0;
        constexpr std::ptrdiff_t most = 2048;  // elements
        return min_of(rows, max_of<std::ptrdiff_t>(1, most / (vectors * W)));
    }
    /// Returns the distance of tiles in vectors. Distances of a power of two would use few lines of the cache.
    static constexpr int room_of(int tile) { return tile + 1; }
    void run() {
        execute(code_.once, {at_, step_, 1, 1, 1, 0, 1, false});
        int loop = 0;
        asm("" : "+r"(loop));  // otherwise g++ makes a copy of the function for each loop
        if (code_.rank > 0) outside(loop);
    }

private:
    const Code& code_;
    const Strides* strides_;
    const std::ptrdiff_t* extent_;
    T** at_;
    std::ptrdiff_t* step_;
    const std::ptrdiff_t length_, vectors_;  ///< elements and vectors of a row
    const int rest_;
    const bool flat_;
    T* const kept_;             ///< totals of several rows, if it is not null
    std::ptrdiff_t terms_ = 0;  ///< terms of sums in the current block

    static void execute(const typename Code::Operations& operations, const Tile<T>& t) {
        for (const TileOperation<T>* n = operations.first; n != operations.last; ++n) n->run(t, *n);
    }
    /// Returns the tile of some rows and their vectors from `c` on.
    Tile<T> tile(std::ptrdiff_t rows, std::ptrdiff_t c, std::ptrdiff_t vectors) const {
        const bool cut = rest_ != 0 && c + vectors == vectors_;
        const int count = static_cast<int>(vectors);
        return {at_, step_, static_cast<int>(rows), count, count - cut, cut ? rest_ : 0, static_cast<int>(rows), flat_};
    }
    [[gnu::noinline]] void advance(int loop, std::ptrdiff_t by) {
        for (int a = 0; a < code_.arguments; ++a) at_[a] += by * strides_[a][loop];
    }
    /// Advances the arguments along a row. Does nothing if the row is one tile.
    void shift(std::ptrdiff_t vectors) {
        if (vectors_ <= min_of(code_.tile, sum_block)) return;
        for (int a = 0; a < code_.arguments; ++a)
            if (code_.along[a]) at_[a] += vectors * W;
    }
    std::ptrdiff_t rows_at_once() const {
        return max_of<std::ptrdiff_t>(
            1, min_of<std::ptrdiff_t>(tile_rows, code_.tile / max_of<std::ptrdiff_t>(1, vectors_)));
    }
    /// Runs the operations once per row for some rows. Functions process the numbers of rows by whole vectors.
    void once_a_row(int sweep, std::ptrdiff_t rows) {
        const auto& operations = code_.sweep[sweep].rows;
        if (operations.first == operations.last) return;
        const int count = static_cast<int>(rows), vectors = static_cast<int>((rows + W - 1) / W);
        execute(operations, {at_, step_, 1, vectors, vectors, 0, count, false});
    }

    // Recursive functions are not inlined into themselves.
    [[gnu::noinline]] void outside(int loop) {
        const bool together = code_.walk == Walk::map || code_.walk == Walk::rows;
        if (together && loop == code_.outer - 1) return rows_of(loop);
        if (loop < code_.outer) {
            for (std::ptrdiff_t i = 0; i < extent_[loop]; ++i) {
                outside(loop + 1);
                advance(loop, 1);
            }
            return advance(loop, -extent_[loop]);
        }
        if (code_.walk == Walk::columns) return kept_ ? columns_by_blocks() : columns(code_.outer + code_.reduced);
        if (code_.walk == Walk::row) return row();
        rows(1);
    }
    void rows_of(int loop) {
        const std::ptrdiff_t count = extent_[loop], most = rows_at_once();
        if (count > 0 && count <= most) return rows(count);
        for (std::ptrdiff_t i = 0; i < count; i += most) {
            const std::ptrdiff_t now = min_of(most, count - i);
            rows(now);
            advance(loop, now);
        }
        advance(loop, -count);
    }
    void rows(std::ptrdiff_t count) {
        if (code_.walk == Walk::rows) {
            for (int sweep = 0; sweep < code_.sweeps; ++sweep) {
                once_a_row(sweep, count);
                execute(code_.sweep[sweep].vectors, tile(count, 0, vectors_));
            }
            return;
        }
        for (int sweep = 0; sweep < code_.sweeps; ++sweep) {
            once_a_row(sweep, count);
            for (std::ptrdiff_t c = 0; c < vectors_; c += code_.tile) {
                const std::ptrdiff_t now = min_of<std::ptrdiff_t>(code_.tile, vectors_ - c);
                execute(code_.sweep[sweep].vectors, tile(count, c, now));
                shift(now);
            }
            shift(-vectors_);
        }
    }

    // ---- one row, reduced ----

    static void fill(T* to, std::ptrdiff_t vectors, T value) {
        for (std::ptrdiff_t c = 0; c < vectors; ++c) FullVector<T>{}.store(to + c * W, Vector<T>(value));
    }
    void open(const typename Code::Sweep& s, std::ptrdiff_t vectors) {
        terms_ = 0;
        for (const TileReduction* r = s.reductions; r != s.reductions_end; ++r) {
            fill(at_[r->total], vectors, start_of(r->operation));
            if (r->settled >= 0) fill(at_[r->settled], vectors, T(0));
        }
    }
    static T start_of(sigma::detail::Operation o) {
        return o == sigma::detail::Operation::sum              ? neutral<sigma::detail::Operation::sum, T>()
               : o == sigma::detail::Operation::reduce_maximum ? neutral<sigma::detail::Operation::reduce_maximum, T>()
                                                               : neutral<sigma::detail::Operation::reduce_minimum, T>();
    }
    static T across_all(sigma::detail::Operation o, Vector<T> v) {
        return o == sigma::detail::Operation::sum              ? across<sigma::detail::Operation::sum, T>(v)
               : o == sigma::detail::Operation::reduce_maximum ? across<sigma::detail::Operation::reduce_maximum, T>(v)
                                                               : across<sigma::detail::Operation::reduce_minimum, T>(v);
    }
    static void add(T* to, const T* x, const T* y, std::ptrdiff_t vectors) {
        for (std::ptrdiff_t c = 0; c < vectors * W; c += W)
            FullVector<T>{}.store(to + c, FullVector<T>{}.load(x + c) + FullVector<T>{}.load(y + c));
    }
    static void settle(T* settled, T* total, std::ptrdiff_t vectors) {
        for (std::ptrdiff_t c = 0; c < vectors * W; c += W) {
            Vector<T> part = FullVector<T>{}.load(total + c);
            FullVector<T>{}.store(settled + c, settled_sum(FullVector<T>{}.load(settled + c), part));
            FullVector<T>{}.store(total + c, part);
        }
    }
    /// Counts added terms, and ends the block if it is complete.
    void count_terms(const typename Code::Sweep& s, std::ptrdiff_t n, std::ptrdiff_t block, std::ptrdiff_t vectors) {
        terms_ += n;
        if (terms_ < block) return;
        terms_ = 0;
        for (const TileReduction* r = s.reductions; r != s.reductions_end; ++r) {
            if (r->settled < 0) continue;
            settle(at_[r->settled], at_[r->total], vectors);
        }
    }
    template <sigma::detail::Operation o>
    static void join(T* total) {
        const auto at = [&](int u) { return FullVector<T>{}.load(total + u * W); };
        FullVector<T>{}.store(total, together<o, T>(at(0), at(1), at(2), at(3), Mask<T>{}));
        fill(total + W, row_totals - 1, neutral<o, T>());
    }
    /// Completes the totals at the end of a row or of a block of a row.
    void join(const typename Code::Sweep& s) {
        for (const TileReduction* r = s.reductions; r != s.reductions_end; ++r) {
            T* const total = at_[r->total];
            if (r->operation == sigma::detail::Operation::sum) join<sigma::detail::Operation::sum>(total);
            else if (r->operation == sigma::detail::Operation::reduce_maximum)
                join<sigma::detail::Operation::reduce_maximum>(total);
            else join<sigma::detail::Operation::reduce_minimum>(total);
        }
    }
    void row() {
        for (int number = 0; number < code_.sweeps; ++number) {
            const auto& sweep = code_.sweep[number];
            once_a_row(number, 1);
            open(sweep, row_totals);
            along(code_.outer, sweep);
            for (const TileReduction* r = sweep.reductions; r != sweep.reductions_end; ++r) {
                Vector<T> v = FullVector<T>{}.load(at_[r->total]);
                if (r->settled >= 0) v = FullVector<T>{}.load(at_[r->settled]) + v;
                const T result = across_all(r->operation, v);
                fill(at_[r->total], 1, result);
                if (r->argument >= 0) at_[r->argument][0] = result;
            }
        }
    }
    static constexpr std::ptrdiff_t row_block = sum_block * W;
    [[gnu::noinline]] void along(int loop, const typename Code::Sweep& sweep) {
        if (loop + 2 == code_.rank && vectors_ <= min_of(code_.tile, sum_block)) return short_rows(loop, sweep);
        if (loop + 1 < code_.rank) {
            for (std::ptrdiff_t i = 0; i < extent_[loop]; ++i) {
                along(loop + 1, sweep);
                advance(loop, 1);
            }
            return advance(loop, -extent_[loop]);
        }
        for (std::ptrdiff_t c = 0; c < vectors_;) {
            const std::ptrdiff_t block_end = code_.blocks ? (c / sum_block + 1) * sum_block : vectors_;
            const std::ptrdiff_t now =
                min_of(min_of<std::ptrdiff_t>(vectors_, block_end) - c, std::ptrdiff_t{code_.tile});
            execute(sweep.vectors, tile(1, c, now));
            shift(now);
            c += now;
            if (code_.blocks && c % sum_block == 0 && length_ > c * W) {
                join(sweep);
                count_terms(sweep, row_block, row_block, 1);
            }
        }
        shift(-vectors_);
        join(sweep);
        if (code_.rank - code_.outer > 1 && length_ > 0)
            count_terms(sweep, length_ - (length_ - 1) / row_block * row_block, row_block, 1);
    }
    /// Processes rows of the second to last loop, as many at once as end in the same block.
    void short_rows(int loop, const typename Code::Sweep& sweep) {
        const std::ptrdiff_t count = extent_[loop], most = rows_at_once();
        for (std::ptrdiff_t i = 0; i < count && length_ > 0;) {
            const std::ptrdiff_t left = length_ < row_block ? (row_block - terms_ + length_ - 1) / length_ : 1;
            const std::ptrdiff_t now = min_of(min_of(most, count - i), left);
            execute(sweep.vectors, tile(now, 0, vectors_));
            join(sweep);
            count_terms(sweep, now * length_, row_block, 1);
            advance(loop, now);
            i += now;
        }
        advance(loop, -count);
    }

    // ---- columns ----

    [[gnu::noinline]] void columns(int loop) {
        if (loop + 1 < code_.rank) {
            for (std::ptrdiff_t i = 0; i < extent_[loop]; ++i) {
                columns(loop + 1);
                advance(loop, 1);
            }
            return advance(loop, -extent_[loop]);
        }
        for (std::ptrdiff_t c = 0; c < vectors_; c += code_.tile) {
            const std::ptrdiff_t now = min_of<std::ptrdiff_t>(code_.tile, vectors_ - c);
            some_columns(c, now);
            shift(now);
        }
        shift(-vectors_);
    }
    void some_columns(std::ptrdiff_t c, std::ptrdiff_t vectors) {
        const auto& sweep = code_.sweep[0];
        open(sweep, vectors);
        down(code_.outer, sweep, c, vectors);
        close_columns(c, vectors);
    }
    void close_columns(std::ptrdiff_t c, std::ptrdiff_t vectors) {
        const auto& sweep = code_.sweep[0];
        const Tile<T> t = tile(1, c, vectors);
        for (const TileReduction* r = sweep.reductions; r != sweep.reductions_end; ++r) {
            T* const total = at_[r->total];
            if (r->settled >= 0) add(total, at_[r->settled], total, vectors);
            if (r->argument < 0) continue;
            T* const to = at_[r->argument];
            for (std::ptrdiff_t v = 0; v < t.whole * W; v += W)
                FullVector<T>{}.store(to + v, FullVector<T>{}.load(total + v));
            if (t.rest) MaskedVector<T>{t.rest}.store(to + t.whole * W, FullVector<T>{}.load(total + t.whole * W));
        }
        for (int after = 1; after < code_.sweeps; ++after) execute(code_.sweep[after].vectors, t);
    }
    /// Selects the kept totals of a row of the result.
    void select(std::ptrdiff_t row, std::ptrdiff_t rows) {
        T* next = kept_ + row * vectors_ * W;
        const auto take = [&](int place) {
            at_[place] = next;
            next += rows * vectors_ * W;
        };
        for (const TileReduction* r = code_.sweep[0].reductions; r != code_.sweep[0].reductions_end; ++r) {
            take(r->total);
            if (r->settled >= 0) take(r->settled);
        }
    }
    /// Works like `columns`, but reads a tile of the reduction for many rows of the result before the next tile. Each
    /// element is summed in the same order.
    [[gnu::noinline]] void columns_by_blocks() {
        const int loop = code_.outer, over = loop + 1;
        const auto& sweep = code_.sweep[0];
        const std::ptrdiff_t n = extent_[loop], at_once = rows_kept(code_, extent_);
        const std::ptrdiff_t most = code_.tiles ? rows_at_once() : sum_block;
        for (std::ptrdiff_t first = 0, rows = 0; first < extent_[over]; first += rows) {
            rows = min_of(at_once, extent_[over] - first);
            const auto each = [&](const auto& work) {
                for (std::ptrdiff_t row = 0; row < rows; ++row) {
                    select(row, rows);
                    work();
                    advance(over, 1);
                }
                advance(over, -rows);
            };
            each([&] { open(sweep, vectors_); });
            for (std::ptrdiff_t begin = 0, end = 0; begin < n; begin = end) {
                end = min_of<std::ptrdiff_t>(n, begin + sum_block);
                for (std::ptrdiff_t i = begin, now = 0; i < end; i += now) {
                    now = min_of(most, end - i);
                    each([&] { execute(sweep.vectors, tile(now, 0, vectors_)); });
                    advance(loop, now);
                }
                if (end < n) each([&] { count_terms(sweep, sum_block, sum_block, vectors_); });
            }
            advance(loop, -n);
            each([&] { close_columns(0, vectors_); });
            advance(over, rows);
        }
        advance(over, -extent_[over]);
    }
    [[gnu::noinline]] void down(int loop, const typename Code::Sweep& sweep, std::ptrdiff_t c, std::ptrdiff_t vectors) {
        if (loop == code_.outer + code_.reduced) return execute(sweep.vectors, tile(1, c, vectors));
        if (loop + 1 < code_.outer + code_.reduced) {
            for (std::ptrdiff_t i = 0; i < extent_[loop]; ++i) {
                down(loop + 1, sweep, c, vectors);
                advance(loop, 1);
            }
            return advance(loop, -extent_[loop]);
        }
        const std::ptrdiff_t n = extent_[loop];
        // Rows of a tile are as far apart as those of the widest tile, so fewer fit at the end of long rows.
        const std::ptrdiff_t most = code_.tiles ? rows_at_once() : sum_block;
        for (std::ptrdiff_t begin = 0, end = 0; begin < n; begin = end) {
            end = min_of<std::ptrdiff_t>(n, begin + sum_block);
            for (std::ptrdiff_t i = begin, now = 0; i < end; i += now) {
                now = min_of(most, end - i);
                execute(sweep.vectors, tile(now, c, vectors));
                advance(loop, now);
            }
            if (code_.reduced > 1 || end < n) count_terms(sweep, end - begin, sum_block, vectors);
        }
        advance(loop, -n);
    }
};

}  // namespace tiles

/// Runs one fused kernel. Values between its operations are on the stack of this function. It is not inlined, because
/// the memory would then be in use until the caller returns.
template <class T>
[[gnu::noinline]] void run_tiles(const TileCode<T>& code, T* const* arguments, const Strides* strides,
                                 const std::ptrdiff_t* extents) {
    constexpr std::size_t W = lanes<T>;
    const auto count = static_cast<std::size_t>(code.arguments + code.constants + code.equal + code.numbers +
                                                code.totals + code.tiles);
    const std::size_t memory =
        static_cast<std::size_t>(code.equal) * W + static_cast<std::size_t>(code.numbers) * tile_rows +
        static_cast<std::size_t>((code.totals + code.tiles) * tiles::Driver<T>::room_of(code.tile)) * W;
    const std::ptrdiff_t rows = tiles::Driver<T>::rows_kept(code, extents);
    T* kept = nullptr;
    if (rows > 0) {
        const auto of_row =
            static_cast<std::size_t>((extents[code.rank - 1] + lanes<T> - 1) / lanes<T> * code.totals) * W;
        kept = static_cast<T*>(__builtin_alloca_with_align(static_cast<std::size_t>(rows) * of_row * sizeof(T), 512));
    }
    auto** const at = static_cast<T**>(__builtin_alloca(count * sizeof(T*)));
    auto* const step = static_cast<std::ptrdiff_t*>(__builtin_alloca(count * sizeof(std::ptrdiff_t)));
    auto* const own = static_cast<T*>(__builtin_alloca_with_align(memory * sizeof(T), 512));
    tiles::Driver<T>(code, arguments, strides, extents, at, step, own, kept).run();
}

}  // namespace sigma::on_cpu::inline SIGMA_INSTRUCTIONS
