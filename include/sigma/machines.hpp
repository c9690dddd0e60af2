// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/trainer/machines.hpp>

/// Processes that MPI has started, on one machine or on many: `mpirun -n 4 program`, or Slurm's srun. The component
/// sigma::machines, find_package(sigma COMPONENTS machines), which needs MPI.
SIGMA_INCLUDED(sigma, include_sigma_machines_hpp);

namespace sigma {

/// All processes that were started together, for `trainer.run(machines(cpu(2)), 10)`; each says what device it has. MPI
/// begins with the first call, unless the program has begun it (with MPI_THREAD_SERIALIZED at least), and ends with the
/// program. Where one process alone was started it is rank 0 of 1. Throws MachineError where MPI does not begin,
/// ArgumentError for less parts than processes.
MachineSet machines(Device device = cpu(1), MachineOptions options = {});
/// Each process trains networks apart, with workers of its own, `trainer.run(machines(workers(2)), 10)`: those of rank
/// 0 are the first, and the run is that of as many `workers` in one process, bit by bit. `.parts` means nothing here.
MachineSet machines(WorkerSet workers, MachineOptions options = {});

}  // namespace sigma
