// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/compute_device.hpp>

#include <span>
#include <string>
#include <vector>

namespace sigma::detail {

/// Several accelerators of one kind in one machine that work together. Several threads may use a group if they may use
/// its members.
class ComputeGroup {
public:
    /// Constructs a group. Throws ArgumentError for fewer than two devices or if a device appears twice.
    explicit ComputeGroup(std::vector<detail::SharedOwner<ComputeDevice>> members);
    virtual ~ComputeGroup() = default;
    ComputeGroup(const ComputeGroup&) = delete;
    ComputeGroup& operator=(const ComputeGroup&) = delete;

    const std::vector<detail::SharedOwner<ComputeDevice>>& members() const { return members_; }
    std::size_t size() const { return members_.size(); }
    /// Returns the number and the name of the members: "2 x NVIDIA H100".
    std::string name() const { return sentence(size(), " x ", members_[0]->name()); }

    /// Replaces one array of `count` elements of each member by the sum over all members, bit-identical on each. The
    /// sum is ordered with the other work of each member. Throws DeviceError.
    virtual void all_reduce(std::span<void* const> arrays, std::size_t count, ElementType element) = 0;
    /// Waits for all work of all members. Throws DeviceError if work of one member has failed. The others might then
    /// wait for it forever, so after a sum always wait for the group, never for one member.
    SIGMA_IMPL virtual void synchronize();
    /// Ends the waiting of members for each other after a failure. The group is usable again if its members are.
    virtual void abort() noexcept {}

private:
    std::vector<detail::SharedOwner<ComputeDevice>> members_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/compute_group.ipp>
#endif
