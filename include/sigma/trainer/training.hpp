// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/relaxed.hpp>
#include <sigma/trainer/constraints.hpp>
#include <sigma/trainer/fault.hpp>
#include <sigma/trainer/run_record.hpp>
#include <sigma/trainer/step_record.hpp>
#include <sigma/worker/batch_ring.hpp>
#include <sigma/worker/evaluator.hpp>
#include <sigma/worker/step.hpp>

#include <functional>

namespace sigma::detail {

/// What is trained and how far it has come; takes one step after the other, and knows how to find out why one failed.
template <AnyNetwork N, AnyOptimizer O, class T>
class Training {
public:
    Training(Minibatches batches_, std::uint64_t seed)
        : buffers(std::move(batches_)), batches(buffers.batches()), model(seed), step(model) {
        fault_.reserve(batches.batches_per_epoch());
    }

    BatchRing<N, T> buffers;
    Minibatches& batches;  ///< changed after `buffers.halt()` only
    Model<N, T> model;
    Step<N, O, T> step;
    Constraints<N, O, T> constraints;
    StepRecord<N, T> step_record;
    std::function<double(const O&, std::uint64_t, std::ptrdiff_t)> debug_step;

    // Read from other threads too.
    Relaxed<std::uint64_t> epoch, iteration;
    Relaxed<std::uint64_t> batch;  ///< steps taken in this epoch
    Relaxed<double> loss, error;
    std::array<Relaxed<double>, N::cost_count> losses{};
    std::ptrdiff_t gathered = 0;  ///< records in the buffers

    bool epoch_is_over() const { return batch == batches.batches_per_epoch(); }
    /// A place to go back to: steps before this one will not be repeated.
    void begin_here() {
        fault_.begin(batch, iteration, model.parameter_memory(), step.state_memory());
        constraints.settle();
    }
    /// The next step of the epoch; returns how many records it took. `wants` says what hooks will read after it.
    template <class WantsOf>
    std::uint64_t iterate(const O& optimizer, simd::Pool* pool, WantsOf wants) {
        const std::ptrdiff_t records = gather(batch);
        fault_.note(optimizer);
        if (step_record.used())
            step_record.before(wants(), model, iteration + 1, buffers.inputs(), buffers.targets(), records, pool);
        const double before = advance(optimizer, iteration + 1, records, pool);
        loss = before;
        ++iteration;
        if (!std::isfinite(before)) fail(batch, pool);
        ++batch;
        total_ += before * static_cast<double>(records);
        seen_ += static_cast<std::uint64_t>(records);
        error = total_ / static_cast<double>(seen_);
        for (int i = 0; i < N::cost_count; ++i) losses[static_cast<std::size_t>(i)] = step.loss(i);
        return static_cast<std::uint64_t>(records);
    }
    /// Throws NumericError where a parameter has left the finite numbers.
    void end_epoch(simd::Pool* pool) {
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

    RunRecord record(const MomentCounts& counts) const { return {epoch, iteration, batch, total_, seen_, loss, error, counts}; }
    void set(const RunRecord& r) {
        epoch = r.epoch, iteration = r.iteration, batch = r.batch, seen_ = r.seen;
        total_ = r.total, loss = r.loss, error = r.error;
    }

private:
    Fault<N, O, T> fault_;
    double total_ = 0;        ///< Σ loss · records of this epoch
    std::uint64_t seen_ = 0;  ///< records of this epoch

    /// One step on the records gathered, with all that surrounds it; returns the loss before it.
    double advance(const O& with, std::uint64_t number, std::ptrdiff_t records, simd::Pool* pool) {
        constraints.before(model, step, number);
        const double before = debug_step ? debug_step(with, number, records)
                                         : step(with, number, buffers.inputs(), buffers.targets(), records, pool);
        constraints.after(model, step, number);
        return before;
    }
    /// Records of a batch of this epoch as dense rows; returns how many.
    std::ptrdiff_t gather(std::uint64_t number) { return gathered = buffers.gather(epoch, number); }
    /// After `sound` steps of this epoch, the next loss or the parameters are not finite. The parameters before the
    /// faulty step are gone, but steps can be repeated exactly: start again from the epoch's beginning, stop before the
    /// step that loses the finite numbers, and look where it does.
    [[noreturn, gnu::cold]] void fail(std::uint64_t sound, simd::Pool* pool) {
        const char* const problem = std::isnan(double{loss}) ? "the loss became NaN" : "the loss became infinite";
        const auto repeat = [&](std::uint64_t until) {
            fault_.restore(model.parameter_memory(), step.state_memory());
            iteration = fault_.iterations_before();
            for (batch = fault_.first_batch(); batch < until; ++batch) {
                const std::ptrdiff_t records = gather(batch);
                advance(fault_.optimizer(batch), iteration + 1, records, pool);
                if (!fault_.finite(model)) return;
                ++iteration;
            }
        };
        repeat(sound);
        if (batch == sound) {
            constraints.settle();  // rules that callbacks made in steps that never were hold from here on
            const std::ptrdiff_t records = gather(sound);
            const std::string layer = faulty_layer(records);
            throw NumericError(iteration + 1, layer, sentence(problem, layer.empty() ? ", though every layer is finite" : ""));
        }
        const std::string layer = fault_.find_parameter(model);
        repeat(std::uint64_t{batch});
        constraints.settle();
        throw NumericError(iteration + 1, layer, "a parameter became infinite or NaN");
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
