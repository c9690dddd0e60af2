// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/device/device.hpp>
#include <sigma/device/device_array.hpp>
#include <sigma/device/gpu/backend_work.hpp>
#include <sigma/device/gpu/cuda/open.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>

SIGMA_INCLUDED(sigma, include_sigma_gpu_hpp);

namespace sigma {

namespace on_gpu::cuda {

/// The open device: one for all of the program that ask for the same one with the same options, as long as somebody has
/// it.
inline std::shared_ptr<sigma::detail::ComputeDevice> shared_device(const GpuOptions& options) {
    using Key = std::tuple<int, Precision, bool>;
    static std::mutex turn;
    static std::map<Key, std::weak_ptr<Backend>> open;
    const std::lock_guard lock(turn);
    std::weak_ptr<Backend>& place = open[Key{options.device, options.precision, options.check_each_kernel}];
    if (std::shared_ptr<Backend> found = place.lock()) return found;
    std::shared_ptr<Backend> opened = open_cuda(options);
    place = opened;
    return opened;
}

}  // namespace on_gpu::cuda

/// Names a GPU, which is opened where it is used: `trainer.run(gpu())`.
class Gpu {
public:
    explicit Gpu(const GpuOptions& options) : options_(options) {}

    const GpuOptions& options() const { return options_; }
    /// The open device, the same one as long as somebody has it. Throws NoDeviceError where there is none of this
    /// number, ArchitectureError where kernels cannot be made for it, DeviceError where it cannot be used.
    std::shared_ptr<detail::ComputeDevice> open() const { return on_gpu::cuda::shared_device(options_); }
    operator detail::SharedOwner<detail::ComputeDevice>() const { return open(); }

private:
    GpuOptions options_;
};

/// The GPU of this number, from 0.
inline Gpu gpu(int device = 0) {
    if (device < 0) throw ArgumentError("gpu", "a device from 0 on", sentence(device));
    GpuOptions options;
    options.device = device;
    return Gpu(options);
}
/// `gpu({.precision = Precision::tf32})`
inline Gpu gpu(const GpuOptions& options) {
    if (options.device < 0) throw ArgumentError("gpu", "a device from 0 on", sentence(options.device));
    return Gpu(options);
}

namespace detail {

/// The GPU where there is one that can be used, else the processor: `trainer.run(gpu() | cpu(2))`.
inline Device operator|(const Gpu& first, const Cpu& otherwise) {
    try {
        return Device(first.open());
    } catch (const NoDeviceError&) { return Device(otherwise); } catch (const ArchitectureError&) {
        return Device(otherwise);
    }
}

}  // namespace detail

/// How many GPUs there are; 0 where there is no driver.
inline int gpu_count() { return on_gpu::cuda::count_devices().count; }

/// Can the GPU of this number be used? Opens it to find out.
inline bool gpu_available(int device = 0) {
    try {
        (void)gpu(device).open();
        return true;
    } catch (const DeviceError&) { return false; }
}

/// One line for each GPU: "gpu(0): NVIDIA H100, compute capability 9.0, 79 GiB", and one for driver and toolkit; or why
/// there is none.
inline std::string describe_gpus() {
    const on_gpu::cuda::DeviceCount found = on_gpu::cuda::count_devices();
    if (found.count == 0) return sentence("no GPU: ", found.none_because, "\n");
    std::string text;
    for (int device = 0; device < found.count; ++device) {
        const ::cudaDeviceProp properties = on_gpu::cuda::properties_of(device);
        text += sentence("gpu(", device, "): ", properties.name, ", compute capability ", properties.major, '.',
                         properties.minor, ", ", properties.totalGlobalMem >> 30, " GiB\n");
    }
    int driver = 0, runtime_version = 0;
    (void)::cudaDriverGetVersion(&driver);
    (void)::cudaRuntimeGetVersion(&runtime_version);
    return sentence(text, "driver for CUDA ", on_gpu::cuda::version_text(driver), ", CUDA runtime ",
                    on_gpu::cuda::version_text(runtime_version), "\n");
}

}  // namespace sigma
