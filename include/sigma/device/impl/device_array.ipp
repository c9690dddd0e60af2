// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/cpu/device.hpp>
#include <sigma/device/device_array.hpp>

namespace sigma::detail {

/// Returns the device that owns the memory of arrays: the accelerator, or one object for the processor.
inline const SharedOwner<ComputeDevice>& memory_of(const Device& device) {
    return device.compute_device() ? device.compute_device() : calling_thread();
}

SIGMA_IMPL DeviceBytes::DeviceBytes(Device device, std::size_t bytes)
    : device_(std::move(device)), bytes_(bytes), memory_(memory_of(device_), bytes > 0 ? bytes : 1, "an array") {}

SIGMA_IMPL DeviceBytes::DeviceBytes(const DeviceBytes& other) : DeviceBytes(other.device_, other.bytes_) {
    memory_.device()->copy(memory_.data(), other.memory_.data(), bytes_);
}

SIGMA_IMPL DeviceBytes& DeviceBytes::operator=(DeviceBytes other) noexcept {
    device_ = std::move(other.device_);
    bytes_ = other.bytes_;
    memory_ = std::move(other.memory_);
    return *this;
}

SIGMA_IMPL void DeviceBytes::upload(const void* from) { memory_.device()->upload(memory_.data(), from, bytes_); }

SIGMA_IMPL void DeviceBytes::download(void* to) const { memory_.device()->download(to, memory_.data(), bytes_); }

}  // namespace sigma::detail
