// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/device.hpp>

namespace sigma {

SIGMA_IMPL detail::Cpu cpu(int threads) {
    if (threads < 1 || threads > 1024) throw ArgumentError("cpu", "1 to 1024 threads", sentence(threads));
    return {threads};
}

SIGMA_IMPL void detail::throw_other_device(const Device& wanted, const Device& found) {
    throw ArgumentError("arrays in the memory of a device", sentence("such of ", wanted.name()),
                        sentence("one of ", found.name()));
}

}  // namespace sigma
