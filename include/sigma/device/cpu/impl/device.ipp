// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/device.hpp>
#include <sigma/device/cpu/executor.hpp>
#include <sigma/device/cpu/packed.hpp>
#include <sigma/device/cpu/thread_pool.hpp>

namespace sigma {

/// An executor of the processor with the interface of a device's program.
template <class T>
class CpuProgram final : public detail::DeviceProgram {
public:
    CpuProgram(detail::CpuDevice& device, const detail::CompiledProgram<T>& program)
        : device_(device), executor_(program) {}

    void bind(detail::Buffer::Where where, int number, void* data) override {
        T* const tensor = static_cast<T*>(data);
        if (where == detail::Buffer::Where::input) executor_.bind_input(number, tensor);
        else if (where == detail::Buffer::Where::output) executor_.bind_output(number, tensor);
        else if (where == detail::Buffer::Where::parameter) executor_.bind_parameter(number, tensor);
        else executor_.bind_state(number, tensor);
    }
    void bind_counters(const detail::StepCounters* counters) override { counters_ = counters; }
    void prepare(std::ptrdiff_t records) override { executor_.prepare(records); }
    void run() override {
        issue([this](on_cpu::ThreadPool* pool) { pool ? executor_.run(*pool) : executor_.run(); });
    }
    void run(std::span<const int> marks, const detail::AnyFunction<void(std::size_t)>& reached) override {
        issue([&](on_cpu::ThreadPool* pool) { executor_.run(pool, marks, reached); });
    }
    template <class Run>
    void issue(const Run& run_on) {
        device_.issue([&, run_on] {
            if (counters_)
                executor_.random = {counters_->seed, static_cast<std::uint32_t>(counters_->step),
                                    static_cast<std::uint32_t>(counters_->record)};
            executor_.prepare(executor_.records());  // bindings may have changed since prepare()
            const detail::Cpu& on = device_.processor();
            run_on(on.threads > 1 && executor_.work() >= on.least_work ? device_.pool() : nullptr);
        });
    }
    std::uint64_t version() const override { return 0; }  // a replay uses the bindings at its time
    std::size_t arena_bytes() const override { return executor_.arena_bytes(); }
    std::size_t arena_bytes(std::ptrdiff_t records) const override {
        return on_cpu::arena_bytes<T>(executor_.plan(), static_cast<std::size_t>(records));
    }
    int launches() const override { return static_cast<int>(executor_.plan().kernels.size()); }

private:
    detail::CpuDevice& device_;
    on_cpu::Executor<T> executor_;
    const detail::StepCounters* counters_ = nullptr;
};

namespace detail {

SIGMA_IMPL CpuDevice::CpuDevice(const Cpu& processor) : processor_(processor) {}
SIGMA_IMPL CpuDevice::~CpuDevice() = default;

SIGMA_IMPL void CpuDevice::set_threads(const Cpu& processor) {
    if (processor.threads != processor_.threads) pool_.reset();
    processor_ = processor;
}
SIGMA_IMPL on_cpu::ThreadPool* CpuDevice::pool() {
    if (processor_.threads > 1 && !pool_) pool_ = detail::make_owned<on_cpu::ThreadPool>(processor_.threads);
    if (pool_) pool_->least_work = processor_.least_work;
    return pool_.get();
}

SIGMA_IMPL SharedOwner<ComputeDevice> opened(const Device& device) {
    if (device.compute_device()) return device.compute_device();
    return SharedOwner<CpuDevice>::make(device.processor());
}

SIGMA_IMPL detail::Owned<DeviceProgram> CpuDevice::make_program(const ProgramSource& source) {
    if (source.compiled == nullptr)
        throw ArgumentError("program of the processor", "a plan with its compiled kernels", "a plan alone");
    if (source.plan.element == ElementType::float32)
        return detail::make_owned<CpuProgram<float>>(*this,
                                                     *static_cast<const CompiledProgram<float>*>(source.compiled));
    return detail::make_owned<CpuProgram<double>>(*this, *static_cast<const CompiledProgram<double>*>(source.compiled));
}

}  // namespace detail

}  // namespace sigma
