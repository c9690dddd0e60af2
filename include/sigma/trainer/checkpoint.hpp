// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// HooksFromFile, and the contents of a trainer's checkpoints. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/error.hpp>
#include <sigma/data/minibatches.hpp>
#include <sigma/hook/archive.hpp>
#include <sigma/hook/value.hpp>
#include <sigma/network/model_store.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/network/programs.hpp>
#include <sigma/optimizer/table.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sigma {

namespace detail {

/// The progress of a trainer as numbers.
struct RunRecord {
    std::uint64_t epoch = 0, iteration = 0;
    std::uint64_t batch = 0;  ///< steps taken in this epoch
    double total = 0;         ///< Σ loss · records of this epoch
    std::uint64_t seen = 0;   ///< records of this epoch
    double loss = 0, mean_loss = 0;
    MomentCounts counts{};

    /// Calls f(name, number) for each number.
    void visit(auto f) {
        f("epoch", epoch);
        f("iteration", iteration);
        f("batch", batch);
        f("total", total);
        f("seen", seen);
        f("loss", loss);
        f("error", mean_loss);
        for (int m = 0; m < moment_count; ++m) {
            const auto moment = static_cast<Moment>(m);
            f(sentence("count.", text(moment)), counts[moment]);
        }
    }
};

}  // namespace detail

class SafetensorsFile;

/// Choices for the state of hooks when a trainer loads a checkpoint.
///
/// @par Example
/// @code
/// trainer.save("digits.sigma");
/// trainer.load("digits.sigma", HooksFromFile::ignore);
/// @endcode
enum class HooksFromFile {
    all,     ///< Continues the hooks from the file. The trainer must have the hooks of the trainer that wrote it.
    ignore,  ///< Starts the hooks again. The trainer may have other hooks.
};

namespace detail {

/// Fingerprint of a compile-time network.
template <class N>
inline constexpr std::uint64_t constant_fingerprint = training_fingerprint(N::expression);

struct CheckpointContents;
template <class T>
struct CheckedCheckpoint;

/// The separate optimizer states of several workers. They are valid as long as the trainer's states are their average.
template <class T>
struct WorkerStates {
    std::vector<T> average{};
    std::vector<std::vector<T>> of_each{};

    void clear() { of_each.clear(), average.clear(); }
    bool are_of(std::span<const T> states) const;
};

/// The parts of a checkpoint that its reader applies itself.
struct LoadedRun {
    RunRecord run;
    double runtime = 0;
    std::string frozen;
};

/// The parts of a trainer's checkpoint. Tensors: parameters under their names, "1-dense.weights"; states of the
/// optimizer as "optimizer.mean.1-dense.weights"; separate states of the first worker as
/// "workers.1.optimizer.mean.1-dense.weights"; hooks as "hooks.0.state"; learned numbers of transforms as
/// "preprocessing.0.standardize.mean". Everything else is metadata.
template <class T>
struct Checkpoint {
    const std::string& name;
    ModelStore<T>& model;
    std::uint64_t training;  ///< see training_fingerprint
    ListView<StateRecord> state_table;
    DualBuffer<T>& states;
    int lanes;  ///< rows of parameters and states are padded to a multiple of so many elements
    const OptimizerTable& optimizer_table;
    void* optimizer;
    Minibatches& batches;
    std::vector<ArchivedHooks*> groups;
    WorkerStates<T>& workers;

    /// Returns the file as bytes.
    std::vector<std::byte> write(RunRecord run, double runtime, const std::string& frozen) const;
    /// Sets all parts from the file. Throws before anything is changed if the file does not match.
    LoadedRun read(const SafetensorsFile& file, HooksFromFile hooks) const;

private:
    std::string parameter_name(int p) const;
    std::string state_name(int s) const;
    /// Returns the rows of state s in the memory of a worker.
    template <class X>
    ParameterRows<X> worker_rows(std::span<X> memory, int s) const {
        return rows_of(memory.data() + states.offset(s), state_table[s].shape, row_pitch(state_table[s].shape, lanes));
    }
    ParameterRows<const T> state_rows(int s) const;
    /// Throws NumericError if a parameter or state is not finite, since such a file could not be loaded.
    void require_finite(std::uint64_t iteration) const;
    CheckedCheckpoint<T> examine(const CheckpointContents& contents, HooksFromFile hooks) const;
    void check_tensors(const CheckpointContents& contents, CheckedCheckpoint<T>& to) const;
    void check_data(const CheckpointContents& contents) const;
    void check_hooks(const CheckpointContents& contents) const;
    void apply(const CheckpointContents& contents, CheckedCheckpoint<T>& checked) const;
};

/// The state in which a run began, without the optimizer's hyperparameters.
template <class T>
struct RunSnapshot {
    using Hooks = std::span<ArchivedHooks* const>;

    bool taken = false;
    RunRecord run{};
    double runtime = 0;  ///< seconds
    std::string frozen{};
    ~RunSnapshot();

    void take(const ModelStore<T>& model, const DualBuffer<T>& states, Hooks hooks, const RunRecord& record,
              std::string frozen_names);
    /// Restores the state. Returns whether the hooks are the same as then, so that their state is restored, too.
    bool restore(ModelStore<T>& model, DualBuffer<T>& states, Hooks hooks) const;

private:
    std::vector<T> parameters_, states_;
    std::vector<double> hyperparameters_;
    std::vector<Archive> hooks_;
    std::string hooks_text_;
};

/// Returns the name of an optimizer in checkpoints.
std::string optimizer_name(const OptimizerTable& optimizer);

/// Joins the lines of a text by semicolons.
std::string in_one_line(std::string text);

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/checkpoint.ipp>
#endif
