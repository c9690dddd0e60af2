// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/shared_owner.hpp>
#include <sigma/device/accelerator.hpp>

#include <span>
#include <string>
#include <vector>

namespace sigma {

/// Several accelerators of one kind, in one machine, that work on the same thing. Several threads may use it where they
/// may use its members.
class AcceleratorGroup {
public:
    /// Throws ArgumentError for less than two, or for one that is there twice.
    explicit AcceleratorGroup(std::vector<detail::SharedOwner<Accelerator>> members);
    virtual ~AcceleratorGroup() = default;
    AcceleratorGroup(const AcceleratorGroup&) = delete;
    AcceleratorGroup& operator=(const AcceleratorGroup&) = delete;

    const std::vector<detail::SharedOwner<Accelerator>>& members() const { return members_; }
    std::size_t size() const { return members_.size(); }
    /// "2 x NVIDIA H100"
    std::string name() const { return sentence(size(), " x ", members_[0]->name()); }

    /// One array of each member, `count` elements: each becomes the sum over all members, with the same bits on each.
    /// Happens in the order of what was asked of each member. Throws DeviceError.
    virtual void sum(std::span<void* const> arrays, std::size_t count, ElementType element) = 0;
    /// Waits for all work of all members. Throws DeviceError where that of one has failed: others may wait for it for
    /// ever, so that nothing may wait for one member alone after a sum.
    virtual void synchronize();
    /// After a failure: members that wait for others give up. The group can be used again where its members can.
    virtual void give_up() noexcept {}

private:
    std::vector<detail::SharedOwner<Accelerator>> members_;
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/device/impl/accelerator_group.ipp>
#endif
