// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/device/compute_device.hpp>

#include <concepts>
#include <utility>

namespace sigma {

namespace detail {

/// The processor, with a number of threads of which the caller is one. Results do not depend on the number.
struct Cpu {
    int threads = 1;
    int wanted = 1;                  ///< where there are not so many cores
    long long least_work = 200'000;  ///< multiply-adds that are worth waking threads, where the user counts them

    /// "cpu", "cpu, 2 threads", "cpu, 2 threads (of 1000 that were asked for)"
    std::string text() const;
};

}  // namespace detail

/// So many threads, however many cores there are: `cpu({.threads = 3})`.
struct ExactThreads {
    int threads = 1;
};
/// The processor: with a thread for each core that the process may use.
detail::Cpu cpu();
/// With so many threads, but not more than cores. Throws ArgumentError for less than one.
detail::Cpu cpu(int threads);
/// With this share of the cores, `cpu(0.5)`, but one at least. Throws ArgumentError where it is not above 0 and at
/// most 1.
detail::Cpu cpu(double share);
detail::Cpu cpu(ExactThreads exactly);
template <std::integral Integer>
detail::Cpu cpu(Integer threads) {
    return cpu(static_cast<int>(threads > 1024 ? 1024 : threads));
}

/// What a run happens on: the processor, or an accelerator. `trainer.run(cpu(2))`, `trainer.run(gpu())`.
class Device {
public:
    Device(detail::Cpu processor) : cpu_(processor) {}
    Device(detail::SharedOwner<detail::ComputeDevice> device) : device_(std::move(device)) {}
    /// What names an accelerator and opens it now, as `gpu()` does. Throws what that throws.
    template <std::convertible_to<detail::SharedOwner<detail::ComputeDevice>> D>
        requires(!std::same_as<D, Device>)
    Device(const D& description) : device_(description) {}

    int threads() const { return cpu_.threads; }
    const detail::Cpu& processor() const { return cpu_; }
    /// None for the processor.
    const detail::SharedOwner<detail::ComputeDevice>& compute_device() const& { return device_; }
    detail::SharedOwner<detail::ComputeDevice> compute_device() && { return device_; }
    /// "cpu", or what the accelerator is called.
    std::string name() const { return device_ ? device_->name() : "cpu"; }
    /// The same with the number of threads, where these are several.
    std::string text() const { return device_ ? device_->name() : cpu_.text(); }
    /// Do they have the same memory?
    friend bool operator==(const Device& a, const Device& b) { return a.device_ == b.device_; }

private:
    detail::Cpu cpu_;
    detail::SharedOwner<detail::ComputeDevice> device_;
};

namespace detail {

/// Throws an ArgumentError: arrays are in the memory of another device than what computes with them.
[[noreturn]] void throw_other_device(const Device& wanted, const Device& found);

/// Runs every operation by itself and checks every number: `trainer.run(debug(), 1)` throws an OperationError, which
/// names the first operation that leaves the finite numbers. Slow.
struct Debug {};

}  // namespace detail

inline detail::Debug debug() { return {}; }

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/device.ipp>
#endif
