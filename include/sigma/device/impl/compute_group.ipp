// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/device/compute_group.hpp>

#include <utility>

namespace sigma::detail {

SIGMA_IMPL ComputeGroup::ComputeGroup(std::vector<detail::SharedOwner<ComputeDevice>> members)
    : members_(std::move(members)) {
    if (members_.size() < 2) throw ArgumentError("group of devices", "two devices or more", sentence(members_.size()));
    for (std::size_t i = 0; i < members_.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (members_[i] == members_[k])
                throw ArgumentError("group of devices", "each device once",
                                    sentence("the same device at positions ", k, " and ", i));
}

SIGMA_IMPL void ComputeGroup::synchronize() {
    for (const auto& member : members_) member->synchronize();
}

}  // namespace sigma::detail
