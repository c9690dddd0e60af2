// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/offload.hpp>

namespace sigma::detail {

SIGMA_IMPL std::vector<int> written_tensors(const PlanView& plan, Buffer::Where where) {
    std::vector<int> all;
    for (const Argument& a : plan.arguments) {
        const Buffer& b = plan.buffers[static_cast<std::size_t>(a.buffer)];
        if (a.written && b.where == where && std::ranges::find(all, b.offset) == all.end()) all.push_back(b.offset);
    }
    return all;
}

}  // namespace sigma::detail
