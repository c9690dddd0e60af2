// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// How far a trainer has come, as numbers.
struct RunRecord {
    std::uint64_t epoch = 0, iteration = 0;
    std::uint64_t batch = 0;  ///< steps taken in this epoch
    double total = 0;         ///< Σ loss · records of this epoch
    std::uint64_t seen = 0;   ///< records of this epoch
    double loss = 0, mean_loss = 0;
    MomentCounts counts{};

    /// f(name, number) for each.
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

enum class HooksFromFile {
    all,     ///< the trainer must have the hooks that wrote the file: they go on where they were
    ignore,  ///< hooks start afresh
};

namespace detail {

/// Of the networks that are constants.
template <class N>
inline constexpr std::uint64_t constant_fingerprint = training_fingerprint(N::expression);

struct CheckpointContents;
template <class T>
struct CheckedCheckpoint;

/// The states of the optimizer that several workers keep apart. They hold as long as the trainer's are their average.
template <class T>
struct WorkerStates {
    std::vector<T> average{};
    std::vector<std::vector<T>> of_each{};

    void clear() { of_each.clear(), average.clear(); }
    bool are_of(std::span<const T> states) const;
};

struct LoadedRun {
    RunRecord run;
    double runtime = 0;
    std::string frozen;
};

/// What a checkpoint of a trainer consists of. Tensors: parameters under their names, "1-dense.weights", states of the
/// optimizer as "optimizer.mean.1-dense.weights", those of the first of several workers that keep them apart as
/// "workers.1.optimizer.mean.1-dense.weights", hooks as "hooks.0.state", what the data's transforms have learned as
/// "preprocessing.0.standardize.mean". All else is metadata.
template <class T>
struct Checkpoint {
    const std::string& name;
    ModelStore<T>& model;
    std::uint64_t training;  ///< see training_fingerprint
    ListView<StateRecord> state_table;
    DualBuffer<T>& states;
    int lanes;  ///< to vectors of so many elements rows of parameters and states are padded
    const OptimizerTable& optimizer_table;
    void* optimizer;
    Minibatches& batches;
    std::vector<ArchivedHooks*> groups;
    WorkerStates<T>& workers;

    /// The file as bytes.
    std::vector<std::byte> write(RunRecord run, double runtime, const std::string& frozen) const;
    /// Sets all parts to what the file says. Throws, before anything is changed, where it does not fit.
    LoadedRun read(const SafetensorsFile& file, HooksFromFile hooks) const;

private:
    std::string parameter_name(int p) const;
    std::string state_name(int s) const;
    /// State s in the memory of a worker's.
    template <class X>
    ParameterRows<X> worker_rows(std::span<X> memory, int s) const {
        return rows_of(memory.data() + states.offset(s), state_table[s].shape, row_pitch(state_table[s].shape, lanes));
    }
    ParameterRows<const T> state_rows(int s) const;
    /// What could not be loaded is not written.
    void require_finite(std::uint64_t iteration) const;
    CheckedCheckpoint<T> examine(const CheckpointContents& contents, HooksFromFile hooks) const;
    void check_tensors(const CheckpointContents& contents, CheckedCheckpoint<T>& to) const;
    void check_data(const CheckpointContents& contents) const;
    void check_hooks(const CheckpointContents& contents) const;
    void apply(const CheckpointContents& contents, CheckedCheckpoint<T>& checked) const;
};

/// Where a run began, for going back to it: all but the optimizer's numbers.
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
    /// Whether the hooks are those of then and have their state again.
    bool restore(ModelStore<T>& model, DualBuffer<T>& states, Hooks hooks) const;

private:
    std::vector<T> parameters_, states_;
    std::vector<double> hyperparameters_;
    std::vector<Archive> hooks_;
    std::string sentences_;
};

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/checkpoint.ipp>
#endif
