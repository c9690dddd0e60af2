// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// NVIDIA GPUs as devices: gpu, GpuOptions, describe_gpus. Include it yourself, and link `sigma::cuda`.
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

/// Returns the open device. All parts of the program that use the same device with the same options share one object,
/// which exists as long as one of them uses it.
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

/// A description of a GPU. The GPU is opened when you use it, as in `trainer.run(gpu())`.
///
/// @see gpu
class Gpu {
public:
    /// Constructs a description.
    /// @param options  number of the GPU and how it is used
    explicit Gpu(const GpuOptions& options) : options_(options) {}

    /// Returns the options.
    /// @return the options
    const GpuOptions& options() const { return options_; }
    /// Opens the GPU, or uses the device that is already open with these options.
    /// @return the open device
    /// @throws NoDeviceError      if there is no GPU of this number, or if it is closed to all programs
    /// @throws ArchitectureError  if kernels cannot be compiled for it
    /// @throws DeviceError        if it cannot be used for another reason
    std::shared_ptr<detail::ComputeDevice> open() const { return on_gpu::cuda::shared_device(options_); }
    /// @cond internal
    operator detail::SharedOwner<detail::ComputeDevice>() const { return open(); }
    /// @endcond

private:
    GpuOptions options_;
};

/// Returns a GPU by its number. It is opened when you use it.
/// @param device  number of the GPU as the CUDA runtime counts them, from 0
/// @return a description of the GPU
/// @throws ArgumentError  if the number is negative
///
/// @par Example
/// @code
/// trainer.run(gpu());
/// trainer.run(gpu() | cpu(2));  // the processor if no GPU can be used
/// @endcode
///
/// @see gpus, gpu_available, Gpu::open (errors when it is opened)
inline Gpu gpu(int device = 0) {
    if (device < 0) throw ArgumentError("gpu", "a device number from 0 on", sentence(device));
    GpuOptions options;
    options.device = device;
    return Gpu(options);
}
/// Returns a GPU with options.
/// @param options  number of the GPU, precision of products, checks
/// @return a description of the GPU
/// @throws ArgumentError  if the number is negative
///
/// @par Example
/// @code
/// trainer.run(gpu({.precision = Precision::tf32}));
/// @endcode
///
/// @see GpuOptions
inline Gpu gpu(const GpuOptions& options) {
    if (options.device < 0) throw ArgumentError("gpu", "a device number from 0 on", sentence(options.device));
    return Gpu(options);
}

namespace detail {

/// Returns the GPU if it exists and kernels can be compiled for it, otherwise the processor: `trainer.run(gpu() |
/// cpu(2))`.
inline Device operator|(const Gpu& first, const Cpu& otherwise) {
    try {
        return Device(first.open());
    } catch (const NoDeviceError&) { return Device(otherwise); } catch (const ArchitectureError&) {
        return Device(otherwise);
    }
}

}  // namespace detail

/// Returns the number of GPUs; 0 if there is no driver.
/// @return the number of GPUs; 0 if there is no driver
/// @see describe_gpus
inline int gpu_count() { return on_gpu::cuda::count_devices().count; }

/// Returns whether a GPU can be used. Opens the GPU to find out.
/// @param device  number of the GPU, from 0
/// @return true if a GPU can be used
/// @throws ArgumentError  if `device` is negative
/// @see gpu
inline bool gpu_available(int device = 0) {
    try {
        (void)gpu(device).open();
        return true;
    } catch (const DeviceError&) { return false; }
}

/// Returns a text with one line for each GPU and one for the driver and the CUDA runtime, or the reason why there is no
/// GPU.
/// @return a text of several lines
///
/// @par Example
/// @code
/// std::cout << describe_gpus();
/// // gpu(0): NVIDIA H100, compute capability 9.0, 79 GiB
/// // driver for CUDA 12.4, CUDA runtime 11.8
/// @endcode
///
/// @see gpu
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
