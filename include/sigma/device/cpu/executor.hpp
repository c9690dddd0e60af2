// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/device/arena.hpp>
#include <sigma/device/cpu/interpreter/interpreter.hpp>
#include <sigma/device/cpu/kernel_arguments.hpp>
#include <sigma/device/cpu/product_scratch.hpp>
#include <sigma/device/cpu/thread_pool.hpp>
#include <sigma/device/program_table.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace sigma::detail {
class KernelClock;
}

namespace sigma::on_cpu {

/// An executor of the kernels of a plan. Tensors from outside are bound by pointer, must be dense, and must outlive the
/// executor. Parameters and states have rows padded to whole vectors. A run allocates nothing, unless the batch is
/// larger than every earlier one. The kernels may have wider or narrower vectors than those that the plan was made for.
template <class T>
class Executor {
public:
    explicit Executor(const sigma::detail::CompiledProgram<T>& program);
    Executor(const Executor&) = delete;
    Executor& operator=(const Executor&) = delete;

    const sigma::detail::PlanView& plan() const { return plan_; }

    void bind_input(int i, const T* data) {
        if (inputs_.changes(i, data)) bind(sigma::detail::Buffer::Where::input, i, const_cast<T*>(data));
    }
    void bind_output(int i, T* data) {
        if (outputs_.changes(i, data)) bind(sigma::detail::Buffer::Where::output, i, data);
    }
    void bind_parameter(int i, T* data) { bind(sigma::detail::Buffer::Where::parameter, i, data); }
    void bind_state(int i, T* data) { bind(sigma::detail::Buffer::Where::state, i, data); }

    sigma::detail::RandomKey random{};

    /// Sets the products by parameters that replace those of the kernels. They must outlive the executor; null restores
    /// the kernels.
    void compute_by(const OtherProducts<T>* others) {
        if (others == others_) return;
        others_ = others;
        least_rows_ = others ? others->least_rows() : 0;
        dirty_ = true;  // replaced weights are not packed
    }
    /// Returns whether a kernel reads this parameter that the other products do not replace.
    bool reads(int parameter, const OtherProducts<T>& others) const;

    /// Sets the number of records of the next steps; 1 if nothing is batched.
    void prepare(std::ptrdiff_t records) {
        if (records != records_ || dirty_) prepare_changes(records);
    }
    std::ptrdiff_t records() const { return records_; }
    /// Returns the address that is bound to a buffer of the plan.
    T* bound(int buffer) const { return external_[static_cast<std::size_t>(buffer)]; }
    std::size_t arena_bytes() const { return (arena_.size() + packed_.size()) * sizeof(T); }

    /// Runs all kernels, one after the other.
    void run();
    /// Runs all kernels on the threads of a pool. Results are bit-identical for every number of threads.
    void run(ThreadPool& pool);
    /// Runs all kernels, and calls `reached(i)` when all kernels before marks[i] have run. The marks ascend. Without a
    /// pool the calling thread runs all.
    void run(ThreadPool* pool, std::span<const int> marks,
             const sigma::detail::AnyFunction<void(std::size_t)>& reached);
    /// Runs all kernels as `run` does, and measures the time of each. Results are bit-identical.
    void run_timed(ThreadPool* pool, std::span<const int> marks,
                   const sigma::detail::AnyFunction<void(std::size_t)>& reached, sigma::detail::KernelClock& clock);
    /// Returns whether products do the work of a transposition, so that its kernel does nothing.
    bool leaves_out(int kernel) const { return left_out_[static_cast<std::size_t>(kernel)]; }
    const Kernels<T>& kernels() const { return kernels_; }
    bool is_fused() const { return fused_ != nullptr; }
    /// Returns the number of multiply-adds of a run on the prepared records.
    long long work() const { return work_ * records_; }

private:
    struct Records {
        std::ptrdiff_t first, count;
    };
    /// A share of a kernel: some records and, for kinds with distributed rows, `count` rows from `first` on.
    struct Share {
        Records records;
        std::ptrdiff_t first = 0, count = -1;  ///< -1: all

        std::ptrdiff_t rows(std::ptrdiff_t all) const { return count < 0 ? all : count; }
    };
    /// The division of a kernel that is not local: fused kernels along `loop`, others along rows; `length` rows or
    /// steps in pieces of `size`. One thread computes each element, in the same order as a single thread would.
    struct Cut {
        int loop = -1;
        std::ptrdiff_t length = 0, size = 0, pieces = 1;
    };

    struct External {
        int number, buffer;
    };
    /// A kernel with all arguments of its call, for kernels that process all records at once.
    struct Call {
        sigma::detail::FusedFunction<T> fused;  ///< the function, or null
        bool product;                           ///< true for a product that uses `arguments` with other pointers
        T* const* p;
        const Strides* s;
        const std::ptrdiff_t* extent;
        ProductArguments<T> arguments;
    };

    const sigma::detail::PlanView plan_;
    const sigma::detail::FusedFunction<T>* const fused_;
    const Kernels<T>& kernels_;
    const std::unique_ptr<const Interpreter<T>> interpreter_;  ///< used by programs without fused kernels
    const int kernel_count_;
    const bool whole_rows_;                      ///< rows of whole vectors of the plan are so for the kernels, too
    bool images_ = false;                        ///< the plan has kernels over images
    bool products_ = false;                      ///< the plan has products
    std::unique_ptr<ProductScratch> scratch_{};  ///< working memory of products, for threads that have none
    /// The most bytes that a stage may write for all records so that they stay in the cache of a core.
    static constexpr std::ptrdiff_t stage_space = 512 * 1024;
    std::ptrdiff_t stage_bytes_ = 0;      ///< most bytes that the local kernels of a stage write for a record
    long long work_ = 0;                  ///< multiplications per record, roughly: decides whether waking a thread pays
    std::ptrdiff_t packed_elements_ = 0;  ///< elements of all packed weights
    sigma::detail::Arena<T> arena_, packed_;
    std::unique_ptr<External[]> outside_;  ///< buffers that are bound, in the order of Buffer::Where
    int outside_begin_[static_cast<int>(sigma::detail::Buffer::Where::state) + 2]{};
    std::unique_ptr<T*[]> external_;                ///< the address bound to each buffer
    std::unique_ptr<int[]> readers_, readers_end_;  ///< the arguments of each buffer, buffer after buffer
    /// The addresses bound last, by number.
    struct Last {
        int count = 0;
        std::unique_ptr<const T*[]> data{};

        bool changes(int i, const T* to) {
            return i < count && std::exchange(data[static_cast<std::size_t>(i)], to) != to;
        }
    } inputs_, outputs_;
    std::unique_ptr<T*[]> pointers_;                                      ///< one for each argument
    std::unique_ptr<Strides[]> strides_;                                  ///< one for each argument
    std::unique_ptr<std::ptrdiff_t[][sigma::detail::max_rank]> extents_;  ///< extents of the loops of each kernel
    std::unique_ptr<std::ptrdiff_t[]> packed_at_;  ///< beginning of the packed weights of each kernel, or -1
    std::unique_ptr<int[]> turned_;                ///< transposition of B that each product can do itself, or -1
    std::unique_ptr<bool[]> left_out_;  ///< true for a transposition that products, which have few rows now, do
    std::unique_ptr<Cut[]> cuts_;       ///< one for each kernel of the stage that runs
    std::unique_ptr<Call[]> calls_;     ///< one for each kernel
    bool once_;                         ///< each kernel runs once in a step
    std::ptrdiff_t capacity_ = 0, records_ = 0;
    bool dirty_ = true;
    const OtherProducts<T>* others_ = nullptr;
    std::ptrdiff_t least_rows_ = 0;  ///< least number of rows that others_ accepts
    /// The fused functions, or null in a run that is measured, so that all kernels take the path that measures.
    const sigma::detail::FusedFunction<T>* direct_ = fused_;
    sigma::detail::KernelClock* clock_ = nullptr;  ///< measures this run, or null

    const sigma::detail::Kernel& kernel(int i) const { return plan_.kernels[static_cast<std::size_t>(i)]; }
    const sigma::detail::Argument& argument(int i) const { return plan_.arguments[static_cast<std::size_t>(i)]; }
    const sigma::detail::PlannedLoop& loop_of(const sigma::detail::Kernel& k) const {
        return plan_.loops[static_cast<std::size_t>(k.loop)];
    }
    T* const* pointers_of(const sigma::detail::Kernel& k) const { return pointers_.get() + k.argument; }

    void bind(sigma::detail::Buffer::Where where, int number, T* data);
    void prepare_changes(std::ptrdiff_t records);
    T* base(int buffer) const;
    void resolve_pointers();
    void resolve_sizes();

    void run_kernel(int number, T* const* p, const std::ptrdiff_t* extent, const Share& share) const;
    void run_other(int number, T* const* p, const Strides* s, const std::ptrdiff_t* extent, const Share& share) const;
    template <class Shift>
    void run_moved(int number, const std::ptrdiff_t* extent, Records records, Shift shift) const;
    template <class After>
    void run_all(After after);
    void run_product(int number, T* const* p, const Strides* s, const std::ptrdiff_t* extent, const Share& share) const;
    ProductArguments<T> product_arguments(int number, T* const* p, const Strides* s,
                                          const std::ptrdiff_t* extent) const;
    int whole_parameter(int argument) const;
    void run_transpose(const sigma::detail::TransposeKernel& k, T* const* p, const Strides* s,
                       const Share& share) const;

    bool is_padded(const sigma::detail::ProductKernel& k, std::ptrdiff_t columns, std::ptrdiff_t row) const;
    bool is_packed(int number) const;
    void pack(int first, int end) const;

    void run_measured(int number, T* const* p, const std::ptrdiff_t* extent, const Share& share) const;
    /// Returns whether all kernels run for all records at once, on one thread.
    bool at_once() const { return !images_ && records_ * stage_bytes_ <= stage_space; }
    int end_of_stage(int stage, int first) const;
    int end_of_run(int first, int end, bool& images) const;
    template <class F, class Begin>
    void each_step(int first, int end, F f, Begin begin) const;
    void run_range(int first, int end) const;
    void run_records(int first, int end, Records records) const;
    void run_local_kernel(int number, Records records, std::ptrdiff_t position) const;
    void run_local(ThreadPool& pool, int first, int end);
    Cut cut_of(int number, int threads) const;
    void run_piece(int number, const Cut& cut, std::ptrdiff_t piece) const;
    void run_shared(ThreadPool& pool, int first, int end);
};

}  // namespace sigma::on_cpu

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/executor.ipp>
#endif
