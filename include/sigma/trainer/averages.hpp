// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Averaged parameters of an optimizer with `ema` or `swa`: averaged_model, with_averages. Include it yourself:
/// `<sigma/trainer/averages.hpp>`.
#include <sigma/core/words.hpp>
#include <sigma/execution/device_step.hpp>
#include <sigma/network/model_store.hpp>
#include <sigma/optimizer/update.hpp>
#include <sigma/trainer/run/control.hpp>

#include <cstdint>
#include <type_traits>

SIGMA_INCLUDED(sigma, include_sigma_trainer_averages_hpp);

namespace sigma {

namespace detail {

/// Exchanges the parameters of a model with the averages during its lifetime.
template <class T>
class AveragesInPlace {
public:
    AveragesInPlace(ModelStore<T>& model, StepCore<T>& step);
    AveragesInPlace(const AveragesInPlace&) = delete;
    AveragesInPlace& operator=(const AveragesInPlace&) = delete;
    /// Gives the model its parameters again, even if the averages were changed.
    ~AveragesInPlace();

    /// Throws StateError if a parameter of the model has changed since the constructor.
    void check_unchanged() const;

private:
    ModelStore<T>& model_;
    StepCore<T>& step_;
};
/// Copies the averages into a model.
template <class T>
void take_averages(ModelStore<T>& to, const StepCore<T>& step);
/// Throws StateError if there was no update yet, if the model has the averages already, or if a run on another thread
/// changes them.
[[gnu::cold]] void check_averages(std::uint64_t updates, bool in_place, bool trains_meanwhile);
template <class Trainer>
void check_averages(Trainer& trainer, bool trains_meanwhile) {
    check_averages(updates_after(trainer.optimizer, trainer.iteration()), trainer.training_step().model_has_averages,
                   trains_meanwhile && !trainer.control().on_training_thread());
}

}  // namespace detail

/// Returns a copy of the trainer's model with averaged parameters, to predict, evaluate and save.
///
/// The optimizer must be wrapped in `ema` or `swa`. Statistics and frozen parameters are not averaged; the copy has
/// their current values. Call it between runs, while the trainer is paused, or in hooks and callbacks.
///
/// @param trainer  a trainer with an optimizer that averages parameters
/// @return a Model
/// @throws StateError  before the first step that changes parameters, within `with_averages`, and during a run on
///                     another thread
///
/// @par Example
/// @code{.txt}
/// Trainer averaging("digits", Digits{}, ema(Adam{}, 0.999), minibatches(training, 100));
/// averaging.run(cpu(), 5);
/// save_parameters(averaged_model(averaging), "digits.safetensors");
/// @endcode
/// @see ema, swa, with_averages
template <class Trainer>
auto averaged_model(Trainer& trainer) {
    detail::check_averages(trainer, trainer.state() == RunState::running);
    auto copy = trainer.model();
    detail::take_averages(copy, trainer.training_step());
    return copy;
}
/// Calls a function while the trainer's model has the averaged parameters.
///
/// Call it between runs or in a callback. Afterwards parameters and averages are bit-identical to what they were, even
/// if the function throws. Within the function, `save` and `checkpoint` of the trainer write the parameters that
/// training continues from. `save_parameters` and `save_model` write the averages. `run`, `start`, `load`,
/// `load_parameters`, `initialize`, `reset`, `rewind` and `with_averages` throw StateError there.
///
/// @param trainer   a trainer with an optimizer that averages parameters, see `ema` and `swa`
/// @param function  called without arguments
/// @return the result of the function
/// @throws StateError  before the first step that changes parameters; if the trainer is not idle and the caller is on
///                     another thread; or if the function has changed the model's parameters
///
/// @par Example
/// @code{.txt}
/// const double accuracy = with_averages(averaging, [&] { return averaging.evaluate(testing).accuracy; });
/// @endcode
/// @see averaged_model
template <class Trainer, class F>
auto with_averages(Trainer& trainer, F function) {
    detail::check_averages(trainer, trainer.state() != RunState::idle);
    const detail::AveragesInPlace in_place(trainer.model(), trainer.training_step());
    if constexpr (std::is_void_v<decltype(function())>) {
        function();
        in_place.check_unchanged();
    } else {
        auto result = function();
        in_place.check_unchanged();
        return result;
    }
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/averages.ipp>
#endif
