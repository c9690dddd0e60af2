// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <cstdint>

namespace sigma {

/// A device that cannot be used, or that failed: what all errors of accelerators are.
struct DeviceError : Error {
    using Error::Error;
};

/// There is no such device here. "gpu(0): expected a device, found none (…)"
struct NoDeviceError : DeviceError {
    using DeviceError::DeviceError;
};

/// A device that this library, or the installed toolkit, makes no programs for.
struct ArchitectureError : DeviceError {
    using DeviceError::DeviceError;
};

/// Device memory that was not to be had.
/// "memory of device 'NVIDIA H100': expected 83886080 bytes for the arena of 1024 records, found 1048576 free"
struct DeviceMemoryError : DeviceError {
    std::uint64_t asked, free;  ///< bytes

    DeviceMemoryError(const std::string& device, const std::string& what, std::uint64_t asked_, std::uint64_t free_);
};

/// A kernel that could not be made or that failed while it ran; `operation` says which, as the plan calls it.
struct KernelError : DeviceError {
    std::string operation;

    KernelError(const std::string& device, std::string operation_, const std::string& what);
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/errors.ipp>
#endif
