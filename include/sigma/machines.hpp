// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The function machines, for training in several processes with MPI. Include it yourself: `<sigma/machines.hpp>`, and
/// link `sigma::machines` of `find_package(sigma COMPONENTS machines)`, which needs MPI.
#include <sigma/core/words.hpp>
#include <sigma/trainer/machines/machines.hpp>

SIGMA_INCLUDED(sigma, include_sigma_machines_hpp);

namespace sigma {

/// Returns all processes that `mpirun -n 4 program` or Slurm's srun has started, for a run that splits each batch among
/// them.
///
/// Each process calls this function with its own device. The first call initializes MPI, unless your program has done
/// so (with MPI_THREAD_SERIALIZED or higher). MPI is finalized at the end of the program. A process that was started
/// alone is rank 0 of 1. If processes are missing after `options.patience` seconds, each waiting process prints an
/// error and exits with status 1.
///
/// @param device   device of this process; default: one thread of the CPU
/// @param options  number of parts of a batch, and time to wait for other processes
/// @throws MachineError   if MPI cannot be initialized
/// @throws ArgumentError  if `options.parts` is less than the number of processes
///
/// @par Example
/// @code{.txt}
/// #include <sigma/machines.hpp>
/// …
/// trainer.run(machines(cpu(2)), 10);
/// @endcode
/// @see docs/machines.md
MachineSet machines(Device device = cpu(1), MachineOptions options = {});
/// Returns all processes for a run that trains separate networks, with workers in each process.
///
/// The workers of rank 0 come first. The run is bit-identical to one with as many `workers` in one process.
///
/// @param workers  the workers of this process, such as `workers(2)`
/// @param options  time to wait for other processes; `options.parts` has no effect
/// @throws MachineError  if MPI cannot be initialized
///
/// @par Example
/// @code{.txt}
/// trainer.run(machines(workers(2)), 10);
/// @endcode
MachineSet machines(WorkerSet workers, MachineOptions options = {});

}  // namespace sigma
