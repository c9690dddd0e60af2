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

/// The processor as a device. It runs compiled programs with fused or interpreted kernels. Results do not depend on the
/// number of threads, which includes the calling one.
class CpuDevice final : public HostMemoryDevice {
public:
    explicit CpuDevice(const Cpu& processor = {});
    CpuDevice(const CpuDevice&) = delete;
    CpuDevice& operator=(const CpuDevice&) = delete;
    ~CpuDevice() override;

    /// Sets the number of threads, also for existing programs.
    void set_threads(const Cpu& processor);
    const Cpu& processor() const { return processor_; }
    /// Returns the threads, which are created at the first call because small steps need none; null for one thread.
    on_cpu::ThreadPool* pool();
    std::string name() const override { return "cpu"; }
    /// Makes a program. Throws ArgumentError for a plan without its compiled kernels.
    detail::Owned<DeviceProgram> make_program(const ProgramSource& source) override;

private:
    Cpu processor_{};
    detail::Owned<on_cpu::ThreadPool> pool_;
};

/// Returns the accelerator, or the processor with the threads of the description.
SharedOwner<ComputeDevice> opened(const Device& device);

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/device.ipp>
#endif
