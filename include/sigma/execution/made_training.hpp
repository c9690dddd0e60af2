// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/execution/training_programs.hpp>
#include <sigma/tape/program.hpp>

namespace sigma::detail {

class MadeTables;

/// The programs for training a run-time network.
template <class T>
class MadeTraining {
public:
    MadeTraining(const MadeTables& network, const UpdateRule& rule, int lanes);
    ~MadeTraining();

    const CompiledProgram<T>& step();
    /// Returns the records of the optimizer's states.
    ListView<StateRecord> state_table() const;
    /// Returns the program of a step as traced.
    Program operations() const;
    DataParallelPlans data_parallel();
    StepInParts in_parts() const;

    // ---- for a BatchTrainer ----

    const CompiledProgram<T>& update();
    const CompiledProgram<T>& program(BatchPurpose purpose);
    /// Returns the numbers of changed_statistics.
    ListView<int> statistics() const;

private:
    struct Made;
    const MadeTables& network_;
    const UpdateRule& rule_;
    int lanes_;
    Owned<Made> made_;

    Program traced_update() const;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/made_training.ipp>
#endif
