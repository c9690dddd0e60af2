// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/compute_group.hpp>
#include <sigma/device/device.hpp>

#include <concepts>
#include <string>
#include <utility>

namespace sigma::detail {

/// What a data-parallel run happens on: a group of accelerators, or one device where there is no group.
/// `trainer.run(gpus(2))`. A type of its own, so that programs that name no group do not compile what it needs.
class DeviceGroup {
public:
    DeviceGroup(detail::SharedOwner<ComputeGroup> group) : device_(Cpu{}), group_(std::move(group)) {}
    /// What names a group and opens it now, as `gpus()` does. Throws what that throws.
    template <std::convertible_to<detail::SharedOwner<ComputeGroup>> D>
        requires(!std::same_as<D, DeviceGroup>)
    DeviceGroup(const D& description) : DeviceGroup(detail::SharedOwner<ComputeGroup>(description)) {}
    explicit DeviceGroup(Device device) : device_(std::move(device)) {}

    /// None where it is one device.
    const detail::SharedOwner<ComputeGroup>& group() const& { return group_; }
    detail::SharedOwner<ComputeGroup> group() && { return group_; }
    /// That one device.
    const Device& device() const& { return device_; }
    Device device() && { return device_; }
    /// "2 x NVIDIA H100", or what the one device is called.
    std::string name() const { return group_ ? group_->name() : device_.name(); }

private:
    Device device_;
    detail::SharedOwner<ComputeGroup> group_;
};

}  // namespace sigma::detail
