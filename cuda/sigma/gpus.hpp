// SPDX-License-Identifier: BSL-1.0
#pragma once
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

// Apart from gpu.hpp, for what trains on one GPU needs none of it, NCCL's headers above all.
SIGMA_INCLUDED(sigma, include_sigma_gpus_hpp);

namespace sigma {

namespace on_gpu::cuda {

/// CUDA devices as a group: by NCCL where the program is compiled with it (SIGMA_NCCL), else through the host's memory.
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

/// The open group: one for all of the program that ask for the same devices with the same options, as long as somebody
/// has it.
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

/// Names several GPUs of one machine, which are opened where they are used: `trainer.run(gpus(2))`.
class Gpus {
public:
    /// All there are.
    explicit Gpus(const GpuOptions& options) : options_(options) {}
    Gpus(std::vector<int> devices, const GpuOptions& options) : devices_(std::move(devices)), options_(options) {}

    /// Opens them; a single one is no group. Throws NoDeviceError where one of them is not there, or none is; and what
    /// Gpu::open throws.
    detail::DeviceGroup open() const {
        std::vector<int> numbers = devices_;
        if (numbers.empty()) {
            // Where there is none, opening the first one says why.
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
    operator detail::DeviceGroup() const { return open(); }

private:
    std::vector<int> devices_;  // none: all
    GpuOptions options_;
};

/// All GPUs there are; of `options` the device's number does not count.
inline Gpus gpus(const GpuOptions& options = {}) { return Gpus(options); }
/// The first so many. Throws ArgumentError for less than one.
inline Gpus gpus(int count, const GpuOptions& options = {}) {
    if (count < 1) throw ArgumentError("gpus", "one device or more", sentence(count));
    std::vector<int> devices(static_cast<std::size_t>(count));
    std::iota(devices.begin(), devices.end(), 0);
    return Gpus(std::move(devices), options);
}
/// Those of these numbers: `gpus({0, 2})`. Throws ArgumentError where one is negative or named twice.
inline Gpus gpus(std::initializer_list<int> numbers, const GpuOptions& options = {}) {
    const std::vector<int> devices(numbers);
    for (std::size_t i = 0; i < devices.size(); ++i) {
        if (devices[i] < 0) throw ArgumentError("gpus", "devices from 0 on", sentence(devices[i]));
        for (std::size_t k = 0; k < i; ++k)
            if (devices[i] == devices[k])
                throw ArgumentError("gpus", "devices that differ", sentence("number ", devices[i], " twice"));
    }
    if (devices.empty()) throw ArgumentError("gpus", "one device or more", "none");
    return Gpus(devices, options);
}

/// GPUs, and what is taken where they cannot be used: `gpus(2) | gpu() | cpu()`. Decided when a run begins.
class DeviceChoice {
public:
    DeviceChoice(const Gpus& first) : ways_(1, [first] { return first.open(); }) {}
    DeviceChoice otherwise(std::function<detail::DeviceGroup()> open) const {
        DeviceChoice more = *this;
        more.ways_.push_back(std::move(open));
        return more;
    }
    /// The first that can be used. Throws what the last one throws.
    detail::DeviceGroup open() const {
        for (std::size_t i = 0; i + 1 < ways_.size(); ++i) {
            try {
                return ways_[i]();
            } catch (const NoDeviceError&) {
            } catch (const ArchitectureError&) {}
        }
        return ways_.back()();
    }
    operator detail::DeviceGroup() const { return open(); }

private:
    std::vector<std::function<detail::DeviceGroup()>> ways_;
};
inline DeviceChoice operator|(const DeviceChoice& first, const Gpus& otherwise) {
    return first.otherwise([otherwise] { return otherwise.open(); });
}
inline DeviceChoice operator|(const DeviceChoice& first, const Gpu& otherwise) {
    return first.otherwise([otherwise] { return detail::DeviceGroup(Device(otherwise.open())); });
}
inline DeviceChoice operator|(const DeviceChoice& first, const Device& otherwise) {
    return first.otherwise([otherwise] { return detail::DeviceGroup(otherwise); });
}

namespace detail {

inline DeviceChoice operator|(const DeviceChoice& first, const Cpu& otherwise) { return first | Device(otherwise); }

}  // namespace detail

}  // namespace sigma
