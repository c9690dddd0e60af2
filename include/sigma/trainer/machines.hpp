// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/device.hpp>
#include <sigma/execution/machine_group.hpp>

/// Training by several processes, which take a part of each batch each.
namespace sigma {

struct MachineOptions {
    /// Each batch is cut into so many parts, at least one for each process, whatever number of processes there is: as
    /// many parts, as many bits. 0: 4, or the next power of two where there are more processes.
    int parts = 0;
    /// Seconds that a run waits, when it begins, for processes that have not come to it.
    double patience = 60;
};

/// See `machines`, of <sigma/machines.hpp>.
struct MachineSet {
    detail::SharedOwner<detail::MachineGroup> group;
    Device device;  ///< of this process
    MachineOptions options;

    /// The number of this process, from 0, and how many there are.
    int rank() const { return group->rank(); }
    int count() const { return group->count(); }
    /// Is it the process whose hooks act, and that prints?
    bool first() const { return rank() == 0; }
    int parts() const;
};

}  // namespace sigma
