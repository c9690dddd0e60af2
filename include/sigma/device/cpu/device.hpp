// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/device.hpp>
#include <sigma/device/host_memory_device.hpp>

#include <string>

namespace sigma {

namespace on_cpu {
class ThreadPool;
}

namespace detail {

/// The processor. Runs compiled programs, whose kernels are fused functions or interpreted; results do not depend on
/// the number of threads, of which the caller is one.
class CpuDevice final : public HostMemoryDevice {
public:
    explicit CpuDevice(const Cpu& processor = {});
    CpuDevice(const CpuDevice&) = delete;
    CpuDevice& operator=(const CpuDevice&) = delete;
    ~CpuDevice() override;

    /// For programs from now on, those that are made already, too.
    void set_threads(const Cpu& processor);
    const Cpu& processor() const { return processor_; }
    /// None for one thread; made when it is first asked for, since small steps need none.
    on_cpu::ThreadPool* pool();
    std::string name() const override { return "cpu"; }
    /// Throws ArgumentError for a plan without what was compiled of it.
    detail::Owned<DeviceProgram> make_program(const ProgramSource& source) override;

private:
    Cpu processor_{};
    detail::Owned<on_cpu::ThreadPool> pool_;
};

/// The accelerator, or the processor with the threads that are named.
SharedOwner<ComputeDevice> opened(const Device& device);

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/device.ipp>
#endif
