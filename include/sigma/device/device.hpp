// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Devices on which networks and functions run: cpu, debug, Device. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/error.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/device/compute_device.hpp>

#include <concepts>
#include <utility>

namespace sigma {

namespace detail {

/// The processor with a number of threads, including the calling one. Results do not depend on the number.
struct Cpu {
    int threads = 1;                 ///< Number of threads.
    int wanted = 1;                  ///< Requested number of threads, which may exceed the number of cores.
    long long least_work = 200'000;  ///< Multiply-adds from which on waking threads pays.

    friend bool operator==(const Cpu&, const Cpu&) = default;
    /// Returns "cpu", "cpu, 2 threads" or "cpu, 2 threads (1000 requested)".
    std::string text() const;
};

}  // namespace detail

/// An exact number of threads, which may exceed the number of cores: `cpu({.threads = 3})`.
/// @see cpu
struct ExactThreads {
    int threads = 1;  ///< Number of threads, 1 to 1024.
};

/// Returns the processor, with one thread for each core that the process may use.
///
/// Results are bit-identical for every number of threads. The calling thread is one of them.
/// @return the processor
///
/// @par Example
/// @code
/// trainer.run(cpu());
/// @endcode
///
/// @see gpu, debug, Device
detail::Cpu cpu();
/// Returns the processor with a number of threads, at most one for each core that the process may use.
/// @param threads  number of threads, 1 or more
/// @return the processor
/// @throws ArgumentError  if the number is less than 1
///
/// @par Example
/// @code
/// trainer.run(cpu(2));
/// @endcode
///
/// @see cpu()
detail::Cpu cpu(int threads);
/// Returns the processor with threads for a share of the cores that the process may use, at least one.
/// @param share  share of the cores, above 0 and at most 1
/// @return the processor
/// @throws ArgumentError  if the share is not in this range
///
/// @par Example
/// @code
/// trainer.run(cpu(0.5));
/// @endcode
///
/// @see cpu()
detail::Cpu cpu(double share);
/// Returns the processor with an exact number of threads, even if there are fewer cores.
/// @param exactly  number of threads, 1 to 1024
/// @return the processor
/// @throws ArgumentError  if the number is not in this range
///
/// @par Example
/// @code
/// trainer.run(cpu({.threads = 3}));
/// @endcode
///
/// @see cpu()
detail::Cpu cpu(ExactThreads exactly);
/// Returns the processor with a number of threads of any integer type, at most one for each core that it may use.
/// @param threads  number of threads, 1 or more
/// @return the processor
/// @throws ArgumentError  if the number is less than 1
/// @see cpu()
template <std::integral Integer>
detail::Cpu cpu(Integer threads) {
    return cpu(static_cast<int>(threads > 1024 ? 1024 : threads));
}

/// A device on which a network runs: the processor or an accelerator.
///
/// Pass `cpu(…)` or `gpu(…)` to a function that takes a Device. Use the type to choose a device at run time.
///
/// @par Example
/// @code
/// Device device = cpu(2);
/// trainer.run(device);
/// std::string name = device.text();  // "cpu, 2 threads"
/// @endcode
///
/// @see cpu, gpu, DeviceArray
class Device {
public:
    /// @cond internal
    /// Constructs a device for the processor.
    /// @param processor  processor, as returned by `cpu`
    Device(detail::Cpu processor) : cpu_(processor) {}
    Device(detail::SharedOwner<detail::ComputeDevice> device) : device_(std::move(device)) {}
    /// @endcond
    /// Opens an accelerator and constructs a device for it.
    /// @param description  accelerator, as returned by `gpu`
    /// @throws DeviceError  if the accelerator cannot be opened, see Gpu::open
    template <std::convertible_to<detail::SharedOwner<detail::ComputeDevice>> D>
        requires(!std::same_as<D, Device>)
    Device(const D& description) : device_(description) {}

    /// Returns the number of threads of the processor; 1 for an accelerator.
    /// @return the number of threads of the processor; 1 for an accelerator
    int threads() const { return cpu_.threads; }
    /// @cond internal
    const detail::Cpu& processor() const { return cpu_; }
    /// Returns the accelerator; null for the processor.
    const detail::SharedOwner<detail::ComputeDevice>& compute_device() const& { return device_; }
    detail::SharedOwner<detail::ComputeDevice> compute_device() && { return device_; }
    /// @endcond
    /// Returns "cpu" or the name of the accelerator.
    /// @return the name
    std::string name() const { return device_ ? device_->name() : "cpu"; }
    /// Returns the name, for the processor with the number of threads if there are several: "cpu, 2 threads".
    /// @return the name
    std::string text() const { return device_ ? device_->name() : cpu_.text(); }
    /// Returns whether two devices have the same memory. All numbers of threads of the processor are equal.
    /// @param left   one device
    /// @param right  the other one
    friend bool operator==(const Device& left, const Device& right) { return left.device_ == right.device_; }

private:
    detail::Cpu cpu_;
    detail::SharedOwner<detail::ComputeDevice> device_;
};

namespace detail {

/// Throws the ArgumentError of an array in the memory of a device that differs from the one that computes with it.
[[noreturn]] void throw_other_device(const Device& wanted, const Device& found);

/// The type of `debug()`.
struct Debug {};

}  // namespace detail

/// Returns a device that runs each operation by itself and checks every result. It is slow.
///
/// A run on it throws an OperationError if a result is NaN or infinite. The error names the first such operation.
/// @return the device
///
/// @par Example
/// @code
/// trainer.run(debug(), 1);  // one epoch
/// @endcode
///
/// @see OperationError, NumericError, cpu
inline detail::Debug debug() { return {}; }

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/device.ipp>
#endif
