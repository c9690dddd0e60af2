// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/staged_group.hpp>

namespace sigma::detail {

SIGMA_IMPL void StagedGroup::all_reduce(std::span<void* const> arrays, std::size_t count, ElementType element) {
    const std::lock_guard turn(turn_);
    if (arrays.size() != size())
        throw ArgumentError("sum over a group of devices", sentence(size(), " arrays"), sentence(arrays.size()));
    if (element == ElementType::float32) sum_of<float>(arrays, count);
    else sum_of<double>(arrays, count);
}

SIGMA_IMPL void StagedGroup::make_room(std::size_t bytes) {
    if (bytes <= bytes_) return;
    release();
    sum_ = members()[0]->allocate_host(bytes);
    next_ = members()[0]->allocate_host(bytes);
    bytes_ = bytes;
}

SIGMA_IMPL void StagedGroup::release() noexcept {
    for (void** const memory : {&sum_, &next_})
        if (*memory) members()[0]->release_host(std::exchange(*memory, nullptr));
    bytes_ = 0;
}

}  // namespace sigma::detail
