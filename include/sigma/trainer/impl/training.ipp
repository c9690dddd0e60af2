// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/this_thread.hpp>
#include <sigma/trainer/training.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace sigma::detail {

template <class T>
Training<T>::Training(Minibatches batches_, ModelStore<T>& model_, StepCore<T>& step_, const OptimizerTable& optimizer,
                      const NetworkTape& tape)
    : buffers(model_.network(), std::move(batches_)), batches(buffers.batches()), model(model_), step(step_),
      constraints(model.network(), step.state_table(), model.lanes()),
      losses(static_cast<std::size_t>(model.network().costs.size())), optimizer_(optimizer), tape_(tape),
      fault_(optimizer.scalar_count, batches.batches_per_epoch()) {}
template <class T>
Training<T>::~Training() = default;

template <class T>
void Training<T>::begin_here() {
    refresh();
    if (unsound_ > 0) return;  // the next step says so, and needs the place before
    fault_.begin(batch, iteration, std::as_const(model).parameter_memory(), std::as_const(step).state_memory());
    before_ = record({});
    if (remote()) remote()->set_tally({total_, seen_, 0});
    constraints.settle();
}

// ---- where steps are taken ----

template <class T>
void Training<T>::on(const SharedOwner<Accelerator>& device, AnyFunction<void()> run) {
    on(
        device, [this](const SharedOwner<Accelerator>& a) { return RemoteTrainings<T>::on(a, buffers, model, step); },
        run);
}
template <class T>
void Training<T>::on(const SharedOwner<AcceleratorGroup>& group, const SharedPlans& plans, AnyFunction<void()> run) {
    on(
        group,
        [&](const SharedOwner<AcceleratorGroup>& g) { return RemoteTrainings<T>::on(g, plans, buffers, model, step); },
        run);
}

template <class T>
template <class Where, class Make>
void Training<T>::on(const SharedOwner<Where>& where, Make make, const AnyFunction<void()>& run) {
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
        } catch (const DeviceError&) { leave_failed(); }
        throw;
    }
}

template <class T>
void Training<T>::leave() {
    remote_ = nullptr;
    model.mirrored().detach();
    step.mirrored().detach();
}

template <class T>
void Training<T>::leave_failed() {
    remote_ = nullptr;
    made_ = nullptr;
    model.mirrored().abandon();
    step.mirrored().abandon();
    fault_.restore(model.parameter_memory(), step.state_memory());
    set(before_);
}

template <class T>
void Training<T>::refresh() {
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
    for (int i = 0; i < costs(); ++i) losses[static_cast<std::size_t>(i)] = remote()->loss(i);
}

template <class T>
std::ptrdiff_t Training<T>::records_at_hand() {
    if (gathered_late_) gathered = buffers.gather(last_.epoch, last_.number);
    gathered_late_ = false;
    return gathered;
}

template <class T>
void Training<T>::check_sound() {
    refresh();
    if (unsound_ > 0) fail_there();
}

// ---- steps ----

template <class T>
const double* Training<T>::note(const void* optimizer) {
    double* const scalars = fault_.note();
    optimizer_.scalars(optimizer, iteration + 1, scalars);
    return scalars;
}

template <class T>
std::uint64_t Training<T>::iterate(const void* optimizer, simd::Pool* pool, const AnyFunction<Wants()>& wants) {
    if (remote()) return iterate_there(optimizer, wants);
    const std::ptrdiff_t records = gather(batch);
    const double* const scalars = note(optimizer);
    if (step_record.used())
        step_record.before(wants(), model, iteration + 1, buffers.inputs(), buffers.targets(), records, pool);
    const double before = advance(scalars, iteration + 1, records, pool);
    loss = before;
    ++iteration;
    if (!std::isfinite(before)) fail(batch, pool);
    ++batch;
    add_loss(before, records);
    for (int i = 0; i < costs(); ++i) losses[static_cast<std::size_t>(i)] = step.loss(i);
    return static_cast<std::uint64_t>(records);
}

template <class T>
std::uint64_t Training<T>::iterate_there(const void* optimizer, const AnyFunction<Wants()>& wants) {
    if (wanted_) wanted_ = false, refresh();
    if (unsound_ > 0) fail_there();
    const double* const scalars = note(optimizer);
    if (step_record.used()) {
        const Wants now = wants();
        if (now.before || now.gradients) {
            const std::ptrdiff_t records = gather(batch);
            step_record.before(now, model, iteration + 1, buffers.inputs(), buffers.targets(), records, nullptr);
        }
    }
    const std::ptrdiff_t records = advance_there(scalars, iteration + 1);
    ++iteration;
    ++batch;
    return static_cast<std::uint64_t>(records);
}

template <class T>
std::ptrdiff_t Training<T>::advance_there(const double* scalars, std::uint64_t number) {
    constraints.before(model.mirrored(), step.mirrored(), number);
    gathered = remote()->step(scalars, number, epoch, batch);
    last_ = {epoch, batch};
    gathered_late_ = remote()->keeps_records();
    constraints.after(model, step.mirrored(), number);
    return gathered;
}

template <class T>
double Training<T>::advance(const double* scalars, std::uint64_t number, std::ptrdiff_t records, simd::Pool* pool) {
    constraints.before(model.mirrored(), step.mirrored(), number);
    const double before = debug_step ? debug_step(scalars, number, records)
                                     : step.run(scalars, number, buffers.inputs(), buffers.targets(), records, pool);
    constraints.after(model, step.mirrored(), number);
    return before;
}

template <class T>
void Training<T>::end_epoch(simd::Pool* pool) {
    check_sound();
    if (!fault_.finite(model)) fail(batch, pool);
    ++epoch;
    batch = seen_ = 0;
    total_ = 0;
}

template <class T>
void Training<T>::start_again() {
    model.reset();
    std::ranges::fill(step.state_memory(), T{});
    epoch = iteration = batch = seen_ = 0;
    total_ = loss = error = 0;
}

template <class T>
RunRecord Training<T>::record(const MomentCounts& counts) {
    refresh();
    return {epoch, iteration, batch, total_, seen_, loss, error, counts};
}

template <class T>
void Training<T>::set(const RunRecord& r) {
    epoch = r.epoch, iteration = r.iteration, batch = r.batch, seen_ = r.seen;
    total_ = r.total, loss = r.loss, error = r.error;
    unsound_ = 0;
    if (remote()) remote()->set_tally({total_, seen_, 0}), remote()->halt();
}

template <class T>
void Training<T>::add_loss(double of_step, std::ptrdiff_t records) {
    total_ += of_step * static_cast<double>(records);
    seen_ += static_cast<std::uint64_t>(records);
    error = total_ / static_cast<double>(seen_);
}

// ---- after a step that failed ----

template <class T>
void Training<T>::fail_there() {
    fail(fault_.first_batch() + (unsound_ - 1 - fault_.iterations_before()), nullptr);
}

template <class T>
void Training<T>::repeat(std::uint64_t until, simd::Pool* pool) {
    fault_.restore(model.parameter_memory(), step.state_memory());
    iteration = fault_.iterations_before();
    total_ = before_.total, seen_ = before_.seen;
    if (remote()) remote()->set_tally({total_, seen_, 0});
    for (batch = fault_.first_batch(); batch < until; ++batch) {
        const double* const scalars = fault_.scalars(batch);
        if (remote()) {
            advance_there(scalars, iteration + 1);
        } else {
            const std::ptrdiff_t records = gather(batch);
            add_loss(advance(scalars, iteration + 1, records, pool), records);
        }
        if (!fault_.finite(model)) break;
        ++iteration;
    }
    refresh();
}

template <class T>
void Training<T>::fail(std::uint64_t sound, simd::Pool* pool) {
    const char* const problem = std::isnan(double{loss}) ? "the loss became NaN" : "the loss became infinite";
    const double bad = loss;
    repeat(sound, pool);
    if (batch == sound) {
        loss = bad;
        constraints.settle();  // rules that callbacks made in steps that never were hold from here on
        const std::ptrdiff_t records = gather(sound);
        const std::string layer = fault_.find_layer(model, tape_, buffers.inputs(), buffers.targets(), records);
        throw NumericError(iteration + 1, layer,
                           sentence(problem, layer.empty() ? ", though every layer is finite" : ""));
    }
    const std::string layer = fault_.find_parameter(model);
    repeat(std::uint64_t{batch}, pool);
    loss = bad;
    constraints.settle();
    throw NumericError(iteration + 1, layer, "a parameter became infinite or NaN");
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::Training<float>;
template class sigma::detail::Training<double>;
#endif
