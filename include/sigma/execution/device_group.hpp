// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/compute_group.hpp>
#include <sigma/device/device.hpp>

#include <concepts>
#include <string>
#include <utility>

namespace sigma::detail {

/// The place of a data-parallel run: a group of accelerators, or one device: `trainer.run(gpus(2))`. A class of its
/// own, so that programs without groups do not compile what groups need.
class DeviceGroup {
public:
    DeviceGroup(detail::SharedOwner<ComputeGroup> group) : device_(Cpu{}), group_(std::move(group)) {}
    /// Constructs a place from a description, which opens a group now, as `gpus()` does. Throws what opening throws.
    template <std::convertible_to<detail::SharedOwner<ComputeGroup>> D>
        requires(!std::same_as<D, DeviceGroup>)
    DeviceGroup(const D& description) : DeviceGroup(detail::SharedOwner<ComputeGroup>(description)) {}
    explicit DeviceGroup(Device device) : device_(std::move(device)) {}

    /// Returns the group; null for one device.
    const detail::SharedOwner<ComputeGroup>& group() const& { return group_; }
    detail::SharedOwner<ComputeGroup> group() && { return group_; }
    /// Returns the device, if there is no group.
    const Device& device() const& { return device_; }
    Device device() && { return device_; }
    /// Returns "2 x NVIDIA H100", or the name of the one device.
    std::string name() const { return group_ ? group_->name() : device_.name(); }

private:
    Device device_;
    detail::SharedOwner<ComputeGroup> group_;
};

}  // namespace sigma::detail
