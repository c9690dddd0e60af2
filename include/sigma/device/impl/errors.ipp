// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/errors.hpp>

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
