// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/cpu/arena.hpp>
#include <sigma/device/cpu/fused.hpp>
#include <sigma/device/cpu/image_kernels.hpp>
#include <sigma/device/cpu/move.hpp>
#include <sigma/device/cpu/packed.hpp>
#include <sigma/device/cpu/pool.hpp>
#include <sigma/device/cpu/product.hpp>
#include <sigma/device/cpu/random.hpp>

#include <algorithm>

namespace sigma::simd {

/// Runs the kernels of a plan. Tensors from outside are bound by pointer and must be dense and stay alive; parameters
/// and states have rows padded to whole vectors. Nothing is allocated while it runs, unless the batch outgrows every
/// earlier one.
template <class P, class T>
class Executor {
public:
    static constexpr auto& plan = P::plan;
    static constexpr int kernel_count = plan.kernels.size();

    Executor() {
        std::fill_n(external_, buffer_count, nullptr);
        if constexpr (packed_size<T>(plan) > 0) packed_ = Arena<T>(packed_size<T>(plan));
    }
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    void bind_input(int i, const T* data) { bind(Buffer::Where::input, i, const_cast<T*>(data)); }
    void bind_output(int i, T* data) { bind(Buffer::Where::output, i, data); }
    void bind_parameter(int i, T* data) { bind(Buffer::Where::parameter, i, data); }
    void bind_state(int i, T* data) { bind(Buffer::Where::state, i, data); }

    RandomKey random{};

    /// Number of records of the next steps; 1 where nothing is batched.
    void prepare(std::ptrdiff_t records) {
        if (records > capacity_) {
            capacity_ = records;
            arena_ = Arena<T>(static_cast<std::size_t>(plan.fixed_size) +
                              static_cast<std::size_t>(plan.batched_size) * static_cast<std::size_t>(records));
            for (int b : plan.iotas)
                for (int i = 0; i < plan.buffers[b].shape.last(); ++i) arena_.data()[plan.buffers[b].offset + i] = static_cast<T>(i);
            dirty_ = true;
        }
        if (records != records_) {
            records_ = records;
            if constexpr (plan.reciprocal >= 0)
                arena_.data()[plan.buffers[plan.reciprocal].offset] = T(1) / static_cast<T>(records);
            resolve_sizes();
        }
        if (dirty_) resolve_pointers();
    }
    std::ptrdiff_t records() const { return records_; }
    /// What is bound to a buffer of the plan.
    T* bound(int buffer) const { return external_[buffer]; }
    std::size_t arena_bytes() const { return (arena_.size() + packed_.size()) * sizeof(T); }

    /// All kernels, one after the other.
    void run() {
        if constexpr (uses(Kernel::Kind::convolution) || uses(Kernel::Kind::pooling)) {
            for (int stage = 0, first = 0; stage < plan.stages; ++stage) {
                int end = first;
                while (end < kernel_count && plan.kernels[end].stage == stage) ++end;
                if (stage % 2 == 1) pack(first, end), run_records(first, end, {0, records_});
                else run_range(first, end);
                first = end;
            }
        } else {
            run_range(0, kernel_count);
        }
    }

    /// The same on the threads of a pool; the same bits, however many they are.
    void run(Pool& pool) {
        constexpr long long worthwhile = 200'000;
        if (pool.threads() == 1 || work() * records_ < worthwhile) return run();
        for (int stage = 0, first = 0; stage < plan.stages; ++stage) {
            int end = first;
            while (end < kernel_count && plan.kernels[end].stage == stage) ++end;
            if (end > first) stage % 2 == 1 ? run_local(pool, first, end) : run_shared(pool, first, end);
            first = end;
        }
    }

private:
    static constexpr int buffer_count = plan.buffers.size() > 0 ? plan.buffers.size() : 1;
    static constexpr int argument_count = plan.arguments.size() > 0 ? plan.arguments.size() : 1;
    using Function = void (*)(T* const*, const Strides*, const std::ptrdiff_t*);

    Arena<T> arena_, packed_;
    T* external_[buffer_count];
    T* pointers_[argument_count]{};
    Strides strides_[argument_count]{};
    std::ptrdiff_t extents_[kernel_count > 0 ? kernel_count : 1][max_rank]{};
    std::ptrdiff_t capacity_ = 0, records_ = 0;
    bool dirty_ = true;

    template <int i>
    static constexpr Function function() {
        constexpr int canonical = plan.kernels[i].canonical;
        if constexpr (canonical >= 0) return &Fused<P, canonical, T>::run;
        else return nullptr;
    }
    template <int... i>
    static constexpr auto make_functions(std::integer_sequence<int, i...>) {
        return Frozen<Function, kernel_count>{{function<i>()...}};
    }
    static constexpr auto functions = make_functions(std::make_integer_sequence<int, kernel_count>{});

    void bind(Buffer::Where where, int number, T* data) {
        for (int b = 0; b < plan.buffers.size(); ++b)
            if (plan.buffers[b].where == where && plan.buffers[b].offset == number && external_[b] != data) {
                external_[b] = data;
                dirty_ = true;
            }
    }
    T* base(int b) const {
        const Buffer& buffer = plan.buffers[b];
        if (buffer.where == Buffer::Where::fixed) return arena_.data() + buffer.offset;
        if (buffer.where == Buffer::Where::batched) return arena_.data() + plan.fixed_size + buffer.offset * capacity_;
        return external_[b];
    }
    void resolve_pointers() {
        for (int a = 0; a < plan.arguments.size(); ++a) {
            T* p = base(plan.arguments[a].buffer);
            pointers_[a] = p ? p + resolve(plan.arguments[a].offset, records_) : nullptr;
        }
        dirty_ = false;
    }
    void resolve_sizes() {
        for (int a = 0; a < plan.arguments.size(); ++a)
            for (int i = 0; i < max_rank; ++i) strides_[a][i] = resolve(plan.arguments[a].stride[i], records_);
        for (int k = 0; k < kernel_count; ++k)
            for (int i = 0; i < max_rank; ++i) extents_[k][i] = resolve(plan.kernels[k].extent[i], records_);
        dirty_ = true;
    }

    struct Records {
        std::ptrdiff_t first, count;
    };
    void run_kernel(int number, T* const* p, const std::ptrdiff_t* extent, Records records) const {
        const Kernel& k = plan.kernels[number];
        const Strides* s = strides_ + k.argument;
        switch (k.kind) {
            case Kernel::Kind::rows:
            case Kernel::Kind::columns: return functions[number](p, s, extent);
            case Kernel::Kind::product:
                if constexpr (uses(Kernel::Kind::product)) run_product(number, p, s, extent);
                return;
            case Kernel::Kind::transpose:
                for (std::ptrdiff_t i = 0; i < extent[2]; ++i)
                    for (std::ptrdiff_t j = 0; j < extent[3]; ++j)
                        transpose(p[0] + i * s[0][1] + j * s[0][2], s[0][0], static_cast<int>(extent[0]),
                                  static_cast<int>(extent[1]), p[1] + i * s[1][1] + j * s[1][2], s[1][0]);
                return;
            case Kernel::Kind::move:
                if (k.clear != 0)
                    std::fill_n(p[1] - resolve(plan.arguments[k.argument + 1].offset, records_),
                                resolve(k.clear, records.count), T(0));
                return move<T>(p[0], p[1], k.rank, extent, s[0], s[1]);
            case Kernel::Kind::convolution:  // instantiated only where the plan has such kernels
                if constexpr (uses(Kernel::Kind::convolution))
                    run_convolution<convolution_needs<T>(plan)>(k, p, s, extent);
                return;
            case Kernel::Kind::pooling:
                if constexpr (uses(Kernel::Kind::pooling)) run_pooling(k, p, s, extent);
                return;
            case Kernel::Kind::lookup:
                if constexpr (uses(Kernel::Kind::lookup)) run_lookup(k, p, s, extent);
                return;
            case Kernel::Kind::argmax: return argmax<T>(p[0], p[1], 0, k.rank, extent, s[0], s[1]);
            case Kernel::Kind::fill_uniform: {
                const std::ptrdiff_t rows_each = k.local ? -k.extent[0] : 0;
                return fill_uniform<T>(p[0], records.first * rows_each, extent[0], extent[1], s[0][0],
                                       static_cast<std::uint32_t>(k.stream), random);
            }
        }
    }
    static constexpr bool uses(Kernel::Kind kind) {
        for (const Kernel& k : plan.kernels)
            if (k.kind == kind) return true;
        return false;
    }

    void run_product(int number, T* const* p, const Strides* s, const std::ptrdiff_t* extent) const {
        const Kernel& k = plan.kernels[number];
        const bool transposed = k.operation == Operation::transposed_dot;
        T alpha = static_cast<T>(k.alpha);
        if (k.arguments == 4) alpha = p[3][0];
        ProductArguments<T> a{extent[0], extent[1], extent[2], p[0], transposed ? 1 : s[0][0], transposed ? s[0][0] : 1,
                              p[1],      s[1][0],   p[2],      s[2][0], k.negative ? -alpha : alpha, k.accumulate,
                              k.tail == Kernel::Tail::none};
        if constexpr (packed_size<T>(plan) > 0)
            if (is_packed(number)) a.packed = packed_.data() + packed_at[number];
        for (std::ptrdiff_t i = 0; i < extent[3]; ++i)
            for (std::ptrdiff_t j = 0; j < extent[4]; ++j) {
                a.a = p[0] + i * s[0][1] + j * s[0][2];
                a.b = p[1] + i * s[1][1] + j * s[1][2];
                a.c = p[2] + i * s[2][1] + j * s[2][2];
                product(a);
            }
    }

    // ---- weights that a loop multiplies by again and again ----

    template <int... i>
    static constexpr auto make_packed(std::integer_sequence<int, i...>) {
        return Frozen<std::ptrdiff_t, kernel_count>{{packed_offset<T>(plan, i)...}};
    }
    static constexpr auto packed_at = make_packed(std::make_integer_sequence<int, kernel_count>{});
    /// Few rows read B faster where it is.
    bool is_packed(int number) const { return packs_once<T>(plan, number) && extents_[number][0] >= 6; }
    /// For all loops among these kernels.
    void pack(int first, int end) const {
        if constexpr (packed_size<T>(plan) > 0)
            for (int i = first; i < end; ++i) {
                const Kernel& k = plan.kernels[i];
                if (is_packed(i))
                    pack_whole<T>(pointers_[k.argument + 1], strides_[k.argument + 1][0], k.extent[1], k.extent[2],
                                  k.tail == Kernel::Tail::none, packed_.data() + packed_at[i]);
            }
    }

    // ---- threads ----

    /// Multiplications per record, roughly: what tells whether waking a thread pays.
    static constexpr long long work() {
        long long n = 0;
        for (const Kernel& k : plan.kernels) {
            long long each = 1;
            for (int i = 0; i < (k.kind == Kernel::Kind::product ? 5 : k.rank); ++i) each *= k.extent[i] < 0 ? -k.extent[i] : k.extent[i];
            if (k.loop >= 0) each *= plan.loops[k.loop].count;
            if (k.local || k.kind == Kernel::Kind::product) n += k.kind == Kernel::Kind::product ? each : 4 * each;
        }
        return n;
    }
    void run_range(int first, int end) const {
        if constexpr (plan.loops.size() == 0) {
            for (int i = first; i < end; ++i) run_kernel(i, pointers_ + plan.kernels[i].argument, extents_[i], {0, records_});
            return;
        }
        each_step(first, end, [&](int i, std::ptrdiff_t position) {
            const Kernel& k = plan.kernels[i];
            if (k.loop < 0) return run_kernel(i, pointers_ + k.argument, extents_[i], {0, records_});
            T* p[argument_count];
            for (int a = 0; a < k.arguments; ++a)
                p[a] = pointers_[k.argument + a] + position * plan.arguments[k.argument + a].time;
            run_kernel(i, p, extents_[i], {0, records_});
        }, [&](const PlannedLoop& loop) { pack(loop.first, loop.end); });
    }
    /// Calls `f(kernel, position)` for each kernel, those of a loop over time again and again, after `begin(loop)`.
    template <class F, class Begin>
    static void each_step(int first, int end, F f, Begin begin) {
        for (int i = first; i < end;) {
            if (plan.kernels[i].loop < 0) {
                f(i++, 0);
                continue;
            }
            const PlannedLoop& loop = plan.loops[plan.kernels[i].loop];
            begin(loop);
            for (int t = 0; t < loop.count; ++t)
                for (int j = loop.first; j < loop.end; ++j) f(j, loop.backwards ? loop.count - 1 - t : t);
            i = loop.end;
        }
    }
    static constexpr bool has_loop(int first, int end) {
        for (int i = first; i < end; ++i)
            if (plan.kernels[i].loop >= 0) return true;
        return false;
    }
    /// Local kernels over some records. What kernels over images hand on to each other is large: they take so few records
    /// at a time that it stays in the cache. Products want many.
    void run_records(int first, int end, Records records) const {
        constexpr std::ptrdiff_t space = 192 * 1024;
        const auto on_images = [](int i) {
            const auto kind = plan.kernels[i].kind;
            return kind == Kernel::Kind::convolution || kind == Kernel::Kind::pooling;
        };
        for (int last = first; first < end; first = last) {
            bool images = false;
            std::ptrdiff_t bytes = 0;  // a record
            for (; last < end && plan.kernels[last].kind != Kernel::Kind::product && plan.kernels[last].loop < 0; ++last) {
                images = images || on_images(last);
                const Kernel& k = plan.kernels[last];
                for (int a = k.argument; a < k.argument + k.arguments; ++a)
                    if (plan.arguments[a].written) bytes += plan.arguments[a].record * static_cast<int>(sizeof(T));
            }
            if (last == first) last = plan.kernels[first].loop < 0 ? first + 1 : plan.loops[plan.kernels[first].loop].end;
            const std::ptrdiff_t size = images && bytes > 0 ? std::max<std::ptrdiff_t>(1, space / bytes) : records.count;
            for (std::ptrdiff_t at = 0; at < records.count; at += size)
                each_step(first, last, [&](int i, std::ptrdiff_t position) {
                    run_local_kernel(i, {records.first + at, std::min(size, records.count - at)}, position);
                }, [](const PlannedLoop&) {});
        }
    }
    void run_local_kernel(int number, Records records, std::ptrdiff_t position) const {
        const Kernel& k = plan.kernels[number];
        std::ptrdiff_t extent[max_rank];
        T* p[argument_count];
        for (int x = 0; x < max_rank; ++x) extent[x] = resolve(k.extent[x], records.count);
        for (int a = 0; a < k.arguments; ++a) {
            const Argument& argument = plan.arguments[k.argument + a];
            p[a] = pointers_[k.argument + a] + records.first * argument.record + position * argument.time;
        }
        run_kernel(number, p, extent, records);
    }
    /// Each thread takes some records through all kernels of the stage.
    void run_local(Pool& pool, int first, int end) {
        // Each position of a loop reads its weights again: then a few large and even parts are better than many small ones.
        const bool loops = has_loop(first, end);
        const std::ptrdiff_t parts = (loops ? 1 : 4) * pool.threads(), tile = loops ? 2 : 6;
        const std::ptrdiff_t wanted = (records_ + parts - 1) / parts;
        const std::ptrdiff_t size = (wanted + tile - 1) / tile * tile;
        auto chunk = [&](int number) noexcept {
            run_records(first, end, {number * size, std::min(size, records_ - number * size)});
        };
        pack(first, end);
        pool.run(static_cast<int>((records_ + size - 1) / size), chunk);
    }

    /// How a kernel that is not local is cut: along which loop, into pieces of what size. Every element is computed
    /// whole by one thread, in the order in which one thread alone would.
    struct Cut {
        int loop = -1;
        std::ptrdiff_t size = 0;
        std::ptrdiff_t pieces = 1;
    };
    Cut cut_of(int number, int threads) const {
        const Kernel& k = plan.kernels[number];
        if (k.loop >= 0) return {-1, 0, plan.loops[k.loop].first == number ? 1 : 0};
        const std::ptrdiff_t* extent = extents_[number];
        Cut cut;
        if (k.kind == Kernel::Kind::product && !k.each) {
            // Each piece packs B anew: four a thread, but two where four would have fewer rows than it pays to pack A for.
            const std::ptrdiff_t share = extent[0] / threads, least = 48, enough = 96;
            const std::ptrdiff_t size = std::max({share / 4, std::min(share / 2, enough), least});
            cut = {0, (size + 5) / 6 * 6};  // whole tiles
        } else if (k.kind == Kernel::Kind::transpose && extent[2] * extent[3] == 1) {
            cut = {0, 64};
        } else if (k.operation == Operation::convolve_weights && k.kind == Kernel::Kind::convolution) {
            cut = {4, extent[3] <= lanes<T> ? 9 : 18};  // rows of tiles
        } else if (k.operation == Operation::scatter_add && k.kind == Kernel::Kind::lookup) {
            cut = {4, std::max<std::ptrdiff_t>(1, (extent[4] + 7) / 8)};  // each piece reads all ids
        } else if (k.kind == Kernel::Kind::columns && k.outer == 0) {
            cut = {k.rank - 1, k.rank - 1 == k.reduced ? 4 * 4 * lanes<T> : extent[k.rank - 1]};
        } else if (k.kind == Kernel::Kind::rows && k.rank > 0 && (k.outer > 0 || !reduces(k))) {
            std::ptrdiff_t inside = 1;
            for (int i = 1; i < k.rank; ++i) inside *= extent[i];
            constexpr std::ptrdiff_t elements = 8192;  // a multiple of any vector
            cut = {0, std::max<std::ptrdiff_t>(1, elements / std::max<std::ptrdiff_t>(1, inside))};
        }
        if (cut.loop >= 0 && extent[cut.loop] > 0) cut.pieces = (extent[cut.loop] + cut.size - 1) / cut.size;
        return cut;
    }
    static constexpr bool reduces(const Kernel& k) {
        for (int i = 0; i < k.instructions; ++i)
            if (plan.instructions[k.instruction + i].step == Instruction::Step::reduce) return true;
        return false;
    }
    void run_piece(int number, const Cut& cut, std::ptrdiff_t piece) {
        const Kernel& k = plan.kernels[number];
        if (k.loop >= 0) return run_range(number, plan.loops[k.loop].end);
        if (cut.loop < 0) return run_kernel(number, pointers_ + k.argument, extents_[number], {0, records_});
        const std::ptrdiff_t first = piece * cut.size;
        std::ptrdiff_t extent[max_rank];
        std::copy_n(extents_[number], max_rank, extent);
        extent[cut.loop] = std::min(cut.size, extent[cut.loop] - first);
        T* p[argument_count];
        const Strides* s = strides_ + k.argument;
        for (int a = 0; a < k.arguments; ++a) {
            p[a] = pointers_[k.argument + a];
            if (k.kind == Kernel::Kind::product) {
                const bool transposed = k.operation == Operation::transposed_dot;
                if (a == 0) p[a] += first * (transposed ? 1 : s[a][0]);
                if (a == 2) p[a] += first * s[a][0];
            } else if (k.kind == Kernel::Kind::transpose) {
                p[a] += first * (a == 0 ? s[a][0] : 1);
            } else if (k.kind == Kernel::Kind::convolution) {
                extent[5] = first;
            } else if (k.kind == Kernel::Kind::lookup) {
                extent[3] = first;
            } else {
                p[a] += first * s[a][cut.loop];
            }
        }
        run_kernel(number, p, extent, {0, records_});
    }
    /// The kernels of the stage, in pieces, to whoever is free.
    void run_shared(Pool& pool, int first, int end) {
        Cut cuts[kernel_count > 0 ? kernel_count : 1];
        int total = 0;
        for (int i = first; i < end; ++i) {
            cuts[i] = cut_of(i, pool.threads());
            total += static_cast<int>(cuts[i].pieces);
        }
        auto piece = [&](int number) noexcept {
            int i = first;
            for (; number >= cuts[i].pieces; ++i) number -= static_cast<int>(cuts[i].pieces);
            run_piece(i, cuts[i], number);
        };
        pool.run(total, piece);
    }
};

}  // namespace sigma::simd
