// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/backend.hpp>
#include <sigma/device/gpu/cuda/compiler.hpp>
#include <sigma/device/gpu/cuda/context.hpp>
#include <sigma/device/gpu/cuda/graph.hpp>
#include <sigma/device/gpu/cuda/module.hpp>
#include <sigma/device/gpu/cuda/products.hpp>
#include <sigma/device/gpu/cuda/times.hpp>
#include <sigma/device/gpu/cuda/uploads.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

/// Options of `gpu` and `gpus`.
///
/// @see gpu
struct GpuOptions {
    int device = 0;                         ///< Number of the GPU as the CUDA runtime counts them, from 0.
    Precision precision = Precision::full;  ///< Precision of products of `float`.
    bool check_each_kernel = false;         ///< Waits after each kernel, so that an error names its operation. Slow.

    /// Returns whether all options are equal.
    bool operator==(const GpuOptions&) const = default;
};

}  // namespace sigma

namespace sigma::on_gpu::cuda {

/// A CUDA device, made by open_cuda. Several threads may use it: their work is done in the order of the calls, and
/// during a capture the other threads wait.
class CudaBackend final : public Backend {
public:
    CudaBackend(const GpuOptions& options, const ::cudaDeviceProp& properties, const Target& target, KernelCache cache)
        : context_(std::make_shared<Context>(options.device, properties.name)),
          compiler_(properties.name, target, cache), uploads_(*context_),
          products_(*context_, options.precision, std::move(cache)), check_each_(options.check_each_kernel),
          most_blocks_(static_cast<long long>(properties.multiProcessorCount) *
                       (properties.maxThreadsPerMultiProcessor / 256) * 2) {}

    std::string name() const override { return context_->name(); }
    const Compiler& compiler() const { return compiler_; }
    Context& context() { return *context_; }  ///< the context, for work on several devices

    // ---- memory ----

    void* allocate(std::size_t bytes, const std::string& what) override {
        const auto turn = context_->enter();
        context_->refuse_capture("an allocation");
        void* data = nullptr;
        const cudaError_t result = ::cudaMalloc(&data, std::max<std::size_t>(bytes, 1));
        if (result == cudaErrorMemoryAllocation) {
            (void)::cudaGetLastError();
            throw DeviceMemoryError(name(), what, bytes, free_memory());
        }
        context_->examine(result, "allocate memory");
        try {
            // Uses the stream of copies, which does not wait for work: a copy ahead may be the first to write there.
            context_->examine(::cudaMemsetAsync(data, 0, std::max<std::size_t>(bytes, 1), context_->uploads()),
                              "clear memory");
            context_->examine(::cudaStreamSynchronize(context_->uploads()), "clear memory");
        } catch (...) {
            ::cudaFree(data);
            throw;
        }
        return data;
    }
    void release(void* data) noexcept override {
        const auto turn = context_->enter_quietly();
        if (context_->capturing()) return released_.push_back(data);  // freeing it now would break the capture
        ::cudaStreamSynchronize(context_->stream());
        ::cudaFree(data);
    }
    std::size_t free_memory() const override {
        const auto turn = context_->enter();
        std::size_t free = 0, total = 0;
        context_->examine(::cudaMemGetInfo(&free, &total), "get its free memory");
        return free;
    }
    void* allocate_host(std::size_t bytes) override {
        const auto turn = context_->enter();
        context_->refuse_capture("an allocation");
        void* data = nullptr;
        context_->examine(::cudaHostAlloc(&data, std::max<std::size_t>(bytes, 1), cudaHostAllocPortable),
                          sentence("allocate ", bytes, " bytes of host memory for copies").c_str());
        return data;
    }
    void release_host(void* data) noexcept override {
        const auto turn = context_->enter_quietly();
        ::cudaStreamSynchronize(context_->uploads());  // copies may still read it
        ::cudaFreeHost(data);
    }

    void upload(void* to, const void* from, std::size_t bytes) override {
        const auto turn = context_->enter();
        context_->refuse_capture("an upload");
        uploads_.copy(to, from, bytes);
    }
    std::uint64_t mark() override {
        const auto turn = context_->enter();
        context_->refuse_capture("a mark");
        return uploads_.mark();
    }
    std::uint64_t upload_ahead(void* to, const void* from, std::size_t bytes, std::uint64_t after) override {
        const auto turn = context_->enter();
        context_->refuse_capture("an upload");
        return uploads_.copy_ahead(to, from, bytes, after);
    }
    void wait(std::uint64_t mark) override {
        const auto turn = context_->enter();
        if (const ::cudaEvent_t event = uploads_.pending(mark))
            context_->examine(::cudaEventSynchronize(event), "finish earlier work");
    }
    void download(void* to, const void* from, std::size_t bytes) override {
        const auto turn = context_->enter();
        context_->refuse_capture("a download");
        if (bytes > 0)
            context_->examine(::cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, context_->stream()),
                              "copy from the device");
        context_->synchronize();
    }
    void copy(void* to, const void* from, std::size_t bytes) override {
        if (bytes == 0) return;
        issue("copy", [this, to, from, bytes] {
            context_->examine(::cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, context_->stream()),
                              "copy on the device");
        });
    }
    void clear(void* to, std::size_t bytes) override {
        if (bytes == 0) return;
        issue("clearing", [this, to, bytes] {
            context_->examine(::cudaMemsetAsync(to, 0, bytes, context_->stream()), "clear memory");
        });
    }
    void synchronize() override {
        const auto turn = context_->enter();
        context_->synchronize();
    }

    int mark_time() override {
        const auto turn = context_->enter();
        context_->refuse_capture("a mark of time");
        return times_.mark();
    }
    double seconds_between(int from, int to) override {
        const auto turn = context_->enter();
        return times_.seconds_between(from, to);
    }
    void forget_times() override { times_.forget(); }

    // ---- work ----

    std::unique_ptr<Module> compile(const std::string& text) override {
        const std::string code = compiler_.compile(text);
        return std::make_unique<CudaModule>(context_, code);
    }
    void launch(const Launch& what) override {
        if (what.blocks < 1) return;
        const auto turn = context_->enter();
        const ::dim3 blocks(
            static_cast<unsigned>(std::min<long long>(what.blocks, std::numeric_limits<std::int32_t>::max())));
        const ::dim3 threads(static_cast<unsigned>(what.threads));
        const auto now = [this, blocks, threads, function = what.function](const std::uint64_t* words,
                                                                           const char* operation) {
            // The only parameter of the kernel is its struct of words; the runtime knows its size.
            void* parameters[] = {const_cast<std::uint64_t*>(words)};
            const cudaError_t result = ::cudaLaunchKernel(function, blocks, threads, parameters, 0, context_->stream());
            if (result == cudaSuccess || is_of_kernel(result) || is_of_architecture(result))
                return context_->examine(result, "launch a kernel");
            (void)::cudaGetLastError();
            throw KernelError(
                name(), operation,
                sentence("cannot launch ", blocks.x, " blocks of ", threads.x, " threads: ", error_text(result)));
        };
        if (recording()) {  // copies words and operation, which belong to the caller
            record([this, now, words = std::vector(what.words.begin(), what.words.end()),
                    operation = std::string(what.operation)] {
                issue(operation.c_str(), [&] { now(words.data(), operation.c_str()); });
            });
        } else {
            issue(what.operation, [&] { now(what.words.data(), what.operation); });
        }
    }
    int threads(int wanted) const override { return std::clamp(wanted / 32 * 32, 32, 1024); }
    long long most_blocks() const override { return most_blocks_; }

    bool product(const Product& product) override {
        const auto turn = context_->enter();
        if (recording()) {
            if (!products_.offers(product)) return false;
            issue("product", [this, product] { (void)products_.run(product); });
            return true;
        }
        bool done = false;
        issue("product", [&] { done = products_.run(product); });
        return done;
    }
    bool product_pays(const Product& product) const override { return Products::pays(product); }
    bool split_pays(const Product& product) const override { return Products::split_pays(product); }
    void sort(const algorithms::Pairs& pairs) override {
        if constexpr (linked)
            issue("sort", [this, pairs] {
                context_->examine(static_cast<cudaError_t>(algorithms::on_device::sort(pairs, context_->stream())),
                                  "sort");
            });
    }
    bool sort_pays(long long pairs, long long least) const override { return sorts_ && pairs >= least; }
    int relus_kept() const { return products_.relus_kept(); }  ///< see Products

    sigma::detail::Owned<sigma::detail::CapturedGraph> capture(
        const sigma::detail::AnyFunction<void()>& work) override {
        const auto turn = context_->enter();
        context_->refuse_capture("another capture");
        if (check_each_) return capture_checked(work);
        // Relaxed, so that kernels may be loaded at their first launch within the capture.
        context_->examine(::cudaStreamBeginCapture(context_->stream(), cudaStreamCaptureModeRelaxed),
                          "begin a capture");
        const Capturing capturing(*this);
        const Issued before = *context_;
        ::cudaGraph_t graph = nullptr;
        try {
            context_->forget_issued();
            work();
        } catch (...) {
            ::cudaStreamEndCapture(context_->stream(), &graph);
            (void)::cudaGetLastError();  // clears the error of the failed capture
            if (graph) ::cudaGraphDestroy(graph);
            before.restore(*context_);
            throw;
        }
        const Issued within = *context_;
        before.restore(*context_);
        context_->examine(::cudaStreamEndCapture(context_->stream(), &graph), "end a capture");
        const std::unique_ptr<std::remove_pointer_t<::cudaGraph_t>, cudaError_t (*)(::cudaGraph_t)> owned(
            graph, &::cudaGraphDestroy);
        return sigma::detail::make_owned<CudaGraph>(context_, graph, within.first, within.last, within.operations);
    }

private:
#ifdef SIGMA_GPU_ALGORITHMS
    static constexpr bool linked = true;
#else
    static constexpr bool linked = false;  // built without nvcc
#endif
    static bool can_sort() {
        if constexpr (linked) return algorithms::on_device::has_code();
        return false;
    }

    /// The work issued before a capture. Captured work is not done yet, so this state is restored afterwards.
    struct Issued {
        std::string first, last;
        long long operations;
        Issued(const Context& context)
            : first(context.first_operation()), last(context.last_operation()), operations(context.operations()) {}
        void restore(Context& context) const {
            context.forget_issued();
            if (operations > 0) context.issued(first, last, operations);
        }
    };
    /// A guard of a capture. Memory released during the capture is freed at its end.
    class Capturing {
    public:
        explicit Capturing(CudaBackend& backend) : backend_(backend) { backend_.context_->set_capturing(true); }
        ~Capturing() {
            backend_.context_->set_capturing(false);
            for (void* each : std::exchange(backend_.released_, {})) backend_.release(each);
        }

    private:
        CudaBackend& backend_;
    };

    bool recording() const { return check_each_ && context_->capturing(); }
    void record(std::function<void()> step) { steps_.push_back(std::move(step)); }

    sigma::detail::Owned<sigma::detail::CapturedGraph> capture_checked(const sigma::detail::AnyFunction<void()>& work) {
        steps_.clear();
        const Capturing capturing(*this);
        work();
        return sigma::detail::make_owned<CheckedGraph>(context_, std::exchange(steps_, {}));
    }

    /// Runs the work, in a capture or not, or records it for a checked replay; recorded work must own all its data.
    template <class Work>
    void issue(const char* operation, const Work& work) {
        const auto turn = context_->enter();
        if (recording()) return record([this, operation, work] { issue(operation, work); });
        context_->issued(operation);
        work();
        if (check_each_) context_->synchronize();
    }

    std::shared_ptr<Context> context_;
    Compiler compiler_;
    Uploads uploads_;
    Times times_{*context_};
    Products products_;
    bool sorts_ = can_sort();
    bool check_each_;
    long long most_blocks_;
    std::vector<void*> released_;  // memory released during a capture
    CheckedGraph::Steps steps_;
};

}  // namespace sigma::on_gpu::cuda
