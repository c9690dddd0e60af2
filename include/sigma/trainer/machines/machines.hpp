// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// MachineSet and MachineOptions, for training in several processes. Included by `<sigma/machines.hpp>`.
#include <sigma/core/owners.hpp>
#include <sigma/device/device.hpp>
#include <sigma/execution/machine_group.hpp>
#include <sigma/trainer/workers/workers.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sigma {

/// Options of `machines`.
///
/// @see machines
struct MachineOptions {
    /// Number of parts of each batch, at least the number of processes. Runs with equal numbers of parts are
    /// bit-identical, whatever the number of processes. 0: 4, or the next power of two if there are more processes.
    int parts = 0;
    /// Seconds to wait for other processes, from when the first one waits: in `machines`, when MPI is initialized, and
    /// at the beginning of a run.
    double patience = 60;
};

/// The processes of a run. Made by `machines`.
///
/// @par Example
/// @code{.txt}
/// const MachineSet all = machines(cpu(2));
/// trainer.run(all, 10);
/// if (all.first()) std::puts("done");
/// @endcode
/// @see machines
struct MachineSet {
    /// @cond internal
    detail::SharedOwner<detail::MachineGroup> group;
    /// @endcond
    Device device;           ///< Device of this process.
    MachineOptions options;  ///< Options of the run.
    /// @cond internal
    // The workers of this process, which replace the device.
    detail::SharedOwner<const WorkerSet> workers{};
    /// @endcond

    /// Returns the number of this process, from 0.
    int rank() const { return group->rank(); }
    /// Returns the number of processes.
    int count() const { return group->count(); }
    /// Returns whether this is rank 0, which executes hooks and prints.
    bool first() const { return rank() == 0; }
    /// Returns the number of parts of each batch, with the default resolved.
    /// @throws ArgumentError  if `MachineOptions::parts` is below the number of processes
    int parts() const;
};

namespace detail {

/// Processes that must be alike, and the text that describes what they must agree on. Default: no processes.
struct AlikeMachines {
    const MachineSet* machines = nullptr;
    std::string identity{};
};

/// The steps of a run by several processes. Rank 0 leads; the others follow until rank 0 ends the run.
class SharedRun {
public:
    /// Ends the run. Called by rank 0, with the result that `follow` returns in the others.
    virtual void end(std::vector<std::byte> result) = 0;
    /// Takes the steps that rank 0 orders, and returns the result that rank 0 passed to `end`.
    virtual std::vector<std::byte> follow() = 0;

protected:
    ~SharedRun() = default;
};

}  // namespace detail

}  // namespace sigma
