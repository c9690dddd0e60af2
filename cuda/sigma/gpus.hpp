// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Several GPUs of one machine as one device: gpus. Include it yourself, and link `sigma::cuda`.
#include <sigma/core/words.hpp>
#include <sigma/device/gpu/cuda/nccl_group.hpp>
#include <sigma/device/staged_group.hpp>
#include <sigma/execution/device_group.hpp>
#include <sigma/gpu.hpp>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

// Separate from gpu.hpp, because a program that trains on one GPU needs none of it, least of all the headers of NCCL.
SIGMA_INCLUDED(sigma, include_sigma_gpus_hpp);

namespace sigma {

namespace on_gpu::cuda {

/// Returns CUDA devices as a group, which exchanges data by NCCL if the program is compiled with SIGMA_NCCL, otherwise
/// through host memory.
inline std::shared_ptr<sigma::detail::ComputeGroup> group_of(
    const std::vector<std::shared_ptr<sigma::detail::ComputeDevice>>& devices) {
#ifdef SIGMA_NCCL
    std::vector<std::shared_ptr<CudaBackend>> backends;
    for (const auto& device : devices) backends.push_back(std::dynamic_pointer_cast<CudaBackend>(device));
    return std::make_shared<NcclGroup>(backends);
#else
    return std::make_shared<sigma::detail::StagedGroup>(
        std::vector<sigma::detail::SharedOwner<sigma::detail::ComputeDevice>>(devices.begin(), devices.end()));
#endif
}

/// Returns the open group. All parts of the program that use the same devices with the same options share one object,
/// which exists as long as one of them uses it.
inline std::shared_ptr<sigma::detail::ComputeGroup> shared_group(
    const std::vector<std::shared_ptr<sigma::detail::ComputeDevice>>& devices) {
    static std::mutex turn;
    static std::map<std::vector<const sigma::detail::ComputeDevice*>, std::weak_ptr<sigma::detail::ComputeGroup>> open;
    std::vector<const sigma::detail::ComputeDevice*> key;
    for (const auto& device : devices) key.push_back(device.get());
    const std::lock_guard lock(turn);
    std::erase_if(open, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<sigma::detail::ComputeGroup>& place = open[key];
    if (std::shared_ptr<sigma::detail::ComputeGroup> found = place.lock()) return found;
    std::shared_ptr<sigma::detail::ComputeGroup> opened = group_of(devices);
    place = opened;
    return opened;
}

}  // namespace on_gpu::cuda

/// A description of several GPUs of one machine. They are opened when you use them, as in `trainer.run(gpus(2))`.
///
/// @see gpus
class Gpus {
public:
    /// Constructs a description of all GPUs of the machine.
    /// @param options  how the GPUs are used. The number of the device is ignored.
    explicit Gpus(const GpuOptions& options) : options_(options) {}
    /// Constructs a description of some GPUs.
    /// @param devices  numbers of the GPUs, from 0; empty for all
    /// @param options  how the GPUs are used. The number of the device is ignored.
    Gpus(std::vector<int> devices, const GpuOptions& options) : devices_(std::move(devices)), options_(options) {}

    /// Opens the GPUs. A single GPU is opened without a group.
    /// @return the open devices
    /// @throws NoDeviceError      if one of them does not exist, or if there is no GPU
    /// @throws ArchitectureError  if kernels cannot be compiled for one of them
    /// @throws DeviceError        if one of them cannot be used for another reason
    detail::DeviceGroup open() const {
        std::vector<int> numbers = devices_;
        if (numbers.empty()) {
            // If there is no GPU, opening the first one throws the reason.
            numbers.resize(static_cast<std::size_t>(std::max(gpu_count(), 1)));
            std::iota(numbers.begin(), numbers.end(), 0);
        }
        std::vector<std::shared_ptr<detail::ComputeDevice>> devices;
        for (const int number : numbers) {
            GpuOptions options = options_;
            options.device = number;
            devices.push_back(on_gpu::cuda::shared_device(options));
        }
        if (devices.size() == 1) return detail::DeviceGroup(Device(devices[0]));
        return detail::DeviceGroup(on_gpu::cuda::shared_group(devices));
    }
    /// @cond internal
    operator detail::DeviceGroup() const { return open(); }
    /// @endcond

private:
    std::vector<int> devices_;  // empty for all
    GpuOptions options_;
};

/// Returns all GPUs of the machine. They train one network together, each on a part of every minibatch.
/// @param options  how the GPUs are used. The number of the device is ignored.
/// @return a description of the GPUs
///
/// @par Example
/// @code
/// trainer.run(gpus());
/// @endcode
///
/// @see gpu
inline Gpus gpus(const GpuOptions& options = {}) { return Gpus(options); }
/// Returns the first GPUs of the machine.
/// @param count    number of GPUs, 1 or more
/// @param options  how the GPUs are used. The number of the device is ignored.
/// @return a description of the GPUs
/// @throws ArgumentError  if the number is less than 1
///
/// @par Example
/// @code
/// trainer.run(gpus(2) | gpu() | cpu());  // the first choice that can be used
/// @endcode
///
/// @see gpus(const GpuOptions&)
inline Gpus gpus(int count, const GpuOptions& options = {}) {
    if (count < 1) throw ArgumentError("gpus", "one device or more", sentence(count));
    std::vector<int> devices(static_cast<std::size_t>(count));
    std::iota(devices.begin(), devices.end(), 0);
    return Gpus(std::move(devices), options);
}
/// Returns GPUs by their numbers.
/// @param numbers  numbers of the GPUs, from 0
/// @param options  how the GPUs are used. The number of the device is ignored.
/// @return a description of the GPUs
/// @throws ArgumentError  if there is no number, or if one is negative or appears twice
///
/// @par Example
/// @code
/// trainer.run(gpus({0, 2}));
/// @endcode
///
/// @see gpus(const GpuOptions&)
inline Gpus gpus(std::initializer_list<int> numbers, const GpuOptions& options = {}) {
    const std::vector<int> devices(numbers);
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (devices[i] < 0) throw ArgumentError("gpus", "device numbers from 0 on", sentence(devices[i]));
        for (std::size_t k = 0; k < i; ++k)
            if (devices[i] == devices[k])
                throw ArgumentError("gpus", "each number once", sentence("number ", devices[i], " twice"));
    }
    if (devices.empty()) throw ArgumentError("gpus", "one device or more", "0");
    return Gpus(devices, options);
}

/// A choice of devices: `gpus(2) | gpu() | cpu()`. When a run begins, it uses the first device that can be used.
///
/// @see gpus
class DeviceChoice {
public:
    /// Constructs a choice with one alternative.
    /// @param first  GPUs that are tried first
    DeviceChoice(const Gpus& first) : ways_(1, [first] { return first.open(); }) {}
    /// @cond internal
    /// Returns a choice with one more alternative.
    /// @param open  function that opens the alternative
    /// @return a choice with one more alternative
    DeviceChoice otherwise(std::function<detail::DeviceGroup()> open) const {
        DeviceChoice more = *this;
        more.ways_.push_back(std::move(open));
        return more;
    }
    /// @endcond
    /// Opens the first alternative that can be used.
    /// @return the open devices
    /// @throws DeviceError  if the last alternative cannot be used either
    detail::DeviceGroup open() const {
        for (std::size_t i = 0; i + 1 < ways_.size(); ++i) {
            try {
                return ways_[i]();
            } catch (const NoDeviceError&) {
            } catch (const ArchitectureError&) {}
        }
        return ways_.back()();
    }
    /// @cond internal
    operator detail::DeviceGroup() const { return open(); }
    /// @endcond

private:
    std::vector<std::function<detail::DeviceGroup()>> ways_;
};
/// Returns a choice with one more alternative: `gpus(4) | gpus(2)`.
/// @param first      devices that are tried first
/// @param otherwise  devices that are used otherwise
/// @return a choice with one more alternative
/// @see DeviceChoice
inline DeviceChoice operator|(const DeviceChoice& first, const Gpus& otherwise) {
    return first.otherwise([otherwise] { return otherwise.open(); });
}
/// Returns a choice with one more alternative: `gpus(2) | gpu()`.
/// @param first      devices that are tried first
/// @param otherwise  device that is used otherwise
/// @return a choice with one more alternative
/// @see DeviceChoice
inline DeviceChoice operator|(const DeviceChoice& first, const Gpu& otherwise) {
    return first.otherwise([otherwise] { return detail::DeviceGroup(Device(otherwise.open())); });
}
/// Returns a choice with one more alternative: `gpus(2) | cpu()`.
/// @param first      devices that are tried first
/// @param otherwise  device that is used otherwise
/// @return a choice with one more alternative
/// @see DeviceChoice
inline DeviceChoice operator|(const DeviceChoice& first, const Device& otherwise) {
    return first.otherwise([otherwise] { return detail::DeviceGroup(otherwise); });
}

namespace detail {

inline DeviceChoice operator|(const DeviceChoice& first, const Cpu& otherwise) { return first | Device(otherwise); }

}  // namespace detail

}  // namespace sigma
