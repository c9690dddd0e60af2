// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <gpu/host/host_backend.hpp>
#include <sigma/device/staged_group.hpp>

namespace sigma::on_gpu {

/// Returns the logic of several GPUs on the processor, for tests. Throws DeviceError, and ArgumentError for fewer than
/// two members.
inline std::shared_ptr<sigma::detail::ComputeGroup> host_group(std::size_t members, const HostOptions& options = {}) {
    std::vector<sigma::detail::SharedOwner<sigma::detail::ComputeDevice>> all;
    for (std::size_t m = 0; m < members; ++m) all.push_back(host_device(options));
    return std::make_shared<sigma::detail::StagedGroup>(std::move(all));
}
/// Returns a member of a host_group as its HostBackend.
inline HostBackend& host_member(const sigma::detail::ComputeGroup& group, std::size_t member) {
    return dynamic_cast<HostBackend&>(*group.members()[member]);
}

}  // namespace sigma::on_gpu
