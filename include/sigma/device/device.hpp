// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/shared_owner.hpp>
#include <sigma/device/compute_device.hpp>

#include <concepts>
#include <utility>

namespace sigma {

/// The processor, with a number of threads of which the caller is one. Results do not depend on the number.
struct Cpu {
    int threads = 1;
};
/// `trainer.run(cpu(2))`; `cpu()` is one thread.
Cpu cpu(int threads = 1);

/// What a run happens on: the processor, or an accelerator. `trainer.run(cpu(2))`, `trainer.run(gpu())`.
class Device {
public:
    Device(Cpu processor) : cpu_(processor) {}
    Device(detail::SharedOwner<ComputeDevice> device) : device_(std::move(device)) {}
    /// What names an accelerator and opens it now, as `gpu()` does. Throws what that throws.
    template <std::convertible_to<detail::SharedOwner<ComputeDevice>> D>
        requires(!std::same_as<D, Device>)
    Device(const D& description) : device_(description) {}

    int threads() const { return cpu_.threads; }
    /// None for the processor.
    const detail::SharedOwner<ComputeDevice>& compute_device() const& { return device_; }
    detail::SharedOwner<ComputeDevice> compute_device() && { return device_; }
    /// "cpu", or what the accelerator is called.
    std::string name() const { return device_ ? device_->name() : "cpu"; }

private:
    Cpu cpu_;
    detail::SharedOwner<ComputeDevice> device_;
};

/// Runs every operation by itself and checks every number: `trainer.run(debug(), 1)` throws an OperationError, which
/// names the first operation that leaves the finite numbers. Slow.
struct Debug {};
inline Debug debug() { return {}; }

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/device.ipp>
#endif
