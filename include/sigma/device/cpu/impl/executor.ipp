// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/device/cpu/chosen_kernels.hpp>
#include <sigma/device/cpu/executor.hpp>
#include <sigma/device/cpu/image_kernels.hpp>
#include <sigma/device/cpu/packed.hpp>
#include <sigma/device/cpu/product_scratch.hpp>
#include <sigma/device/profiler.hpp>

#include <sigma/plan/product_forms.hpp>
#include <sigma/tape/custom_functions.hpp>

#include <algorithm>
#include <vector>

namespace sigma::on_cpu {

/// Returns the kernels of a program: its own, or those of the library.
template <class T>
const Kernels<T>& kernels_for(const sigma::detail::CompiledProgram<T>& program) {
#ifdef SIGMA_COMPILED
    if (!program.kernels) return kernels<T>();
#endif
    return *program.kernels;
}

/// Computes the extents of a kernel's loops for a number of records; for a product m, n, k and the numbers of products
/// along two axes.
inline void resolve_extents(const sigma::detail::Kernel& k, std::ptrdiff_t records, std::ptrdiff_t* extent) {
    static_assert(sigma::detail::max_rank >= 5);
    if (k.kind == sigma::detail::Kernel::Kind::product)
        for (const int coded : {k.product.m, k.product.n, k.product.k, k.product.count[0], k.product.count[1]})
            *extent++ = sigma::detail::resolve(coded, records);
    else if (const int* const coded = k.loop_extents())
        for (int i = 0; i < sigma::detail::max_rank; ++i) extent[i] = sigma::detail::resolve(coded[i], records);
}

/// Returns the number of bytes that a kernel writes for each record.
template <class T>
std::ptrdiff_t written_bytes(const sigma::detail::PlanView& plan, const sigma::detail::Kernel& k) {
    std::ptrdiff_t elements = 0;
    for (const sigma::detail::Argument& a : plan.arguments_of(k))
        if (a.written) elements += a.record;
    return elements * static_cast<std::ptrdiff_t>(sizeof(T));
}
inline bool is_over_images(const sigma::detail::Kernel& k) {
    return k.kind == sigma::detail::Kernel::Kind::convolution || k.kind == sigma::detail::Kernel::Kind::pooling;
}

/// Finds for each product the transposition of its B that it can do itself, strip by strip, or -1. The source must be
/// bound from outside, so that no kernel overwrites it unnoticed, and no thread of its stage may change it.
inline void find_turned(const sigma::detail::PlanView& plan, int* turned) {
    const std::vector<sigma::detail::ProductForm> forms = find_product_forms(plan);
    const int count = static_cast<int>(plan.kernels.size());
    const auto kernel = [&](int i) -> const sigma::detail::Kernel& {
        return plan.kernels[static_cast<std::size_t>(i)];
    };
    const auto buffer = [&](const sigma::detail::Argument& a) -> const sigma::detail::Buffer& {
        return plan.buffers[static_cast<std::size_t>(a.buffer)];
    };
    const auto may = [&](int product, int transposition) {
        const sigma::detail::Kernel& p = kernel(product);
        const sigma::detail::Buffer& source = buffer(plan.arguments_of(kernel(transposition))[0]);
        constexpr int least = 4096;  // elements; smaller copies are cheap
        if (p.loop >= 0 || p.product.each || p.product.n * p.product.k < least ||
            source.where == sigma::detail::Buffer::Where::fixed ||
            source.where == sigma::detail::Buffer::Where::batched)
            return false;
        for (int i = transposition; i < count && kernel(i).stage <= p.stage; ++i)
            for (const sigma::detail::Argument& a : plan.arguments_of(kernel(i)))
                if (a.written && buffer(a).where == source.where && buffer(a).offset == source.offset) return false;
        return true;
    };
    for (int i = 0; i < count; ++i) turned[i] = forms[static_cast<std::size_t>(i)].transposition;
    for (int i = 0; i < count; ++i)
        if (const int t = turned[i]; t >= 0 && !may(i, t))
            for (int j = 0; j < count; ++j)
                if (turned[j] == t) turned[j] = -1;
}

/// Returns roughly the number of multiplications for each record.
inline long long work_of(const sigma::detail::Kernel& k) {
    long long work = 1;
    const auto times = [&](int extent) { work *= extent < 0 ? -extent : extent; };
    if (k.kind == sigma::detail::Kernel::Kind::product) {
        for (const int n : {k.product.m, k.product.n, k.product.k, k.product.count[0], k.product.count[1]}) times(n);
        return work;
    }
    if (!k.local) return 0;
    if (const int* const extents = k.loop_extents())
        for (int i = 0; i < sigma::detail::max_rank; ++i) times(extents[i] == 0 ? 1 : extents[i]);
    if (k.kind == sigma::detail::Kernel::Kind::convolution) {
        const sigma::detail::ConvolutionKernel& c = k.convolution;
        for (const int n : {c.images, c.positions(), c.outputs, c.weights_rows()}) times(n);
    }
    if (k.kind == sigma::detail::Kernel::Kind::pooling) {
        const sigma::detail::PoolingKernel& p = k.pooling;
        for (const int n : {p.images, p.windows_high, p.windows_wide, p.channels}) times(n);
    }
    if (k.kind == sigma::detail::Kernel::Kind::lookup) times(k.lookup.ids), times(k.lookup.width);
    if (k.kind == sigma::detail::Kernel::Kind::block) {
        int rows = 1, columns = 1;
        for (const sigma::detail::BlockKernel::Block& b : k.block.blocks) {
            rows = std::max(rows, b.rows);
            columns = std::max(columns, b.columns);
        }
        for (const int n : {rows, rows, columns}) times(n);
    }
    return 4 * work;
}

template <class T>
Executor<T>::Executor(const sigma::detail::CompiledProgram<T>& program)
    : plan_(program.plan()), fused_(program.fused), kernels_(kernels_for(program)),
      interpreter_(program.fused ? nullptr : kernels_.interpreter(plan_, kernels_)),
      kernel_count_(static_cast<int>(plan_.kernels.size())), whole_rows_(plan_.lanes % kernels_.lanes == 0),
      outside_(new External[plan_.buffers.size()]), external_(new T*[plan_.buffers.size()]()),
      readers_(new int[plan_.arguments.size()]), readers_end_(new int[plan_.buffers.size()]),
      pointers_(new T*[plan_.arguments.size()]()), strides_(new Strides[plan_.arguments.size()]()),
      extents_(new std::ptrdiff_t[plan_.kernels.size()][sigma::detail::max_rank]()),
      packed_at_(new std::ptrdiff_t[plan_.kernels.size()]), turned_(new int[plan_.kernels.size()]),
      left_out_(new bool[plan_.kernels.size()]()), cuts_(new Cut[plan_.kernels.size()]),
      calls_(new Call[plan_.kernels.size()]),
      once_(std::ranges::all_of(plan_.loops, [](const auto& loop) { return loop.count == 1; })) {
    for (int b = 0, n = 0; b < static_cast<int>(plan_.buffers.size()); ++b) {
        for (int a = 0; a < static_cast<int>(plan_.arguments.size()); ++a)
            if (argument(a).buffer == b) readers_[static_cast<std::size_t>(n++)] = a;
        readers_end_[static_cast<std::size_t>(b)] = n;
    }
    for (int where = 0, n = 0; where <= static_cast<int>(sigma::detail::Buffer::Where::state); ++where) {
        for (std::size_t b = 0; b < plan_.buffers.size(); ++b)
            if (static_cast<int>(plan_.buffers[b].where) == where) {
                outside_[static_cast<std::size_t>(n++)] = {plan_.buffers[b].offset, static_cast<int>(b)};
                for (Last* last : {&inputs_, &outputs_})
                    if (plan_.buffers[b].where ==
                        (last == &inputs_ ? sigma::detail::Buffer::Where::input : sigma::detail::Buffer::Where::output))
                        last->count = std::max(last->count, plan_.buffers[b].offset + 1);
            }
        outside_begin_[where + 1] = n;
    }
    for (Last* last : {&inputs_, &outputs_}) last->data.reset(new const T*[static_cast<std::size_t>(last->count)]());
    std::ptrdiff_t packed = 0;
    find_turned(plan_, turned_.get());
    for (int first = 0; first < kernel_count_;) {
        const int end = end_of_stage(kernel(first).stage, first);
        std::ptrdiff_t bytes = 0;
        for (int i = first; i < end; ++i) bytes += kernel(i).stage % 2 == 1 ? written_bytes<T>(plan_, kernel(i)) : 0;
        stage_bytes_ = std::max(stage_bytes_, bytes);
        first = end;
    }
    for (int i = 0; i < kernel_count_; ++i) {
        const sigma::detail::Kernel& k = kernel(i);
        images_ = images_ || is_over_images(k);
        products_ = products_ || k.kind == sigma::detail::Kernel::Kind::product;
        if (k.kind == sigma::detail::Kernel::Kind::block && is_custom(k.block.operation))
            (void)sigma::detail::custom_functions(k.block.part);  // throws before threads would
        packed_at_[static_cast<std::size_t>(i)] = packs_once<T>(plan_, k) ? packed : -1;
        packed += packed_elements_of<T>(plan_, k);
        work_ += k.loop >= 0 ? work_of(k) * loop_of(k).count : work_of(k);
    }
    packed_elements_ = packed;
}

template <class T>
void Executor<T>::prepare_changes(std::ptrdiff_t records) {
    if (records > capacity_) {
        arena_ =
            sigma::detail::Arena<T>(static_cast<std::size_t>(plan_.fixed_size) +
                                    static_cast<std::size_t>(plan_.batched_size) * static_cast<std::size_t>(records));
        for (int b : plan_.iotas) {
            const sigma::detail::Buffer& buffer = plan_.buffers[static_cast<std::size_t>(b)];
            for (int i = 0; i < buffer.shape.last(); ++i) arena_.data()[buffer.offset + i] = static_cast<T>(i);
        }
        capacity_ = records;  // only now, because the allocation of the arena may fail
        dirty_ = true;
    }
    if (records != records_) {
        records_ = records;
        if (plan_.reciprocal >= 0) *base(plan_.reciprocal) = T(1) / static_cast<T>(records);
        resolve_sizes();
    }
    if (packed_elements_ > 0 && packed_.size() == 0)
        for (int i = 0; i < kernel_count_ && packed_.size() == 0; ++i)
            if (is_packed(i)) packed_ = sigma::detail::Arena<T>(static_cast<std::size_t>(packed_elements_));
    if (dirty_) resolve_pointers();
    if (products_ && !scratch_) scratch_ = std::make_unique<ProductScratch>();  // here, because a run must not throw
}

template <class T>
void Executor<T>::bind(sigma::detail::Buffer::Where where, int number, T* data) {
    const int w = static_cast<int>(where);
    for (int i = outside_begin_[w]; i < outside_begin_[w + 1]; ++i) {
        const External& e = outside_[static_cast<std::size_t>(i)];
        T*& place = external_[static_cast<std::size_t>(e.buffer)];
        if (e.number != number || place == data) continue;
        place = data;
        if (dirty_) continue;
        for (int r = e.buffer > 0 ? readers_end_[static_cast<std::size_t>(e.buffer - 1)] : 0;
             r < readers_end_[static_cast<std::size_t>(e.buffer)]; ++r) {
            const int a = readers_[static_cast<std::size_t>(r)];
            pointers_[static_cast<std::size_t>(a)] =
                data ? data + sigma::detail::resolve(argument(a).offset, records_) : nullptr;
        }
    }
}

template <class T>
T* Executor<T>::base(int b) const {
    const sigma::detail::Buffer& buffer = plan_.buffers[static_cast<std::size_t>(b)];
    if (buffer.where == sigma::detail::Buffer::Where::fixed) return arena_.data() + buffer.offset;
    if (buffer.where == sigma::detail::Buffer::Where::batched)
        return arena_.data() + plan_.fixed_size + buffer.offset * capacity_;
    return bound(b);
}

template <class T>
void Executor<T>::resolve_pointers() {
    T** to = pointers_.get();
    for (const sigma::detail::Argument& a : plan_.arguments) {
        T* const p = base(a.buffer);
        *to++ = p ? p + sigma::detail::resolve(a.offset, records_) : nullptr;
    }
    dirty_ = false;
}

template <class T>
void Executor<T>::resolve_sizes() {
    for (std::size_t a = 0; a < plan_.arguments.size(); ++a)
        for (int i = 0; i < sigma::detail::max_rank; ++i)
            strides_[a][i] = sigma::detail::resolve(plan_.arguments[a].stride[i], records_);
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) resolve_extents(plan_.kernels[k], records_, extents_[k]);
    // A copy does not pay for few rows: all products that read it must have few.
    constexpr std::ptrdiff_t few = 300;
    for (int i = 0; i < kernel_count_; ++i) left_out_[static_cast<std::size_t>(i)] = false;
    for (const bool first : {true, false})
        for (int i = 0; i < kernel_count_; ++i) {
            const int t = turned_[static_cast<std::size_t>(i)];
            if (t < 0) continue;
            bool& left_out = left_out_[static_cast<std::size_t>(t)];
            const bool fits = extents_[static_cast<std::size_t>(i)][0] < few;
            left_out = first ? left_out || fits : left_out && fits;
        }
    for (int i = 0; i < kernel_count_; ++i) {
        const sigma::detail::Kernel& k = kernel(i);
        Call& c = calls_[static_cast<std::size_t>(i)];
        c.fused = fused_ ? fused_[i] : interpreter_->compiled(i);
        c.p = pointers_of(k), c.s = strides_.get() + k.argument, c.extent = extents_[static_cast<std::size_t>(i)];
        c.product = !c.fused && k.kind == sigma::detail::Kernel::Kind::product && !k.product.scaled &&
                    c.extent[3] * c.extent[4] == 1;
        if (c.product) c.arguments = product_arguments(i, c.p, c.s, c.extent);
        c.product = c.product && !c.arguments.b_transposed;
    }
    dirty_ = true;
}

// ---- one kernel ----

template <class T>
void Executor<T>::run_kernel(int number, T* const* p, const std::ptrdiff_t* extent, const Share& share) const {
    const sigma::detail::Kernel& k = kernel(number);
    const Strides* s = strides_.get() + k.argument;
    if (direct_ && direct_[number]) return direct_[number](p, s, extent);
    if (clock_) [[unlikely]]
        return run_measured(number, p, extent, share);
    if (k.kind == sigma::detail::Kernel::Kind::product) return run_product(number, p, s, extent, share);
    run_other(number, p, s, extent, share);
}

/// Runs a kernel, or a share of it, and measures its time.
template <class T>
[[gnu::noinline, gnu::cold]] void Executor<T>::run_measured(int number, T* const* p, const std::ptrdiff_t* extent,
                                                            const Share& share) const {
    const sigma::detail::Kernel& k = kernel(number);
    const Strides* s = strides_.get() + k.argument;
    const sigma::detail::Ticks from = sigma::detail::ticks_now();
    if (fused_ && fused_[number]) fused_[number](p, s, extent);
    else if (k.kind == sigma::detail::Kernel::Kind::product) run_product(number, p, s, extent, share);
    else run_other(number, p, s, extent, share);
    clock_->add(number, from, sigma::detail::ticks_now());
}

/// Runs a kernel that is neither fused nor a product. A separate function, so that fused kernels and products, which
/// may take only a few nanoseconds, need no stack for it.
template <class T>
[[gnu::noinline]] void Executor<T>::run_other(int number, T* const* p, const Strides* s, const std::ptrdiff_t* extent,
                                              const Share& share) const {
    const sigma::detail::Kernel& k = kernel(number);
    const std::ptrdiff_t records = share.records.count;
    switch (k.kind) {
        case sigma::detail::Kernel::Kind::rows:
        case sigma::detail::Kernel::Kind::columns: return interpreter_->run(number, p, s, extent);
        case sigma::detail::Kernel::Kind::product: return;  // handled by the caller
        case sigma::detail::Kernel::Kind::transpose:
            if (left_out_[static_cast<std::size_t>(number)]) return;
            return run_transpose(k.transpose, p, s, share);
        case sigma::detail::Kernel::Kind::move:
            if (k.move.clear != 0)
                std::fill_n(p[1] - sigma::detail::resolve(argument(k.argument + 1).offset, records_),
                            sigma::detail::resolve(k.move.clear, records), T(0));
            return kernels_.move(p[0], p[1], k.move.rank, extent, s[0], s[1]);
        case sigma::detail::Kernel::Kind::convolution:
            return run_convolution(kernels_, k.convolution, p, records, share.first,
                                   share.rows(k.convolution.weights_rows()), others_, whole_parameter(k.argument + 1));
        case sigma::detail::Kernel::Kind::pooling: return run_pooling(kernels_, k.pooling, p, records);
        case sigma::detail::Kernel::Kind::lookup:
            return run_lookup(kernels_, k.lookup, p, records, share.first, share.rows(k.lookup.rows));
        case sigma::detail::Kernel::Kind::block: return kernels_.blocks(k.block, k.arguments, p, s, extent);
        case sigma::detail::Kernel::Kind::argmax:
            return kernels_.argmax(p[0], p[1], 0, k.argmax.rank, extent, s[0], s[1]);
        case sigma::detail::Kernel::Kind::fill_uniform: {
            const sigma::detail::FillUniformKernel& u = k.fill_uniform;
            const std::ptrdiff_t rows_each = u.rows < 0 ? -u.rows : 0, before = k.local ? share.records.first : 0;
            return kernels_.fill_uniform(
                p[0], (random.record + before) * rows_each, sigma::detail::resolve(u.rows, records),
                sigma::detail::resolve(u.columns, records), sigma::detail::resolve(u.row, records),
                static_cast<std::uint32_t>(u.stream), random);
        }
    }
}

/// Runs a part of a kernel: each argument `a` begins `shift(a)` elements later. Pieces of one kernel run on several
/// threads at once, so the pointers are on their stacks, with the size that the kernel needs. The function is not
/// inlined, because the memory would then be in use until the caller returns.
template <class T>
template <class Shift>
[[gnu::noinline]] void Executor<T>::run_moved(int number, const std::ptrdiff_t* extent, Records records,
                                              Shift shift) const {
    const sigma::detail::Kernel& k = kernel(number);
    T** const p = static_cast<T**>(__builtin_alloca(static_cast<std::size_t>(k.arguments) * sizeof(T*)));
    for (int a = 0; a < k.arguments; ++a) p[a] = pointers_of(k)[a] + shift(a);
    run_kernel(number, p, extent, {records});
}

/// Returns the parameter that an argument covers completely, or -1.
template <class T>
int Executor<T>::whole_parameter(int number) const {
    const sigma::detail::Argument& a = argument(number);
    const sigma::detail::Buffer& b = plan_.buffers[static_cast<std::size_t>(a.buffer)];
    return b.where == sigma::detail::Buffer::Where::parameter && a.offset == 0 ? b.offset : -1;
}

template <class T>
bool Executor<T>::reads(int parameter, const OtherProducts<T>& others) const {
    const auto leaves = [&](const sigma::detail::Kernel& k, int number) {
        if (number != k.argument + 1 || whole_parameter(number) < 0) return false;
        if (k.kind == sigma::detail::Kernel::Kind::convolution) {
            const sigma::detail::ConvolutionKernel& c = k.convolution;
            return c.operation == sigma::detail::Operation::convolve && c.geometry.groups == 1 &&
                   others.replaces(parameter, c.kernel_height * c.kernel_width * c.channels, c.outputs);
        }
        const sigma::detail::ProductKernel& p = k.product;
        return k.kind == sigma::detail::Kernel::Kind::product && !p.transposed && !p.scaled && !p.negative &&
               p.alpha == 1 && p.count[0] == 1 && p.count[1] == 1 && others.replaces(parameter, p.k, p.n);
    };
    for (int i = 0; i < kernel_count_; ++i) {
        const sigma::detail::Kernel& k = kernel(i);
        for (int a = k.argument; a < k.argument + k.arguments; ++a) {
            const sigma::detail::Buffer& b = plan_.buffers[static_cast<std::size_t>(argument(a).buffer)];
            if (b.where == sigma::detail::Buffer::Where::parameter && b.offset == parameter &&
                ((fused_ && fused_[i]) || !leaves(k, a)))
                return true;
        }
    }
    return false;
}

template <class T>
ProductArguments<T> Executor<T>::product_arguments(int number, T* const* p, const Strides* s,
                                                   const std::ptrdiff_t* extent) const {
    const sigma::detail::ProductKernel& k = kernel(number).product;
    const T alpha = k.scaled ? p[3][0] : static_cast<T>(k.alpha);
    const std::ptrdiff_t n = extent[1];
    ProductArguments<T> a{extent[0],
                          n,
                          extent[2],
                          p[0],
                          k.transposed ? 1 : s[0][0],
                          k.transposed ? s[0][0] : 1,
                          p[1],
                          s[1][0],
                          p[2],
                          s[2][0],
                          k.negative ? -alpha : alpha,
                          k.accumulate,
                          is_padded(k, n, s[1][0]) && is_padded(k, n, s[2][0])};
    if (const int t = turned_[static_cast<std::size_t>(number)]; t >= 0 && left_out_[static_cast<std::size_t>(t)]) {
        a.b_transposed = true;
        a.b_row = strides_[static_cast<std::size_t>(kernel(t).argument)][0];
    }
    return a;
}

template <class T>
void Executor<T>::run_product(int number, T* const* p, const Strides* s, const std::ptrdiff_t* extent,
                              const Share& share) const {
    ProductArguments<T> a = product_arguments(number, p, s, extent);
    a.m = share.rows(extent[0]);
    if (packed_.size() > 0 && is_packed(number))
        a.packed = packed_.data() + packed_at_[static_cast<std::size_t>(number)];
    if (others_ && a.m >= least_rows_ && extent[3] * extent[4] == 1 && !a.b_transposed && a.a_column == 1)
        if (const int parameter = whole_parameter(kernel(number).argument + 1); parameter >= 0) {
            ProductArguments<T> shared = a;
            shared.a += share.first * a.a_row, shared.c += share.first * a.c_row;
            if (others_->product(parameter, shared)) return;
        }
    const T* const first_a = p[0] + share.first * a.a_row;
    T* const first_c = p[2] + share.first * a.c_row;
    for (std::ptrdiff_t i = 0; i < extent[3]; ++i)
        for (std::ptrdiff_t j = 0; j < extent[4]; ++j) {
            a.a = first_a + i * s[0][1] + j * s[0][2];
            a.b = a.b_transposed ? pointers_of(kernel(turned_[static_cast<std::size_t>(number)]))[0]
                                 : p[1] + i * s[1][1] + j * s[1][2];
            a.c = first_c + i * s[2][1] + j * s[2][2];
            kernels_.product(a);
        }
}

template <class T>
void Executor<T>::run_transpose(const sigma::detail::TransposeKernel& k, T* const* p, const Strides* s,
                                const Share& share) const {
    const std::ptrdiff_t records = share.records.count, rows = share.rows(sigma::detail::resolve(k.rows, records));
    const std::ptrdiff_t outer = sigma::detail::resolve(k.count[0], records),
                         inner = sigma::detail::resolve(k.count[1], records);
    for (std::ptrdiff_t i = 0; i < outer; ++i)
        for (std::ptrdiff_t j = 0; j < inner; ++j)
            kernels_.transpose(p[0] + share.first * s[0][0] + i * s[0][1] + j * s[0][2], s[0][0],
                               static_cast<int>(rows), static_cast<int>(sigma::detail::resolve(k.columns, records)),
                               p[1] + share.first + i * s[1][1] + j * s[1][2], s[1][0]);
}

/// Returns whether kernels may read and write whole vectors at the ends of the rows of a product's B or C. The plan
/// knows it for its own vectors. Wider ones fit if the rows have exactly the padding of the plan and are not part of
/// longer rows.
template <class T>
bool Executor<T>::is_padded(const sigma::detail::ProductKernel& k, std::ptrdiff_t columns, std::ptrdiff_t row) const {
    if (!k.padded) return false;
    if (whole_rows_ || columns % kernels_.lanes == 0) return true;
    const std::ptrdiff_t whole = (columns + plan_.lanes - 1) / plan_.lanes * plan_.lanes;
    return row == whole && row % kernels_.lanes == 0;
}

// ---- weights that a loop multiplies by in every step ----

/// Returns whether the weights of a kernel are packed. With few rows it is faster to read B in place.
template <class T>
bool Executor<T>::is_packed(int number) const {
    const auto i = static_cast<std::size_t>(number);
    if (once_ || packed_at_[i] < 0 || extents_[i][0] < 6) return false;
    const sigma::detail::Kernel& k = kernel(number);
    const int parameter = others_ ? whole_parameter(k.argument + 1) : -1;
    return parameter < 0 || !others_->replaces(parameter, k.product.k, k.product.n);
}

/// Packs the weights of all loops among these kernels.
template <class T>
void Executor<T>::pack(int first, int end) const {
    if (packed_.size() == 0) return;
    for (int i = first; i < end; ++i) {
        if (!is_packed(i)) continue;
        const sigma::detail::ProductKernel& k = kernel(i).product;
        const std::ptrdiff_t b_row = strides_[static_cast<std::size_t>(kernel(i).argument + 1)][0];
        kernels_.pack_whole(pointers_of(kernel(i))[1], b_row, k.n, k.k, is_padded(k, k.n, b_row),
                            packed_.data() + packed_at_[static_cast<std::size_t>(i)]);
    }
}

// ---- all kernels ----

template <class T>
int Executor<T>::end_of_stage(int stage, int first) const {
    while (first < kernel_count_ && kernel(first).stage == stage) ++first;
    return first;
}

/// Runs each kernel once for all records, and calls `after(i)` after kernel i. The overhead of this function dominates
/// in small networks.
template <class T>
template <class After>
void Executor<T>::run_all(After after) {
    for (int i = 0; i < kernel_count_; ++i) {
        Call& c = calls_[static_cast<std::size_t>(i)];
        if (c.fused) {
            c.fused(c.p, c.s, c.extent);
        } else if (c.product && (!others_ || c.arguments.m < least_rows_)) {
            c.arguments.a = c.p[0], c.arguments.b = c.p[1], c.arguments.c = c.p[2];
            kernels_.product(c.arguments);
        } else if (kernel(i).kind == sigma::detail::Kernel::Kind::product) {
            run_product(i, c.p, c.s, c.extent, {{0, records_}});
        } else {
            run_other(i, c.p, c.s, c.extent, {{0, records_}});
        }
        after(i);
    }
}

template <class T>
void Executor<T>::run() {
    const ScratchGuard guard(scratch_.get());
    if (at_once()) return once_ ? run_all([](int) {}) : run_range(0, kernel_count_);
    for (int stage = 0, first = 0; stage < plan_.stages; ++stage) {
        const int end = end_of_stage(stage, first);
        if (stage % 2 == 1) pack(first, end), run_records(first, end, {0, records_});
        else run_range(first, end);
        first = end;
    }
}

template <class T>
void Executor<T>::run(ThreadPool& pool) {
    if (pool.threads() == 1 || work() < pool.least_work) return run();
    const ScratchGuard guard(scratch_.get());
    for (int stage = 0, first = 0; stage < plan_.stages; ++stage) {
        const int end = end_of_stage(stage, first);
        if (end > first) stage % 2 == 1 ? run_local(pool, first, end) : run_shared(pool, first, end);
        first = end;
    }
}

/// Runs the kernels between marks. Kernels of a stage that is not local are independent, so a mark may divide the
/// stage.
template <class T>
void Executor<T>::run(ThreadPool* pool, std::span<const int> marks,
                      const sigma::detail::AnyFunction<void(std::size_t)>& reached) {
    ThreadPool* const with = pool && pool->threads() > 1 && work() >= pool->least_work ? pool : nullptr;
    const ScratchGuard guard(scratch_.get());
    std::size_t next = 0;
    for (int stage = 0, first = 0; stage < plan_.stages; ++stage) {
        const int end = end_of_stage(stage, first);
        while (first < end) {
            int last = end;
            if (stage % 2 == 0 && next < marks.size() && marks[next] > first) last = std::min(end, marks[next]);
            if (last < end && kernel(last).loop >= 0) last = std::max(last, loop_of(kernel(last)).end);
            if (stage % 2 == 0) with ? run_shared(*with, first, last) : run_range(first, last);
            else if (with) run_local(*with, first, last);
            else pack(first, last), run_records(first, last, {0, records_});
            first = last;
            while (next < marks.size() && marks[next] <= first) reached(next++);
        }
    }
}

template <class T>
void Executor<T>::run_timed(ThreadPool* pool, std::span<const int> marks,
                            const sigma::detail::AnyFunction<void(std::size_t)>& reached,
                            sigma::detail::KernelClock& clock) {
    ThreadPool* const with = pool && pool->threads() > 1 && work() >= pool->least_work ? pool : nullptr;
    clock.begin(with ? with->threads() : 1);
    const bool whole = !with && marks.empty() && at_once();
    if (whole && once_) {
        const ScratchGuard guard(scratch_.get());
        return run_all([&](int i) { clock.after(i); });
    }
    const sigma::detail::Restore measured(clock_, &clock);
    direct_ = nullptr;
    const sigma::detail::AtExit back([this] { direct_ = fused_; });
    if (whole) {
        const ScratchGuard guard(scratch_.get());
        run_range(0, kernel_count_);
        return clock.end_stage();
    }
    // The kernels up to each mark, and up to the end of each stage, are a part on the clock.
    std::vector<int> ends(marks.begin(), marks.end());
    for (int first = 0; first < kernel_count_; ends.push_back(first)) first = end_of_stage(kernel(first).stage, first);
    std::ranges::sort(ends);
    std::size_t next = 0;
    run(pool, ends, [&](std::size_t i) {
        clock.end_stage();
        for (; next < marks.size() && marks[next] <= ends[i]; ++next) reached(next);
    });
}

/// Calls `f(kernel, position)` for each kernel. Those of a loop over time are called for each position, after
/// `begin(loop)`.
template <class T>
template <class F, class Begin>
void Executor<T>::each_step(int first, int end, F f, Begin begin) const {
    for (int i = first; i < end;) {
        if (kernel(i).loop < 0) {
            f(i++, 0);
            continue;
        }
        const sigma::detail::PlannedLoop& loop = loop_of(kernel(i));
        begin(loop);
        for (int t = 0; t < loop.count; ++t)
            for (int j = loop.first; j < loop.end; ++j) f(j, loop.backwards ? loop.count - 1 - t : t);
        i = loop.end;
    }
}

template <class T>
void Executor<T>::run_range(int first, int end) const {
    const auto whole = [&](int i) {
        run_kernel(i, pointers_of(kernel(i)), extents_[static_cast<std::size_t>(i)], {{0, records_}});
    };
    if (plan_.loops.empty()) {
        for (int i = first; i < end; ++i) whole(i);
        return;
    }
    each_step(
        first, end,
        [&](int i, std::ptrdiff_t position) {
            const sigma::detail::Kernel& k = kernel(i);
            if (k.loop < 0) return whole(i);
            run_moved(i, extents_[static_cast<std::size_t>(i)], {0, records_},
                      [&](int a) { return position * argument(k.argument + a).time; });
        },
        [&](const sigma::detail::PlannedLoop& loop) { pack(loop.first, loop.end); });
}

/// Runs local kernels over some records. Their intermediate results are large, so they process few records at a time to
/// keep them in the cache. Kernels over images process as few as necessary; products many or all.
template <class T>
void Executor<T>::run_records(int first, int end, Records records) const {
    for (int last = first; first < end; first = last) {
        std::ptrdiff_t size = records.count;
        if (kernel(first).loop >= 0) {
            last = loop_of(kernel(first)).end;
        } else {
            bool images = false;
            last = end_of_run(first, end, images);
            for (bool next = false; !images && last < end && kernel(last).loop < 0;) {
                const int other = end_of_run(last, end, next);
                if (next) break;
                last = other;
            }
            std::ptrdiff_t bytes = 0;  // per record
            for (int i = first; i < last; ++i) bytes += written_bytes<T>(plan_, kernel(i));
            constexpr std::ptrdiff_t image_space = 192 * 1024, enough = 96, tiles = 24;
            if (images && bytes > 0) {
                size = std::max<std::ptrdiff_t>(1, image_space / bytes);
            } else if (last > first + 1 && bytes * records.count > stage_space && bytes * enough <= stage_space) {
                const std::ptrdiff_t pieces = (records.count * bytes + stage_space - 1) / stage_space;
                size = ((records.count + pieces - 1) / pieces + tiles - 1) / tiles *
                       tiles;  // of equal size, in whole tiles
            }
        }
        for (std::ptrdiff_t at = 0; at < records.count; at += size)
            each_step(
                first, last,
                [&](int i, std::ptrdiff_t position) {
                    run_local_kernel(i, {records.first + at, std::min(size, records.count - at)}, position);
                },
                [](const sigma::detail::PlannedLoop&) {});
    }
}

/// Returns the end of the run that begins with this kernel: a product, or the kernels before the next one. Sets
/// `images` to whether the run contains a kernel over images.
template <class T>
int Executor<T>::end_of_run(int first, int end, bool& images) const {
    images = false;
    int last = first;
    while (last < end && kernel(last).kind != sigma::detail::Kernel::Kind::product && kernel(last).loop < 0)
        images = is_over_images(kernel(last++)) || images;
    return std::max(last, first + 1);
}

template <class T>
void Executor<T>::run_local_kernel(int number, Records records, std::ptrdiff_t position) const {
    const sigma::detail::Kernel& k = kernel(number);
    std::ptrdiff_t extent[sigma::detail::max_rank];
    resolve_extents(k, records.count, extent);
    run_moved(number, extent, records, [&](int a) {
        const sigma::detail::Argument& x = argument(k.argument + a);
        return records.first * x.record + position * x.time;
    });
}

// ---- threads ----

/// Runs a local stage: each thread processes some records in all kernels of the stage.
template <class T>
void Executor<T>::run_local(ThreadPool& pool, int first, int end) {
    // Each position of a loop reads its weights again, so a few large parts of equal size are better than many small
    // ones.
    bool loops = false;
    for (int i = first; i < end; ++i) loops = loops || kernel(i).loop >= 0;
    const std::ptrdiff_t parts = (loops ? 1 : 4) * pool.threads(), tile = loops ? 2 : 6;
    const std::ptrdiff_t wanted = (records_ + parts - 1) / parts;
    const std::ptrdiff_t size = (wanted + tile - 1) / tile * tile;
    auto chunk = [&](int number) noexcept {
        run_records(first, end, {number * size, std::min(size, records_ - number * size)});
    };
    pack(first, end);
    pool.run(static_cast<int>((records_ + size - 1) / size), chunk);
}

template <class T>
typename Executor<T>::Cut Executor<T>::cut_of(int number, int threads) const {
    const sigma::detail::Kernel& k = kernel(number);
    if (k.loop >= 0) return {-1, 0, loop_of(k).first == number ? 1 : 0};
    const auto reduces = [&] {
        for (const sigma::detail::Instruction& i : plan_.instructions_of(k))
            if (i.opcode == sigma::detail::Instruction::Opcode::reduce) return true;
        return false;
    };
    const std::ptrdiff_t* const extent = extents_[static_cast<std::size_t>(number)];
    Cut cut;
    if (k.kind == sigma::detail::Kernel::Kind::product && !k.product.each) {
        // Each piece packs B again: four pieces per thread, but two if four would have too few rows to pack A.
        cut.length = sigma::detail::resolve(k.product.m, records_);
        const std::ptrdiff_t share = cut.length / threads, least = 48, enough = 96;
        const std::ptrdiff_t size = std::max({share / 4, std::min(share / 2, enough), least});
        cut.size = (size + 5) / 6 * 6;  // whole tiles
    } else if (k.kind == sigma::detail::Kernel::Kind::transpose && k.transpose.count[0] == 1 &&
               k.transpose.count[1] == 1) {
        cut.length = sigma::detail::resolve(k.transpose.rows, records_);
        cut.size = 64;
    } else if (k.kind == sigma::detail::Kernel::Kind::convolution &&
               k.convolution.operation == sigma::detail::Operation::convolve_weights) {
        cut.length = k.convolution.weights_rows();
        const std::ptrdiff_t vectors = (k.convolution.outputs + kernels_.lanes - 1) / kernels_.lanes;
        cut.size = vectors == 1 ? 9 : vectors == 3 || vectors > 4 ? 16 : 18;  // rows of whole tiles
    } else if (k.kind == sigma::detail::Kernel::Kind::lookup &&
               k.lookup.operation == sigma::detail::Operation::scatter_add) {
        cut.length = k.lookup.rows;
        cut.size = std::max<std::ptrdiff_t>(1, (cut.length + 7) / 8);  // each piece reads all ids
    } else if (k.kind == sigma::detail::Kernel::Kind::columns && k.fused.outer == 0) {
        cut.loop = k.fused.rank - 1;
        cut.size = cut.loop == k.fused.reduced ? 4 * 4 * plan_.lanes : extent[cut.loop];
    } else if (k.kind == sigma::detail::Kernel::Kind::rows && k.fused.rank > 0 && (k.fused.outer > 0 || !reduces())) {
        std::ptrdiff_t inside = 1;
        for (int i = 1; i < k.fused.rank; ++i) inside *= extent[i];
        constexpr std::ptrdiff_t elements = 8192;  // a multiple of any vector
        cut.loop = 0;
        cut.size = std::max<std::ptrdiff_t>(1, elements / std::max<std::ptrdiff_t>(1, inside));
    } else if (k.kind == sigma::detail::Kernel::Kind::block && k.block.rank > 0) {
        cut.loop = 0;
        cut.size = std::max<std::ptrdiff_t>(1, extent[0] / (4 * threads));
    }
    if (cut.loop >= 0) cut.length = extent[cut.loop];
    if (cut.length > 0) cut.pieces = (cut.length + cut.size - 1) / cut.size;
    return cut;
}

template <class T>
void Executor<T>::run_piece(int number, const Cut& cut, std::ptrdiff_t piece) const {
    const sigma::detail::Kernel& k = kernel(number);
    const std::ptrdiff_t* const whole = extents_[static_cast<std::size_t>(number)];
    if (k.loop >= 0) return run_range(number, loop_of(k).end);
    const std::ptrdiff_t first = piece * cut.size, count = std::min(cut.size, cut.length - first);
    if (cut.pieces == 1) return run_kernel(number, pointers_of(k), whole, {{0, records_}});
    if (cut.loop < 0) return run_kernel(number, pointers_of(k), whole, {{0, records_}, first, count});
    std::ptrdiff_t extent[sigma::detail::max_rank];
    std::copy_n(whole, sigma::detail::max_rank, extent);
    extent[cut.loop] = count;
    const Strides* s = strides_.get() + k.argument;
    run_moved(number, extent, {0, records_}, [&](int a) { return first * s[a][cut.loop]; });
}

/// Runs the kernels of a stage in pieces, each on the next free thread.
template <class T>
void Executor<T>::run_shared(ThreadPool& pool, int first, int end) {
    const auto cut = [this](int i) -> Cut& { return cuts_[static_cast<std::size_t>(i)]; };
    int total = 0;
    for (int i = first; i < end; ++i) {
        cut(i) = cut_of(i, pool.threads());
        total += static_cast<int>(cut(i).pieces);
    }
    auto piece = [&](int number) noexcept {
        int i = first;
        for (; number >= cut(i).pieces; ++i) number -= static_cast<int>(cut(i).pieces);
        run_piece(i, cut(i), number);
    };
    pool.run(total, piece);
}

SIGMA_INSTANTIATE(class Executor);

}  // namespace sigma::on_cpu
