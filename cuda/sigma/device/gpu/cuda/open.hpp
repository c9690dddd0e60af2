// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/gpu/cuda/cuda_backend.hpp>

#include <memory>
#include <optional>
#include <string>

namespace sigma::on_gpu::cuda {

/// Returns a version of CUDA as a text: "13.0" for 13000.
inline std::string version_text(int version) { return sentence(version / 1000, '.', version % 1000 / 10); }

/// The number of devices that the runtime finds, and the reason if there are none.
struct DeviceCount {
    int count = 0;
    std::string none_because;
};
inline DeviceCount count_devices() {
    DeviceCount found;
    const cudaError_t result = ::cudaGetDeviceCount(&found.count);
    if (result != cudaSuccess) {
        (void)::cudaGetLastError();
        // On a machine without a driver the runtime reports that the driver is too old.
        int driver = 0, runtime_version = 0;
        if (result != cudaErrorInsufficientDriver || ::cudaDriverGetVersion(&driver) != cudaSuccess ||
            ::cudaRuntimeGetVersion(&runtime_version) != cudaSuccess)
            return {0, ::cudaGetErrorString(result)};
        if (driver == 0) return {0, "there is no driver"};
        return {0, sentence("the driver is for CUDA ", version_text(driver), ", the CUDA runtime is ",
                            version_text(runtime_version))};
    }
    if (found.count == 0) found.none_because = "the driver shows none";
    return found;
}

inline ::cudaDeviceProp properties_of(int device) {
    ::cudaDeviceProp properties{};
    const cudaError_t result = ::cudaGetDeviceProperties(&properties, device);
    if (result != cudaSuccess) {
        (void)::cudaGetLastError();
        throw NoDeviceError(sentence("gpu(", device, "): cannot get its properties: ", error_text(result)));
    }
    return properties;
}

/// Returns a compute capability as a text: "9.0" for 90.
inline std::string capability_text(int capability) { return sentence(capability / 10, '.', capability % 10); }

/// Returns the target to compile for. Throws ArchitectureError if the device is older than all targets of the compiler.
inline Target target_for(const std::string& device, int capability, std::span<const int> supported) {
    if (const std::optional<Target> target = choose_target(capability, supported)) return *target;
    int oldest = 0;
    for (const int each : supported)
        if (each >= 70 && (oldest == 0 || each < oldest)) oldest = each;
    throw ArchitectureError(sentence("device '", device, "': expected compute capability ",
                                     oldest == 0 ? std::string("known to NVRTC") : capability_text(oldest),
                                     " or newer, found ", capability_text(capability)));
}

/// Opens a device. Throws NoDeviceError if there is no device of this number, ArchitectureError if kernels cannot be
/// compiled for it, DeviceError if it cannot be used for another reason.
inline std::shared_ptr<Backend> open_cuda(const GpuOptions& options = {}) {
    const std::string where = sentence("gpu(", options.device, ")");
    if (options.device < 0) throw ArgumentError(where, "a device number from 0 on", sentence(options.device));
    const DeviceCount found = count_devices();
    if (found.count == 0) throw NoDeviceError(sentence(where, ": there is no CUDA device (", found.none_because, ")"));
    if (options.device >= found.count)
        throw NoDeviceError(sentence(where, ": there is no such device; there are devices 0 to ", found.count - 1));
    const ::cudaDeviceProp properties = properties_of(options.device);
    int mode = cudaComputeModeDefault;
    if (::cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, options.device) == cudaSuccess &&
        mode == cudaComputeModeProhibited)
        throw NoDeviceError(sentence(where, ": device '", properties.name,
                                     "' is closed to all programs (compute mode \"prohibited\")"));
    const Target target =
        target_for(properties.name, properties.major * 10 + properties.minor, supported_architectures());
    auto backend =
        std::make_shared<CudaBackend>(options, properties, target, KernelCache(KernelCache::default_directory()));
    // Tests now, not in the middle of a run, whether the driver accepts the compiler's code for a newer device.
    if (!target.machine_code) {
        const auto trial = backend->compile(
            "struct sigma_trial_words { sigma_u64 x; };\nSIGMA_KERNEL(sigma_trial, 32, sigma_trial_words) {}\n");
        const std::uint64_t words[] = {0};
        backend->launch({trial->function("sigma_trial"), 1, 32, words, "trial"});
        backend->synchronize();
    }
    return backend;
}

}  // namespace sigma::on_gpu::cuda
