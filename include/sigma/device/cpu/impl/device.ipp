// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/device.hpp>
#include <sigma/device/cpu/executor.hpp>
#include <sigma/device/cpu/packed.hpp>
#include <sigma/device/profiler.hpp>

#include <memory>
#include <type_traits>

namespace sigma::detail {

/// An executor of the processor with the interface of a device's program.
template <class T>
class CpuProgram final : public DeviceProgram {
public:
    CpuProgram(CpuDevice& device, const ProgramSource& source)
        : device_(device), executor_(*static_cast<const CompiledProgram<T>*>(source.compiled)),
          threads_(device.processor()), layers_(source.layers) {
        begin_profile_by_environment();
    }

    void bind(Buffer::Where where, int number, void* data) override {
        T* const tensor = static_cast<T*>(data);
        if (where == Buffer::Where::input) executor_.bind_input(number, tensor);
        else if (where == Buffer::Where::output) executor_.bind_output(number, tensor);
        else if (where == Buffer::Where::parameter) executor_.bind_parameter(number, tensor);
        else executor_.bind_state(number, tensor);
    }
    void bind_counters(const StepCounters* counters) override { counters_ = counters; }
    void set_threads(const Cpu& processor) override { threads_ = processor; }
    void compute_by(const void* others) override { executor_.compute_by(products(others)); }
    bool reads(int parameter, const void* others) const override {
        return executor_.reads(parameter, *products(others));
    }
    void prepare(std::ptrdiff_t records) override { executor_.prepare(records); }
    void run() override {
        if (device_.records([this] { run(); })) return;
        begin();
        if (profile_now() != 0 && run_timed({}, {})) [[unlikely]]
            return;
        if (!is_shared()) return executor_.run();
        const on_cpu::SharedThreads::Loan loan(device_.threads(), threads_);
        loan.pool() ? executor_.run(*loan.pool()) : executor_.run();
    }
    void run(std::span<const int> marks, const AnyFunction<void(std::size_t)>& reached) override {
        begin();
        if (profile_now() != 0 && run_timed(marks, reached)) [[unlikely]]
            return;
        const on_cpu::SharedThreads::Loan loan(device_.threads(), is_shared() ? threads_ : Cpu{});
        executor_.run(loan.pool(), marks, reached);
    }
    std::uint64_t version() const override { return 0; }  // a replay uses the bindings at its time
    std::size_t arena_bytes() const override { return executor_.arena_bytes(); }
    std::size_t arena_bytes(std::ptrdiff_t records) const override {
        return on_cpu::arena_bytes<T>(executor_.plan(), static_cast<std::size_t>(records));
    }
    int launches() const override { return static_cast<int>(executor_.plan().kernels.size()); }

private:
    CpuDevice& device_;
    on_cpu::Executor<T> executor_;
    Cpu threads_;
    const StepCounters* counters_ = nullptr;
    const LayerNames layers_;
    unsigned profile_number_ = 0;
    std::shared_ptr<ProgramProfile> profile_{};

    /// Runs all kernels and measures them, if a profile is being measured and this run is due. Returns whether it ran.
    [[gnu::noinline, gnu::cold]] bool run_timed(std::span<const int> marks,
                                                const AnyFunction<void(std::size_t)>& reached) {
        ProgramProfile* const profile = part_of_profile(profile_number_, profile_, [&](const Profiling& measures) {
            ProfiledSource source{.plan = executor_.plan(),
                                  .identity = executor_.plan().kernels.data(),
                                  .layers = layers_,
                                  .device = device_.name(),
                                  .fused = executor_.is_fused()};
            const auto multiply_adds = executor_.kernels().multiply_adds;
            if constexpr (std::is_same_v<T, float>) source.multiply_adds = multiply_adds;
            else source.multiply_adds_of_double = multiply_adds;
            return measures.program(source);
        });
        if (profile == nullptr || !profile->due()) return false;
        const Ticks began = ticks_now();
        const on_cpu::SharedThreads::Loan loan(device_.threads(), is_shared() ? threads_ : Cpu{});
        executor_.run_timed(loan.pool(), marks, reached, profile->clock());
        profile->add(executor_.plan(), executor_.records(), began, [&](int i) { return executor_.leaves_out(i); });
        return true;
    }
    static const on_cpu::OtherProducts<T>* products(const void* others) {
        return static_cast<const on_cpu::OtherProducts<T>*>(others);
    }
    void begin() {
        if (counters_)
            executor_.random = {counters_->seed, static_cast<std::uint32_t>(counters_->step),
                                static_cast<std::uint32_t>(counters_->record)};
        executor_.prepare(executor_.records());  // bindings may have changed since prepare()
    }
    bool is_shared() const { return threads_.threads > 1 && executor_.work() >= threads_.least_work; }
};

SIGMA_IMPL SharedOwner<ComputeDevice> opened(const Device& device) {
    if (device.compute_device()) return device.compute_device();
    return SharedOwner<CpuDevice>::make(device.processor());
}
SIGMA_IMPL const SharedOwner<ComputeDevice>& calling_thread() {
    static const SharedOwner<ComputeDevice> processor(std::make_shared<CpuDevice>());
    return processor;
}

template <class T>
Owned<DeviceProgram> program_of_processor(CpuDevice& device, const ProgramSource& source) {
    return make_owned<CpuProgram<T>>(device, source);
}
SIGMA_IMPL Owned<DeviceProgram> CpuDevice::make_program(const ProgramSource& source) {
    if (source.compiled == nullptr)
        throw ArgumentError("program of the processor", "a plan with its compiled kernels", "a plan alone");
    return source.of_processor(*this, source);
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
namespace sigma::detail {
template Owned<DeviceProgram> program_of_processor<float>(CpuDevice&, const ProgramSource&);
template Owned<DeviceProgram> program_of_processor<double>(CpuDevice&, const ProgramSource&);
}  // namespace sigma::detail
#endif
