// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/core/threads.hpp>
#include <sigma/execution/batch_buffers.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/optimizer/table.hpp>
#include <sigma/trainer/checkpoint.hpp>
#include <sigma/trainer/modifiers.hpp>
#include <sigma/trainer/nan_replay.hpp>
#include <sigma/trainer/running_steps.hpp>
#include <sigma/trainer/step_record.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sigma::detail {

/// An optimizer without its type: what it is now and in which state it is kept for later.
struct OptimizerPlaces {
    const OptimizerTable& table;
    void* now;
    void* first;         ///< what the trainer was made with
    void* at_beginning;  ///< of the present or last run
};

/// What is trained and how far it has come; takes one step after the other, and knows how to find out why one failed.
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

    // Read from other threads too.
    Relaxed<std::uint64_t> epoch, iteration;
    Relaxed<std::uint64_t> batch;  ///< steps taken in this epoch
    Relaxed<double> loss, mean_loss;
    std::vector<Relaxed<double>> losses;  ///< of each cost
    std::ptrdiff_t gathered = 0;          ///< records in the buffers

    bool epoch_is_over() const { return batch == batches().batches_per_epoch(); }
    /// A place to go back to: steps before this one will not be repeated.
    void begin_here();

    // ---- where steps are taken ----

    /// Calls `run` while the steps are taken where `enter` says. The processor has everything again afterwards. After a
    /// DeviceError all is as at the last `begin_here`.
    void on(const AnyFunction<void(RunningSteps<T>&)>& enter, const AnyFunction<void()>& run);
    /// Throws NumericError before a step with a number of the optimizer that is not finite.
    bool checks_scalars = false;
    /// Fetches what an accelerator knows of the losses, on the thread of the run. On another thread it asks for that:
    /// the run fetches them before its next step.
    void refresh();
    /// The records of the last step, for who looks at them.
    std::ptrdiff_t records_at_hand();
    /// What several workers have becomes one.
    void merge() { steps_.merge(); }
    /// The workers of the run, if it is one by workers.
    WorkerSteps<T>* workers() const { return steps_.workers(); }
    /// The states that several workers keep apart, of the run that goes on, the last one, or a file.
    WorkerStates<T>& worker_states();
    /// The workers take them, where they are as many.
    void give_worker_states();
    /// Before a step: what hooks in the workers that take it have asked for is done.
    void meet();
    /// Throws NumericError where a loss that is known by now was no finite number.
    void check_sound();
    /// Were all losses finite numbers so far? Waits for the device.
    bool is_sound() { return refresh(), non_finite_ == 0; }
    /// The next step of the epoch; returns how many records it took. `wants` says what hooks will read after it.
    std::uint64_t iterate(const void* optimizer, const AnyFunction<Wants()>& wants);
    /// Throws NumericError where a parameter has left the finite numbers.
    void end_epoch();
    /// Back to nothing learned; parameters are drawn anew as their layers say.
    void start_again();
    /// Goes on with these, between runs: an epoch that was begun begins anew. Throws, and changes nothing, where the
    /// network does not take them.
    void take(Minibatches minibatches);

    const NetworkTape& tape() const { return tape_; }
    RunRecord record(const MomentCounts& counts);
    void set(const RunRecord& r);

private:
    const OptimizerTable& optimizer_;
    const NetworkTape& tape_;
    NanReplay<T> replay_;
    RunningSteps<T> steps_;
    RunRecord before_{};  ///< at the last `begin_here`
    WorkerStates<T> worker_states_{};
    double total_ = 0;              ///< Σ loss · records of this epoch
    std::uint64_t seen_ = 0;        ///< records of this epoch
    std::uint64_t non_finite_ = 0;  ///< the step, known by now, whose loss was no finite number

    int costs() const { return model.network().costs.size(); }
    /// The scalars of the step to come, which are kept.
    const double* note(const void* optimizer);
    /// One step with all that surrounds it.
    void advance(const double* scalars, std::uint64_t number);
    /// Records of a batch of this epoch as dense rows; returns how many.
    std::ptrdiff_t gather(std::uint64_t number) {
        gathered = buffers.gather(epoch, number);
        steps_.gathered_here();
        return gathered;
    }
    /// After `sound` steps of this epoch, the next loss or the parameters are not finite. The parameters before the
    /// faulty step are gone, but steps can be repeated exactly: start again from the epoch's beginning, stop before the
    /// step that loses the finite numbers, and look where it does.
    [[noreturn, gnu::cold]] void fail(std::uint64_t sound);
    void repeat(std::uint64_t until);
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/training.ipp>
#endif
