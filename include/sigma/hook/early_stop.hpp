// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Hooks that react to a value that stops improving: `early_stop`, `reduce_on_plateau`. Included by
/// `<sigma/sigma.hpp>`.
#include <sigma/core/words.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/hook.hpp>
#include <sigma/hook/optimizer_actions.hpp>

#include <concepts>
#include <cstdint>

namespace sigma {

/// The choices of which of two numbers is better.
///
/// @see EarlyStopping, PlateauOptions
enum class Best {
    usual,     ///< Smaller for losses and errors, larger for accuracies, as `improves` defines it.
    largest,   ///< Larger.
    smallest,  ///< Smaller.
};

/// Options of `early_stop`.
///
/// @par Example
/// @code
/// trainer.add(early_stop(error, {.patience = 10, .min_change = 0.001}));
/// @endcode
struct EarlyStopping {
    /// Evaluations in a row without improvement after which the run ends, at least 1.
    std::int64_t patience = 5;
    double min_change = 0;     ///< Smallest improvement that counts, at least 0; 0: any improvement.
    bool restore_best = true;  ///< Restores the parameters of the best evaluation at the stop if true.
    Best best = Best::usual;   ///< Choice of which number is better.
};

/// Options of `reduce_on_plateau`.
///
/// @par Example
/// @code
/// trainer.add(reduce_on_plateau(error, {.factor = 0.1, .min_rate = 1e-6}));
/// @endcode
struct PlateauOptions {
    double factor = 0.5;  ///< Factor on the learning rate, above 0 and below 1.
    /// Evaluations in a row without improvement after which the rate is reduced, at least 1.
    std::int64_t patience = 3;
    double min_rate = 0;        ///< Smallest learning rate, at least 0.
    std::int64_t cooldown = 0;  ///< Evaluations after a reduction that do not count, at least 0.
    double min_change = 0;      ///< Smallest improvement that counts, at least 0; 0: any improvement.
    Best best = Best::usual;    ///< Choice of which number is better.
};

namespace detail {

CriterionHandle make_each_look(const ValueHandle& v);
ActionHandle make_early_stop(const ValueHandle& v, const EarlyStopping& how);
ActionHandle make_reduce_on_plateau(const ValueHandle& v, const PlateauOptions& how);

}  // namespace detail

/// The type of the criterion of `early_stop`: fires each time the value is computed, even if it is NaN.
///
/// @tparam V  type of the value
///
/// @see early_stop, reduce_on_plateau
template <AnyValue V>
struct EachLook : detail::ValueCriterion<EachLook<V>, V> {
    /// @cond internal
    using detail::ValueCriterion<EachLook, V>::ValueCriterion;
    /// @endcond
    /// Constructs a criterion on a value.
    /// @param value  value to evaluate
    explicit EachLook(const V& value) : EachLook(detail::make_each_look(detail::value_of(value))) {}
};

/// The action of `early_stop`, for hooks that choose when to evaluate: `every(5, epoch).then(EarlyStop(error))`.
///
/// @tparam V  type of the value
///
/// @par Background
/// Cannot run in the background, because it restores parameters of the network that is trained.
///
/// @par Example
/// @code
/// trainer.add(every(5, epoch).then(EarlyStop(error, {.patience = 3})));
/// @endcode
template <AnyValue V>
struct EarlyStop : detail::MadeAction<Types<V>> {
    /// @cond internal
    static constexpr bool in_background = false;
    /// @endcond

    /// Constructs the action.
    /// @param value    value that should improve
    /// @param options  patience and other options
    /// @throws ArgumentError  if `options.patience` is less than 1 or `options.min_change` is below 0
    explicit EarlyStop(const V& value, const EarlyStopping& options = {})
        : detail::MadeAction<Types<V>>(detail::make_early_stop(detail::value_of(value), options)) {}
};

/// Returns a hook that ends the run if a value has not improved for a number of evaluations.
///
/// The value is evaluated each time it is computed, after the other hooks of the moment. An evaluation
/// improves if its value is better than the best one, by at least `min_change`. NaN never improves. After `patience`
/// evaluations in a row without improvement the run ends. The parameters of the best evaluation are restored,
/// bit-identical. The state of the optimizer stays (Prechelt 1998, "Early stopping – but when?"). A further run starts
/// with full patience.
/// @param value    value that should improve, such as `validation_error`
/// @param options  patience and other options
/// @return the hook, for `Trainer::add`
/// @throws ArgumentError  if `options.patience` is less than 1 or `options.min_change` is below 0
///
/// @par Background
/// Cannot run in the background, because it restores parameters of the network that is trained.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score(testing)), early_stop(validation_error, {.patience = 10}));
/// @endcode
///
/// @see EarlyStopping, EarlyStop, save_best
template <AnyValue V>
auto early_stop(V value, EarlyStopping options = {}) {
    return EachLook<V>(value).then(EarlyStop<V>(value, options)).template priority<1000>();
}
/// Returns a hook that ends the run if a value has not improved for `patience` evaluations, with default options.
/// @param value     value that should improve, such as `validation_error`
/// @param patience  evaluations in a row without improvement after which the run ends, 1 or more
/// @return the hook, for `Trainer::add`
/// @throws ArgumentError  if `patience` is less than 1
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score(testing)), early_stop(validation_error, 5));
/// @endcode
template <AnyValue V, std::integral Patience>
auto early_stop(V value, Patience patience) {
    return early_stop(value,
                      {.patience = static_cast<std::int64_t>(detail::positive("patience of early_stop", patience))});
}
/// @cond internal
error_first_argument_is_not_a_value<use_early_stop_validation_error_5> early_stop(const EarlyStopping&);
error_first_argument_is_not_a_value<use_early_stop_validation_error_5> early_stop(std::integral auto);
/// @endcond

/// The action of `reduce_on_plateau`, for hooks that choose when to evaluate: `every(5,
/// epoch).then(ReduceOnPlateau(error))`.
///
/// @tparam V  type of the value
///
/// @par Background
/// Cannot run in the background, because it changes the learning rate from its number at the time of the firing.
///
/// @par Workers
/// Cannot be used in `in_each_worker`, because it acts on all workers.
///
/// @par Example
/// @code
/// trainer.add(every(5, epoch).then(ReduceOnPlateau(error, {.factor = 0.1})));
/// @endcode
template <AnyValue V>
struct ReduceOnPlateau : detail::MadeAction<Types<V>> {
    /// @cond internal
    static constexpr bool in_background = false, in_worker = false;
    template <class O>
    static constexpr auto check_optimizer() {
        return detail::check_learning_rate<O>();
    }
    /// @endcond

    /// Constructs the action.
    /// @param value    value that should improve
    /// @param options  factor, patience and other options
    /// @throws ArgumentError  if an option is out of its range
    explicit ReduceOnPlateau(const V& value, const PlateauOptions& options = {})
        : detail::MadeAction<Types<V>>(detail::make_reduce_on_plateau(detail::value_of(value), options)) {}
};

/// Returns a hook that multiplies the learning rate by a factor if a value has not improved for a number of
/// evaluations.
///
/// The value is evaluated each time it is computed. The next `cooldown` evaluations after a reduction do not count. The
/// hook does not compile if the optimizer has no learning rate.
/// @param value    value that should improve, such as `validation_error`
/// @param options  factor, patience and other options
/// @return the hook, for `Trainer::add`
/// @throws ArgumentError  if an option is out of its range
///
/// @par Background
/// Cannot run in the background, because it changes the learning rate from its number at the time of the firing.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score(testing)), reduce_on_plateau(validation_error, {.patience = 5}));
/// @endcode
///
/// @see PlateauOptions, schedule
template <AnyValue V>
auto reduce_on_plateau(V value, PlateauOptions options = {}) {
    return EachLook<V>(value).then(ReduceOnPlateau<V>(value, options)).template priority<500>();
}
/// @cond internal
error_first_argument_is_not_a_value<use_reduce_on_plateau_validation_error> reduce_on_plateau(const PlateauOptions&);

struct use_early_stop_of_error_and_patience;
struct use_when_after_20_epoch_then_stop;
error_word_is_written_otherwise<use_early_stop_of_error_and_patience> EarlyStopper(...);
error_word_is_written_otherwise<use_when_after_20_epoch_then_stop> StopAfterEpoch(...);
/// @endcond

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/early_stop.ipp>
#endif
