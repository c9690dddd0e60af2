// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/device/device.hpp>
#include <sigma/execution/machine_group.hpp>
#include <sigma/trainer/workers.hpp>

#include <cstddef>
#include <string>
#include <vector>

/// Training by several processes, which take a part of each batch each, or train networks apart.
namespace sigma {

struct MachineOptions {
    /// Each batch is cut into so many parts, at least one for each process, whatever number of processes there is: as
    /// many parts, as many bits. 0: 4, or the next power of two where there are more processes.
    int parts = 0;
    /// Seconds that processes wait for others that have not come, from when the first of them waits: to `machines`,
    /// where MPI begins, and to the beginning of a run.
    double patience = 60;
};

/// See `machines`, of <sigma/machines.hpp>.
struct MachineSet {
    detail::SharedOwner<detail::MachineGroup> group;
    Device device;  ///< of this process
    MachineOptions options;
    /// In place of the device: each process has workers of its own, and the run is one by all of them.
    detail::SharedOwner<const WorkerSet> workers{};

    /// The number of this process, from 0, and how many there are.
    int rank() const { return group->rank(); }
    int count() const { return group->count(); }
    /// Is it the process whose hooks act, and that prints?
    bool first() const { return rank() == 0; }
    int parts() const;
};

namespace detail {

/// Processes that are to be alike, and in what; none.
struct AlikeMachines {
    const MachineSet* machines = nullptr;
    std::string identity{};
};

/// The steps of a run by several processes. Rank 0 says what is to be done; the others do that until it ends the run.
class SharedRun {
public:
    /// Of rank 0: the run has ended, with this for the others, which `follow` returns to them.
    virtual void end(std::vector<std::byte> result) = 0;
    virtual std::vector<std::byte> follow() = 0;

protected:
    ~SharedRun() = default;
};

}  // namespace detail

}  // namespace sigma
