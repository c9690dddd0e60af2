// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/scope.hpp>
#include <sigma/device/profiler.hpp>
#include <sigma/trainer/run/training.hpp>
#include <sigma/trainer/workers/run_workers.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace sigma::detail {

template <class T>
Training<T>::Training(Minibatches batches_, ModelStore<T>& model_, StepCore<T>& step_, const OptimizerTable& optimizer,
                      const NetworkTape& tape)
    : buffers(model_.network(), std::move(batches_)), model(model_), step(step_),
      modifiers(model.network(), step.state_table(), model.lanes()),
      losses(static_cast<std::size_t>(model.network().costs.size())), steps(buffers, model_, step_),
      optimizer_(optimizer), tape_(tape),
      replay_(optimizer.scalar_count + model_.network().hyperparameters.size(), batches().batches_per_epoch()) {}

template <class T>
Training<T>::~Training() = default;

template <class T>
void Training<T>::begin_here() {
    refresh();
    if (non_finite_ > 0) return;  // the next step throws, and needs the earlier point to return to
    merge();
    replay_.begin(batch, iteration, std::as_const(model).parameter_memory(), std::as_const(step).state_memory());
    before_ = record({});
    steps.set_losses(total_, seen_);
    modifiers.prune();
}

// ---- where steps are taken ----

template <class T>
void Training<T>::begin_run() {
    non_finite_ = 0;
    begin_here();
}
template <class T>
void Training<T>::end_run() {
    check_sound();
    worker_states();
    steps.leave();
}
template <class T>
void Training<T>::fail_run() {
    const auto give_up = [&] {
        steps.abandon();
        replay_.restore(model.parameter_memory(), step.state_memory());
        set(before_);
    };
    try {
        throw;
    } catch (const DeviceError&) {
        // A failure of another device, such as that of a hook, after which the finished steps are valid.
        if (steps.now() && steps.now()->waits()) steps.leave();
        else give_up();
    } catch (...) {  // exceptions of hooks, data or other processes, or a NumericError
        try {
            if (workers() != nullptr && workers()->follows()) give_up();  // a following process
            refresh();
            worker_states();
            steps.leave();
        } catch (...) { give_up(); }  // exceptions of a device, another process, or a merger
    }
}

template <class T>
void Training<T>::refresh() {
    const auto sum = steps.fetch();
    if (!sum) return;
    total_ = sum->total;
    seen_ = sum->records;
    non_finite_ = sum->first_non_finite;
    loss = steps.now()->loss();
    if (seen_ > 0) mean_loss = total_ / static_cast<double>(seen_);
    for (int i = 0; i < costs(); ++i) losses[static_cast<std::size_t>(i)] = steps.now()->loss(i);
}

template <class T>
std::ptrdiff_t Training<T>::records_at_hand() {
    if (const auto late = steps.gather_late()) gathered = *late;
    return gathered;
}

template <class T>
void Training<T>::check_sound() {
    refresh();
    if (non_finite_ > 0) fail(replay_.first_batch() + (non_finite_ - 1 - replay_.iterations_before()));
}

// ---- steps ----

template <class T>
const double* Training<T>::note(const void* optimizer) {
    double* const scalars = replay_.note();
    optimizer_.scalars(optimizer, steps.now()->update_of(iteration + 1), scalars);
    model.hyperparameters_to(scalars + optimizer_.scalar_count);
    for (int i = 0; i < optimizer_.scalar_count && checks_scalars; ++i)
        if (!std::isfinite(static_cast<T>(scalars[i])))
            throw NumericError(iteration + 1, "",
                               sentence("the hyperparameter ", scalars[i], " of the optimizer is not finite as ",
                                        name(element_type<T>)));
    return scalars;
}

template <class T>
std::uint64_t Training<T>::iterate(const void* optimizer, const AnyFunction<Wants()>& wants) {
    if (steps.wanted()) refresh();
    if (non_finite_ > 0) check_sound();
    const double* const scalars = note(optimizer);
    if (step_record.used()) {
        const Wants now = wants();
        const std::ptrdiff_t records = now.any() ? gather(batch) : 0;
        step_record.before(now, model, iteration + 1, buffers.inputs(), buffers.targets(), records);
    }
    advance(scalars, iteration + 1);
    ++iteration;
    ++batch;
    if (steps.now()->waits()) check_sound();
    return static_cast<std::uint64_t>(gathered);
}

template <class T>
WorkerStates<T>& Training<T>::worker_states() {
    if (workers() != nullptr && workers()->keep_states()) {
        const auto now = std::as_const(step).state_memory();
        workers()->copy_states(worker_states_.of_each);
        worker_states_.average.assign(now.begin(), now.end());
    } else if (!worker_states_.are_of(std::as_const(step).state_memory())) {
        worker_states_.clear();
    }
    return worker_states_;
}
template <class T>
void Training<T>::give_worker_states() {
    if (workers() != nullptr) workers()->take_states(worker_states_);
}

template <class T>
void Training<T>::meet() {
    if (workers() != nullptr) workers()->meet(batch);
}

template <class T>
void Training<T>::advance(const double* scalars, std::uint64_t number) {
    const bool here = !steps.now()->apart();
    const auto go = [&]<class Measured>() {
        if (here) {
            const Measured timed(LoopPart::modifiers);
            modifiers.before(model.dual_buffer(), step.dual_buffer(), number);
        }
        {
            const Measured timed(LoopPart::step);
            gathered = steps.step(scalars, number, epoch, batch);
        }
        if (here) {
            const Measured timed(LoopPart::modifiers);
            modifiers.after(model, step.dual_buffer(), number);
        }
    };
    // One decision for all parts, since steps of small networks take a microsecond.
    if (profile_now() != 0) [[unlikely]]
        return go.template operator()<TimedPart>();
    go.template operator()<UntimedPart>();
}

template <class T>
void Training<T>::end_epoch() {
    check_sound();
    if (workers() != nullptr) workers()->end_epoch(epoch + 1);
    merge();
    if (!replay_.finite(model, step)) fail(batch);
    ++epoch;
    batch = seen_ = 0;
    total_ = 0;
}

template <class T>
void Training<T>::start_again() {
    model.reset();
    std::ranges::fill(step.state_memory(), T{});
    set({});
}

template <class T>
void Training<T>::take(Minibatches minibatches) {
    buffers.replace(std::move(minibatches));
    steps.forget();
    replay_.make_room(batches().batches_per_epoch());
    gathered = 0;
    batch = seen_ = 0;
    total_ = 0;
}

template <class T>
RunRecord Training<T>::record(const MomentCounts& counts) {
    refresh();
    return {epoch, iteration, batch, total_, seen_, loss, mean_loss, counts};
}

template <class T>
void Training<T>::set(const RunRecord& r) {
    epoch = r.epoch, iteration = r.iteration, batch = r.batch, seen_ = r.seen;
    total_ = r.total, loss = r.loss, mean_loss = r.mean_loss;
    non_finite_ = 0;
    steps.set_losses(total_, seen_);
    if (steps.now()) steps.now()->halt();
}

// ---- after a step that failed ----

template <class T>
void Training<T>::repeat(std::uint64_t until) {
    const AtExit heard([&] {
        if (workers() != nullptr) workers()->repeats(false);
    });
    if (workers() != nullptr) workers()->repeats(true);
    replay_.restore(model.parameter_memory(), step.state_memory());
    std::vector<double> hyperparameters(static_cast<std::size_t>(model.network().hyperparameters.size()));
    model.hyperparameters_to(hyperparameters.data());
    iteration = replay_.iterations_before();
    total_ = before_.total, seen_ = before_.seen, mean_loss = before_.mean_loss;
    steps.set_losses(total_, seen_);
    non_finite_ = 0;  // forgets the losses of steps that are undone
    for (batch = replay_.first_batch(); batch < until; ++batch) {
        model.hyperparameters_from(replay_.scalars(batch) + optimizer_.scalar_count);
        advance(replay_.scalars(batch), iteration + 1);
        if (!replay_.finite(model, step)) break;
        ++iteration;
    }
    model.hyperparameters_from(hyperparameters.data());
    refresh();
}

template <class T>
void Training<T>::fail(std::uint64_t sound) {
    const char* const problem = std::isnan(double{loss}) ? "the loss became NaN" : "the loss became infinite";
    const double bad = loss;
    repeat(sound);
    if (batch == sound) {
        loss = bad;
        modifiers.prune();  // rules of callbacks in undone steps are active from here on
        const std::ptrdiff_t records = gather(sound);
        const std::string layer = replay_.find_layer(model, tape_, buffers.inputs(), buffers.targets(), records);
        throw NumericError(iteration + 1, layer,
                           sentence(problem, layer.empty() ? ", though every layer is finite" : ""));
    }
    std::string layer = replay_.find_parameter(model), what = "a parameter became infinite or NaN";
    if (const StateRecord* const state = layer.empty() ? replay_.find_state(step) : nullptr) {
        const std::string_view of = model.network().parameters[state->parameter].name.view();
        layer = of.substr(0, of.find('.'));
        what = sentence(
            "the optimizer's state '", state->name.view(), ".", of,
            "' became infinite or NaN: a gradient is too large for its square to be a number (clip_gradient_norm)");
    }
    repeat(std::uint64_t{batch});
    loss = bad;
    modifiers.prune();
    throw NumericError(iteration + 1, layer, what);
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::Training);
