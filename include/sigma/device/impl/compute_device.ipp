// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/config.hpp>
#include <sigma/device/compute_device.hpp>

namespace sigma {

SIGMA_IMPL DeviceMemoryError::DeviceMemoryError(const std::string& device, const std::string& what,
                                                std::uint64_t asked_, std::uint64_t free_)
    : DeviceError(sentence("memory of device '", device, "': expected ", asked_, " bytes for ", what, ", found ", free_,
                           " free")),
      asked(asked_), free(free_) {}

SIGMA_IMPL KernelError::KernelError(const std::string& device, std::string operation_, const std::string& what)
    : DeviceError(sentence("device '", device, "', operation '", operation_, "': ", what)),
      operation(std::move(operation_)) {}

}  // namespace sigma

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
