// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/compute_device.hpp>

namespace sigma::detail {

SIGMA_IMPL DeviceMemory::DeviceMemory(detail::SharedOwner<ComputeDevice> device, std::size_t bytes,
                                      const std::string& what)
    : device_(std::move(device)), data_(device_->allocate(bytes, what)), bytes_(bytes) {}

SIGMA_IMPL DeviceMemory& DeviceMemory::operator=(DeviceMemory&& other) noexcept {
    swap(other);
    return *this;
}

SIGMA_IMPL DeviceMemory::~DeviceMemory() {
    if (data_) device_->release(data_);
}

SIGMA_IMPL void DeviceMemory::swap(DeviceMemory& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
}

}  // namespace sigma::detail
