// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/execution/batch_buffers.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/optimizer/table.hpp>
#include <sigma/trainer/checkpoint.hpp>
#include <sigma/trainer/run/modifiers.hpp>
#include <sigma/trainer/run/nan_replay.hpp>
#include <sigma/trainer/run/running_steps.hpp>
#include <sigma/trainer/run/step_record.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sigma::detail {

/// An optimizer without its type, with the copies of it that are kept for later.
struct OptimizerPlaces {
    const OptimizerTable& table;
    void* now;
    void* first;         ///< the optimizer of the trainer's constructor
    void* at_beginning;  ///< the optimizer at the beginning of the current or last run
};

/// The state of a training: takes one step after the other, and finds the source of a number that is not finite.
template <class T>
class Training {
public:
    Training(Minibatches batches, ModelStore<T>& model, StepCore<T>& step, const OptimizerTable& optimizer,
             const NetworkTape& tape);
    ~Training();

    BatchLoader<T> buffers;
    Minibatches& batches() { return buffers.batches(); }  ///< changed after `buffers.halt()` only
    const Minibatches& batches() const { return buffers.batches(); }
    ModelStore<T>& model;
    StepCore<T>& step;
    Modifiers<T> modifiers;
    StepRecord<T> step_record;

    // Other threads read these, too.
    Relaxed<std::uint64_t> epoch, iteration;
    Relaxed<std::uint64_t> batch;  ///< steps taken in this epoch
    Relaxed<double> loss, mean_loss;
    std::vector<Relaxed<double>> losses;  ///< loss of each cost
    std::ptrdiff_t gathered = 0;          ///< number of records in the buffers

    bool epoch_is_over() const { return batch == batches().batches_per_epoch(); }
    /// Marks the current state as the point to return to. Steps before this point are not repeated.
    void begin_here();

    // ---- devices ----

    /// The steps of the run. Call `begin_run`, then one of its functions `enter`, which selects the device, then
    /// `give_worker_states`. At the end call `end_run` or, for the exception that is being handled, `fail_run`: the CPU
    /// has all memory again. After a DeviceError the state is that of the last `begin_here`.
    RunningSteps<T> steps;
    void begin_run();
    void end_run();
    void fail_run();
    /// True if a step throws NumericError first when a hyperparameter of the optimizer is not finite.
    bool checks_scalars = false;
    /// Fetches the losses from an accelerator, on the training thread. On another thread it requests them, and the run
    /// fetches them before its next step.
    void refresh();
    /// Gathers the records of the last step if an accelerator took it. Returns how many there are.
    std::ptrdiff_t records_at_hand();
    /// Merges the networks of all workers.
    void merge() {
        if (steps.now()) steps.now()->merge();
    }
    /// Returns the workers of the run, or null if the run has none.
    RunWorkers<T>* workers() const { return steps.now() ? steps.now()->workers() : nullptr; }
    /// Returns the separate optimizer states of several workers: of the current run, the last one, or a file.
    WorkerStates<T>& worker_states();
    /// Gives the workers their separate states, if their number is equal.
    void give_worker_states();
    /// Executes, before a step, the requests of hooks in the workers that take it.
    void meet();
    /// Throws NumericError if a loss that was fetched is not finite.
    void check_sound();
    /// Returns whether all losses have been finite so far. Waits for the device.
    bool is_sound() { return refresh(), non_finite_ == 0; }
    /// Takes the next step of the epoch, and returns its number of records. `wants` returns what hooks will read after
    /// it.
    std::uint64_t iterate(const void* optimizer, const AnyFunction<Wants()>& wants);
    /// Ends the epoch. Throws NumericError if a parameter is not finite.
    void end_epoch();
    /// Returns to the beginning of training, with new initial parameters as their layers define them.
    void start_again();
    /// Replaces the data, between runs. An unfinished epoch begins again. Throws without a change if the records do not
    /// match the network.
    void take(Minibatches minibatches);

    const NetworkTape& tape() const { return tape_; }
    RunRecord record(const MomentCounts& counts);
    void set(const RunRecord& r);

private:
    const OptimizerTable& optimizer_;
    const NetworkTape& tape_;
    NanReplay<T> replay_;
    RunRecord before_{};  ///< the progress at the last `begin_here`
    WorkerStates<T> worker_states_{};
    double total_ = 0;              ///< Σ loss · records of this epoch
    std::uint64_t seen_ = 0;        ///< records of this epoch
    std::uint64_t non_finite_ = 0;  ///< the first step with a loss known not to be finite; 0: none

    int costs() const { return model.network().costs.size(); }
    /// Computes and keeps the optimizer's scalars of the next step.
    const double* note(const void* optimizer);
    /// Takes one step with frozen parameters and modifiers.
    void advance(const double* scalars, std::uint64_t number);
    /// Gathers the records of a batch of this epoch as dense rows. Returns how many there are.
    std::ptrdiff_t gather(std::uint64_t number) {
        gathered = buffers.gather(epoch, number);
        steps.gathered_here();
        return gathered;
    }
    /// Throws the NumericError of the step after `sound` steps of this epoch. The parameters before that step are lost,
    /// but steps can be repeated exactly: it starts again at the epoch's beginning, stops before the faulty step, and
    /// searches the layer.
    [[noreturn, gnu::cold]] void fail(std::uint64_t sound);
    void repeat(std::uint64_t until);
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/run/impl/training.ipp>
#endif
