// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/compute_device.hpp>

#include <span>
#include <string>
#include <vector>

namespace sigma::detail {

/// Several accelerators of one kind, in one machine, that work on the same thing. Several threads may use it where they
/// may use its members.
class ComputeGroup {
public:
    /// Throws ArgumentError for less than two, or for one that is there twice.
    explicit ComputeGroup(std::vector<detail::SharedOwner<ComputeDevice>> members);
    virtual ~ComputeGroup() = default;
    ComputeGroup(const ComputeGroup&) = delete;
    ComputeGroup& operator=(const ComputeGroup&) = delete;

    const std::vector<detail::SharedOwner<ComputeDevice>>& members() const { return members_; }
    std::size_t size() const { return members_.size(); }
    /// "2 x NVIDIA H100"
    std::string name() const { return sentence(size(), " x ", members_[0]->name()); }

    /// One array of each member, `count` elements: each becomes the sum over all members, with the same bits on each.
    /// Happens in the order of what was asked of each member. Throws DeviceError.
    virtual void all_reduce(std::span<void* const> arrays, std::size_t count, ElementType element) = 0;
    /// Waits for all work of all members. Throws DeviceError where that of one has failed: others may wait for it for
    /// ever, so that nothing may wait for one member alone after a sum.
    virtual void synchronize();
    /// After a failure: members that wait for others give up. The group can be used again where its members can.
    virtual void abort() noexcept {}

private:
    std::vector<detail::SharedOwner<ComputeDevice>> members_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/compute_group.ipp>
#endif
