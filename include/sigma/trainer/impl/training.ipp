// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/trainer/training.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace sigma::detail {

template <class T>
Training<T>::Training(Minibatches batches_, ModelStore<T>& model_, StepCore<T>& step_, const OptimizerTable& optimizer,
                      const NetworkTape& tape)
    : buffers(model_.network(), std::move(batches_)), batches(buffers.batches()), model(model_), step(step_),
      modifiers(model.network(), step.state_table(), model.lanes()),
      losses(static_cast<std::size_t>(model.network().costs.size())), optimizer_(optimizer), tape_(tape),
      replay_(optimizer.scalar_count, batches.batches_per_epoch()), device_(buffers, model_, step_) {}
template <class T>
Training<T>::~Training() = default;

template <class T>
void Training<T>::begin_here() {
    refresh();
    if (non_finite_ > 0) return;  // the next step says so, and needs the place before
    replay_.begin(batch, iteration, std::as_const(model).parameter_memory(), std::as_const(step).state_memory());
    before_ = record({});
    device_.set_tally(total_, seen_);
    modifiers.prune();
}

// ---- where steps are taken ----

template <class T>
void Training<T>::on(const SharedOwner<Accelerator>& device, const AnyFunction<void()>& run) {
    on_device([&] { device_.enter(device); }, run);
}
template <class T>
void Training<T>::on(const SharedOwner<AcceleratorGroup>& group, const SharedPlans& plans,
                     const AnyFunction<void()>& run) {
    on_device([&] { device_.enter(group, plans); }, run);
}

template <class T>
void Training<T>::on_device(const AnyFunction<void()>& enter, const AnyFunction<void()>& run) {
    const auto failed = [&] {
        device_.abandon();
        replay_.restore(model.parameter_memory(), step.state_memory());
        set(before_);
    };
    non_finite_ = 0;
    begin_here();
    try {
        enter();
        run();
        check_sound();
        device_.leave();
    } catch (const DeviceError&) {
        failed();
        throw;
    } catch (...) {  // of hooks, of data, or a NumericError
        try {
            refresh();
            device_.leave();
        } catch (const DeviceError&) { failed(); }
        throw;
    }
}

template <class T>
void Training<T>::refresh() {
    const auto tally = device_.fetch();
    if (!tally) return;
    total_ = tally->total;
    seen_ = tally->records;
    non_finite_ = tally->unsound;
    loss = device_.loss();
    if (seen_ > 0) mean_loss = total_ / static_cast<double>(seen_);
    for (int i = 0; i < costs(); ++i) losses[static_cast<std::size_t>(i)] = device_.loss(i);
}

template <class T>
std::ptrdiff_t Training<T>::records_at_hand() {
    if (const auto late = device_.gather_late()) gathered = *late;
    return gathered;
}

template <class T>
void Training<T>::check_sound() {
    refresh();
    if (non_finite_ > 0) fail_on_device();
}

// ---- steps ----

template <class T>
const double* Training<T>::note(const void* optimizer) {
    double* const scalars = replay_.note();
    optimizer_.scalars(optimizer, iteration + 1, scalars);
    return scalars;
}

template <class T>
std::uint64_t Training<T>::iterate(const void* optimizer, simd::Pool* pool, const AnyFunction<Wants()>& wants) {
    if (device_.active()) return iterate_on_device(optimizer, wants);
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
std::uint64_t Training<T>::iterate_on_device(const void* optimizer, const AnyFunction<Wants()>& wants) {
    if (device_.wanted()) refresh();
    if (non_finite_ > 0) fail_on_device();
    const double* const scalars = note(optimizer);
    if (step_record.used()) {
        const Wants now = wants();
        if (now.before || now.gradients) {
            const std::ptrdiff_t records = gather(batch);
            step_record.before(now, model, iteration + 1, buffers.inputs(), buffers.targets(), records, nullptr);
        }
    }
    const std::ptrdiff_t records = advance_on_device(scalars, iteration + 1);
    ++iteration;
    ++batch;
    return static_cast<std::uint64_t>(records);
}

template <class T>
std::ptrdiff_t Training<T>::advance_on_device(const double* scalars, std::uint64_t number) {
    modifiers.before(model.mirrored(), step.mirrored(), number);
    gathered = device_.step(scalars, number, epoch, batch);
    modifiers.after(model, step.mirrored(), number);
    return gathered;
}

template <class T>
double Training<T>::advance(const double* scalars, std::uint64_t number, std::ptrdiff_t records, simd::Pool* pool) {
    modifiers.before(model.mirrored(), step.mirrored(), number);
    const double before = debug_step ? debug_step(scalars, number, records)
                                     : step.run(scalars, number, buffers.inputs(), buffers.targets(), records, pool);
    modifiers.after(model, step.mirrored(), number);
    return before;
}

template <class T>
void Training<T>::end_epoch(simd::Pool* pool) {
    check_sound();
    if (!replay_.finite(model)) fail(batch, pool);
    ++epoch;
    batch = seen_ = 0;
    total_ = 0;
}

template <class T>
void Training<T>::start_again() {
    model.reset();
    std::ranges::fill(step.state_memory(), T{});
    epoch = iteration = batch = seen_ = 0;
    total_ = loss = mean_loss = 0;
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
    device_.set_tally(total_, seen_);
    device_.halt();
}

template <class T>
void Training<T>::add_loss(double of_step, std::ptrdiff_t records) {
    total_ += of_step * static_cast<double>(records);
    seen_ += static_cast<std::uint64_t>(records);
    mean_loss = total_ / static_cast<double>(seen_);
}

// ---- after a step that failed ----

template <class T>
void Training<T>::fail_on_device() {
    fail(replay_.first_batch() + (non_finite_ - 1 - replay_.iterations_before()), nullptr);
}

template <class T>
void Training<T>::repeat(std::uint64_t until, simd::Pool* pool) {
    replay_.restore(model.parameter_memory(), step.state_memory());
    iteration = replay_.iterations_before();
    total_ = before_.total, seen_ = before_.seen;
    device_.set_tally(total_, seen_);
    for (batch = replay_.first_batch(); batch < until; ++batch) {
        const double* const scalars = replay_.scalars(batch);
        if (device_.active()) {
            advance_on_device(scalars, iteration + 1);
        } else {
            const std::ptrdiff_t records = gather(batch);
            add_loss(advance(scalars, iteration + 1, records, pool), records);
        }
        if (!replay_.finite(model)) break;
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
        modifiers.prune();  // rules that callbacks made in steps that never were hold from here on
        const std::ptrdiff_t records = gather(sound);
        const std::string layer = replay_.find_layer(model, tape_, buffers.inputs(), buffers.targets(), records);
        throw NumericError(iteration + 1, layer,
                           sentence(problem, layer.empty() ? ", though every layer is finite" : ""));
    }
    const std::string layer = replay_.find_parameter(model);
    repeat(std::uint64_t{batch}, pool);
    loss = bad;
    modifiers.prune();
    throw NumericError(iteration + 1, layer, "a parameter became infinite or NaN");
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::Training<float>;
template class sigma::detail::Training<double>;
#endif
