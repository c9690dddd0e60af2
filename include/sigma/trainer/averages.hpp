// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/network/model_store.hpp>
#include <sigma/optimizer/update.hpp>
#include <sigma/trainer/control.hpp>

#include <cstdint>
#include <type_traits>

SIGMA_INCLUDED(sigma, include_sigma_trainer_averages_hpp);

namespace sigma {

namespace detail {

/// While it lives, the model has the averages in place of the parameters, which are kept aside.
template <class T>
class AveragesInPlace {
public:
    AveragesInPlace(ModelStore<T>& model, StepCore<T>& step);
    AveragesInPlace(const AveragesInPlace&) = delete;
    AveragesInPlace& operator=(const AveragesInPlace&) = delete;
    /// The model has its parameters again, whatever became of the averages.
    ~AveragesInPlace();

    /// Throws StateError where a parameter is not what it was at the beginning.
    void check_unchanged() const;

private:
    ModelStore<T>& model_;
    StepCore<T>& step_;
};
/// Gives a model the averages.
template <class T>
void take_averages(ModelStore<T>& to, const StepCore<T>& step);
/// Throws StateError where no update has been taken, and the averages are not there yet, or where they are the
/// parameters now, or where a run on another thread changes them meanwhile.
[[gnu::cold]] void check_averages(std::uint64_t updates, bool in_place, bool trains_meanwhile);
template <class Trainer>
void check_averages(Trainer& trainer, bool trains_meanwhile) {
    check_averages(updates_after(trainer.optimizer, trainer.iteration()), trainer.training_step().model_has_averages,
                   trains_meanwhile && !trainer.control().on_training_thread());
}

}  // namespace detail

/// Returns a copy of the trainer's model with averaged parameters, of an optimizer with `ema` or `swa`: to predict, to
/// evaluate and to save. What is not averaged (statistics, frozen parameters) is what the trainer has now. Between
/// runs, while the trainer is paused, or in hooks and callbacks. Throws StateError before the first step that changes
/// parameters, within `with_averages`, and on another thread than the one that trains.
template <class Trainer>
auto averaged_model(Trainer& trainer) {
    detail::check_averages(trainer, trainer.state() == RunState::running);
    auto copy = trainer.model();
    detail::take_averages(copy, trainer.training_step());
    return copy;
}
/// Calls f() while the trainer's model has the averaged parameters: `with_averages(trainer, [&] { return
/// trainer.evaluate(validation); })` between runs or in a callback. Afterwards, also when f throws, parameters and
/// averages are bit by bit what they were. Within f, `save` and `checkpoint` of the trainer write the parameters that
/// training continues from; `save_parameters` and `save_model` write the averages. What would train or change them
/// (`run`, `start`, `load`, `load_parameters`, `initialize`, `reset`, `rewind`, `with_averages`) throws StateError, and
/// so does `with_averages` itself if f has changed the model's parameters.
template <class Trainer, class F>
auto with_averages(Trainer& trainer, F f) {
    detail::check_averages(trainer, trainer.state() != RunState::idle);
    const detail::AveragesInPlace in_place(trainer.model(), trainer.training_step());
    if constexpr (std::is_void_v<decltype(f())>) {
        f();
        in_place.check_unchanged();
    } else {
        auto result = f();
        in_place.check_unchanged();
        return result;
    }
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/averages.ipp>
#endif
