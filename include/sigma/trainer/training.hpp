// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/relaxed.hpp>
#include <sigma/core/signal.hpp>
#include <sigma/core/this_thread.hpp>
#include <sigma/data/batches/position.hpp>
#include <sigma/trainer/constraints.hpp>
#include <sigma/trainer/fault.hpp>
#include <sigma/trainer/remote_training.hpp>
#include <sigma/trainer/run_record.hpp>
#include <sigma/trainer/step_record.hpp>
#include <sigma/worker/batch_ring.hpp>
#include <sigma/worker/evaluator.hpp>
#include <sigma/worker/step.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace sigma::detail {

/// What is trained and how far it has come; takes one step after the other, and knows how to find out why one failed.
template <AnyNetwork N, AnyOptimizer O, class T>
class Training {
public:
    Training(Minibatches batches_, std::uint64_t seed)
        : buffers(network_table<N>, std::move(batches_)), batches(buffers.batches()), model(seed), step(model) {
        fault_.reserve(batches.batches_per_epoch());
    }

    BatchRing<T> buffers;
    Minibatches& batches;  ///< changed after `buffers.halt()` only
    Model<N, T> model;
    Step<N, O, T> step;
    Constraints<T> constraints{network_table<N>, state_table<N, O>, simd::lanes<T>};
    StepRecord<N, T> step_record;
    AnyFunction<double(const O&, std::uint64_t, std::ptrdiff_t)> debug_step;

    // Read from other threads too.
    Relaxed<std::uint64_t> epoch, iteration;
    Relaxed<std::uint64_t> batch;  ///< steps taken in this epoch
    Relaxed<double> loss, error;
    std::array<Relaxed<double>, N::cost_count> losses{};
    std::ptrdiff_t gathered = 0;  ///< records in the buffers

    bool epoch_is_over() const { return batch == batches.batches_per_epoch(); }
    /// A place to go back to: steps before this one will not be repeated.
    void begin_here() {
        refresh();
        if (unsound_ > 0) return;  // the next step says so, and needs the place before
        fault_.begin(batch, iteration, std::as_const(model).parameter_memory(), std::as_const(step).state_memory());
        before_ = record({});
        if (remote()) remote()->set_tally({total_, seen_, 0});
        constraints.settle();
    }

    // ---- where steps are taken ----

    /// Calls `run` while an accelerator, or a group of them, takes the steps; `make` makes what knows how. The processor has
    /// everything again afterwards. After a DeviceError all is as at the last `begin_here`.
    template <class Where, class Make, class Run>
    [[gnu::cold]] void on(const std::shared_ptr<Where>& where, Make make, Run run) {
        unsound_ = 0;
        begin_here();
        try {
            model.mirrored().attach(where, "parameters");
            step.mirrored().attach(where, "states of the optimizer");
            if (!made_ || made_->place() != where.get()) made_ = make(where);
            made_->halt();
            runner_ = this_thread();
            remote_ = made_.get();
            run();
            check_sound();
            leave();
        } catch (const DeviceError&) {
            leave_failed();
            throw;
        } catch (...) {  // of hooks, of data, or a NumericError
            try {
                refresh();
                leave();
            } catch (const DeviceError&) {
                leave_failed();
            }
            throw;
        }
    }
    /// Fetches what an accelerator knows of the losses, on the thread of the run. On another thread it asks for that: the
    /// run fetches them before its next step.
    void refresh() {
        if (!remote()) return;
        if (this_thread() != runner_) {
            wanted_ = true;
            return;
        }
        if (!remote()->pending()) return;
        const LossTally tally = remote()->fetch();
        total_ = tally.total;
        seen_ = tally.records;
        unsound_ = tally.unsound;
        loss = remote()->loss();
        if (seen_ > 0) error = total_ / static_cast<double>(seen_);
        for (int i = 0; i < N::cost_count; ++i) losses[static_cast<std::size_t>(i)] = remote()->loss(i);
    }
    /// The records of the last step, for who looks at them.
    std::ptrdiff_t records_at_hand() {
        if (gathered_late_) gathered = buffers.gather(last_.epoch, last_.number);
        gathered_late_ = false;
        return gathered;
    }
    /// Throws NumericError where a loss that is known by now was no finite number.
    void check_sound() {
        refresh();
        if (unsound_ > 0) fail_there();
    }
    /// The next step of the epoch; returns how many records it took. `wants` says what hooks will read after it.
    template <class WantsOf>
    std::uint64_t iterate(const O& optimizer, simd::Pool* pool, WantsOf wants) {
        if (remote()) return iterate_there(optimizer, wants);
        const std::ptrdiff_t records = gather(batch);
        fault_.note(optimizer);
        if (step_record.used())
            step_record.before(wants(), model, iteration + 1, buffers.inputs(), buffers.targets(), records, pool);
        const double before = advance(optimizer, iteration + 1, records, pool);
        loss = before;
        ++iteration;
        if (!std::isfinite(before)) fail(batch, pool);
        ++batch;
        add_loss(before, records);
        for (int i = 0; i < N::cost_count; ++i) losses[static_cast<std::size_t>(i)] = step.loss(i);
        return static_cast<std::uint64_t>(records);
    }
    /// Throws NumericError where a parameter has left the finite numbers.
    void end_epoch(simd::Pool* pool) {
        check_sound();
        if (!fault_.finite(model)) fail(batch, pool);
        ++epoch;
        batch = seen_ = 0;
        total_ = 0;
    }
    /// Back to nothing learned; parameters are drawn anew as their layers say.
    void start_again() {
        model.reset();
        std::ranges::fill(step.state_memory(), T{});
        epoch = iteration = batch = seen_ = 0;
        total_ = loss = error = 0;
    }

    RunRecord record(const MomentCounts& counts) {
        refresh();
        return {epoch, iteration, batch, total_, seen_, loss, error, counts};
    }
    void set(const RunRecord& r) {
        epoch = r.epoch, iteration = r.iteration, batch = r.batch, seen_ = r.seen;
        total_ = r.total, loss = r.loss, error = r.error;
        unsound_ = 0;
        if (remote()) remote()->set_tally({total_, seen_, 0}), remote()->halt();
    }

private:
    Fault<N, O, T> fault_;
    RunRecord before_{};      ///< at the last `begin_here`
    double total_ = 0;        ///< Σ loss · records of this epoch
    std::uint64_t seen_ = 0;  ///< records of this epoch

    std::shared_ptr<RemoteTraining<O>> made_;
    Signal<RemoteTraining<O>*> remote_;  ///< during a run on an accelerator
    Relaxed<const void*> runner_;
    Relaxed<bool> wanted_;             ///< another thread has asked for losses
    std::uint64_t unsound_ = 0;        ///< the step, known by now, whose loss was no finite number
    BatchPosition last_{};             ///< of the last step there
    bool gathered_late_ = false;       ///< its records are not in the buffers

    [[gnu::cold]] void leave() {
        remote_ = nullptr;
        model.mirrored().detach();
        step.mirrored().detach();
    }
    RemoteTraining<O>* remote() const { return remote_; }
    /// After an accelerator has failed: what it had is lost.
    [[gnu::cold]] void leave_failed() {
        remote_ = nullptr;
        made_ = nullptr;
        model.mirrored().abandon();
        step.mirrored().abandon();
        fault_.restore(model.parameter_memory(), step.state_memory());
        set(before_);
    }
    /// The same as `iterate` without waiting for the step, unless somebody looks.
    template <class WantsOf>
    std::uint64_t iterate_there(const O& optimizer, WantsOf wants) {
        if (wanted_) wanted_ = false, refresh();
        if (unsound_ > 0) fail_there();
        fault_.note(optimizer);
        if (step_record.used()) {
            const Wants now = wants();
            if (now.before || now.gradients) {
                const std::ptrdiff_t records = gather(batch);
                step_record.before(now, model, iteration + 1, buffers.inputs(), buffers.targets(), records, nullptr);
            }
        }
        const std::ptrdiff_t records = advance_there(optimizer, iteration + 1);
        ++iteration;
        ++batch;
        return static_cast<std::uint64_t>(records);
    }
    std::ptrdiff_t advance_there(const O& with, std::uint64_t number) {
        constraints.before(model.mirrored(), step.mirrored(), number);
        gathered = remote()->step(with, number, epoch, batch);
        last_ = {epoch, batch};
        gathered_late_ = remote()->keeps_records();
        constraints.after(model, step.mirrored(), number);
        return gathered;
    }
    /// The loss of an earlier step was no finite number.
    [[noreturn, gnu::cold]] void fail_there() {
        fail(fault_.first_batch() + (unsound_ - 1 - fault_.iterations_before()), nullptr);
    }

    /// One step on the records gathered, with all that surrounds it; returns the loss before it.
    double advance(const O& with, std::uint64_t number, std::ptrdiff_t records, simd::Pool* pool) {
        constraints.before(model.mirrored(), step.mirrored(), number);
        const double before = debug_step ? debug_step(with, number, records)
                                         : step(with, number, buffers.inputs(), buffers.targets(), records, pool);
        constraints.after(model, step.mirrored(), number);
        return before;
    }
    /// Records of a batch of this epoch as dense rows; returns how many.
    std::ptrdiff_t gather(std::uint64_t number) { return gathered = buffers.gather(epoch, number); }
    /// After `sound` steps of this epoch, the next loss or the parameters are not finite. The parameters before the
    /// faulty step are gone, but steps can be repeated exactly: start again from the epoch's beginning, stop before the
    /// step that loses the finite numbers, and look where it does.
    [[noreturn, gnu::cold]] void fail(std::uint64_t sound, simd::Pool* pool) {
        const char* const problem = std::isnan(double{loss}) ? "the loss became NaN" : "the loss became infinite";
        const double bad = loss;
        const auto repeat = [&](std::uint64_t until) {
            fault_.restore(model.parameter_memory(), step.state_memory());
            iteration = fault_.iterations_before();
            total_ = before_.total, seen_ = before_.seen;
            if (remote()) remote()->set_tally({total_, seen_, 0});
            for (batch = fault_.first_batch(); batch < until; ++batch) {
                if (remote()) advance_there(fault_.optimizer(batch), iteration + 1);
                else repeat_here(fault_.optimizer(batch), pool);
                if (!fault_.finite(model)) break;
                ++iteration;
            }
            refresh();
        };
        repeat(sound);
        if (batch == sound) {
            loss = bad;
            constraints.settle();  // rules that callbacks made in steps that never were hold from here on
            const std::ptrdiff_t records = gather(sound);
            const std::string layer = faulty_layer(records);
            throw NumericError(iteration + 1, layer, sentence(problem, layer.empty() ? ", though every layer is finite" : ""));
        }
        const std::string layer = fault_.find_parameter(model);
        repeat(std::uint64_t{batch});
        loss = bad;
        constraints.settle();
        throw NumericError(iteration + 1, layer, "a parameter became infinite or NaN");
    }
    void repeat_here(const O& with, simd::Pool* pool) {
        const std::ptrdiff_t records = gather(batch);
        add_loss(advance(with, iteration + 1, records, pool), records);
    }
    void add_loss(double of_step, std::ptrdiff_t records) {
        total_ += of_step * static_cast<double>(records);
        seen_ += static_cast<std::uint64_t>(records);
        error = total_ / static_cast<double>(seen_);
    }
    /// The first layer whose output is not finite on the batch in the buffers, or the first such cost.
    std::string faulty_layer(std::ptrdiff_t records) {
        const std::string found = fault_.find(model, buffers.joined_inputs(records).data(), records);
        if constexpr (N::cost_count > 1) {
            const auto& costs = model.records.costs;
            if (!found.empty()) return found;
            const auto score = model.evaluate(buffers.inputs(), buffers.targets(), records);
            for (int i = 0; i < N::cost_count; ++i)
                if (!std::isfinite(score.costs[static_cast<std::size_t>(i)].error)) return std::string(costs[i].name.view());
        }
        return found;
    }
};

}  // namespace sigma::detail
