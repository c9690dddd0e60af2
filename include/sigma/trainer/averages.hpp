// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/network/model_store.hpp>
#include <sigma/optimizer/update.hpp>

SIGMA_INCLUDED(sigma, include_sigma_trainer_averages_hpp);

namespace sigma {

namespace detail {

/// Exchanges parameters with their averages among the optimizer's states, without a rounding; those that have none
/// stay.
template <class T>
void exchange_averages(ModelStore<T>& model, StepCore<T>& step);
/// Gives a model the averages.
template <class T>
void take_averages(ModelStore<T>& to, const StepCore<T>& step);
/// Throws StateError where no update has been taken, and the averages are not there yet, or where they are the
/// parameters now.
[[gnu::cold]] void check_averages(std::uint64_t updates, bool exchanged);
template <class Trainer>
void check_averages(Trainer& trainer) {
    check_averages(updates_after(trainer.optimizer, trainer.iteration()), trainer.training_step().averages_exchanged);
}

}  // namespace detail

/// A copy of the trainer's model with averaged parameters, of an optimizer with `ema` or `swa`: to predict, to evaluate
/// and to save. What is not averaged (statistics, frozen parameters) is what the trainer has now. Between runs, or
/// in hooks and callbacks. Throws StateError before the first step that changes
/// parameters, and within `with_averages`.
template <class Trainer>
auto averaged_model(Trainer& trainer) {
    detail::check_averages(trainer);
    auto copy = trainer.model();
    detail::take_averages(copy, trainer.training_step());
    return copy;
}
/// f() while the trainer's model has the averaged parameters: `with_averages(trainer, [&] { return
/// trainer.evaluate(validation); })` in a callback, where nothing trains meanwhile. Afterwards, also when f throws,
/// parameters and averages are bit by bit what they were. Not within itself: StateError.
template <class Trainer, class F>
auto with_averages(Trainer& trainer, F f) {
    struct Exchanged {
        Trainer& of;
        explicit Exchanged(Trainer& t) : of(t) { exchange(); }
        Exchanged(const Exchanged&) = delete;
        Exchanged& operator=(const Exchanged&) = delete;
        ~Exchanged() { exchange(); }
        void exchange() { detail::exchange_averages(of.model(), of.training_step()); }
    };
    detail::check_averages(trainer);
    const Exchanged now(trainer);
    return f();
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/averages.ipp>
#endif
