// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/cpu/shared_threads.hpp>
#include <sigma/device/device.hpp>
#include <sigma/device/host_memory_device.hpp>

#include <string>

namespace sigma::detail {

/// The processor as a device. It runs compiled programs with fused or interpreted kernels. Its programs share its
/// threads: one uses them at a time, and others meanwhile run on the calling thread.
class CpuDevice final : public HostMemoryDevice {
public:
    /// Constructs a device, with the number of threads of its programs until `set_threads`.
    explicit CpuDevice(const Cpu& processor = {}) : processor_(processor) {}

    const Cpu& processor() const { return processor_; }
    on_cpu::SharedThreads& threads() { return threads_; }
    std::string name() const override { return "cpu"; }
    /// Makes a program. Throws ArgumentError for a plan without its compiled kernels.
    SIGMA_IMPL Owned<DeviceProgram> make_program(const ProgramSource& source) override;

private:
    const Cpu processor_;
    on_cpu::SharedThreads threads_;
};

/// Returns the accelerator, or a processor with threads of its own.
SharedOwner<ComputeDevice> opened(const Device& device);
/// Returns the processor for programs that run on the calling thread alone.
const SharedOwner<ComputeDevice>& calling_thread();

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/device/cpu/impl/device.ipp>
#endif
