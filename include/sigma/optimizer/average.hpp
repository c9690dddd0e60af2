// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Averages of parameters: ema, swa. Include it yourself.
#include <sigma/core/words.hpp>
#include <sigma/optimizer/update.hpp>

#include <array>
#include <cstdint>
#include <tuple>

SIGMA_INCLUDED(sigma, include_sigma_optimizer_average_hpp);

namespace sigma {

namespace detail {
/// Name of the state with a parameter's average.
inline constexpr Text average_state = "average";
template <class O>
concept Averages = requires { O::averages; };
}  // namespace detail

/// The common part of optimizers that average parameters: a ← a + α·(w − a) for the average a of each parameter w.
///
/// `Self::share(step)` returns α; 1 restarts the average.
/// @tparam Self  the derived optimizer
/// @tparam O  type of the inner optimizer
///
/// @see ema, swa
template <class Self, AnyOptimizer O>
struct Averaging : O {
    /// @cond internal
    static constexpr bool averages = true;
    static constexpr bool wraps_groups = detail::has_groups<O>;

    constexpr auto scalars(std::uint64_t step) const {
        return detail::joined<detail::scalar_count<O>, 1>(O::scalars(step),
                                                          std::array{static_cast<const Self&>(*this).share(step)});
    }
    static constexpr void update(Update& u, Variable w, Variable g) {
        O::update(u, w, g);
        const Variable next = u.next(w);
        const Variable a = u.state(detail::average_state, w.shape());
        const Variable difference = next - a;
        u.assign(a, a + u.scalar(detail::scalar_count<O>) * difference);
    }
    /// @endcond
};

/// An optimizer with an exponential moving average of each parameter: a ← d·a + (1−d)·w.
///
/// d = min(ema_decay, (t−1) / (t+9)) in step t: the average begins with the parameters after the first step and forgets
/// them soon (Polyak and Juditsky 1992; Kingma and Ba 2015, section 7.2). `ema` makes it.
/// @tparam O  type of the inner optimizer
///
/// @see ema
template <AnyOptimizer O>
struct WithEma : Averaging<WithEma<O>, O> {
    double ema_decay = 0.999;  ///< Decay of the average, from 0 to below 1.

    /// @cond internal
    static constexpr auto fields() {
        return std::tuple_cat(detail::fields_of<O>(), std::tuple{Field<WithEma>{"ema_decay", &WithEma::ema_decay,
                                                                                NumberRange::from_0_to_below_1()}});
    }
    constexpr double share(std::uint64_t step) const {
        const double t = static_cast<double>(step), first = (t - 1) / (t + 9);
        return 1 - (ema_decay < first ? ema_decay : first);
    }
    /// @endcond
};
/// An optimizer with stochastic weight averaging (Izmailov et al. 2018, algorithm 1).
///
/// Up to step `swa_start` the average is the parameters. Then it is the mean of the parameters after step `swa_start`
/// and after each `swa_interval` steps. `swa` makes it.
/// @tparam O  type of the inner optimizer
///
/// @see swa
template <AnyOptimizer O>
struct WithSwa : Averaging<WithSwa<O>, O> {
    double swa_start = 1;     ///< Step of the first averaged parameters, above 0.
    double swa_interval = 1;  ///< Number of steps between averaged parameters, at least 1.

    /// @cond internal
    static constexpr auto fields() {
        using Number = Field<WithSwa>;
        return std::tuple_cat(detail::fields_of<O>(),
                              std::tuple{Number{"swa_start", &WithSwa::swa_start, NumberRange::finite_above_0()},
                                         Number{"swa_interval", &WithSwa::swa_interval, NumberRange::finite_from_1()}});
    }
    constexpr double share(std::uint64_t step) const {
        const double t = static_cast<double>(step);
        if (t <= swa_start) return 1;
        const auto taken = [&](double at) { return static_cast<std::int64_t>((at - swa_start) / swa_interval); };
        const std::int64_t n = taken(t);  // without the first
        return t - 1 >= swa_start && taken(t - 1) == n ? 0 : 1 / (static_cast<double>(n) + 1);
    }
    /// @endcond
};

/// Makes an optimizer keep an exponential moving average of the parameters.
///
/// Averages are states of the optimizer and part of checkpoints. `averaged_model(trainer)` returns a model of them.
/// @tparam O  type of the optimizer
/// @param optimizer  the optimizer that takes the steps
/// @param decay  decay of the average, from 0 to below 1
/// @return the averaging optimizer
/// @throws ArgumentError  in a run, if `decay` is out of range
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, ema(Adam{}, 0.999), minibatches(training, 100));
/// fitted.run(cpu(), 10);  // epochs
/// const Model averaged = averaged_model(fitted);
/// @endcode
///
/// @see swa, averaged_model
template <AnyOptimizer O>
constexpr WithEma<O> ema(O optimizer, double decay = 0.999) {
    WithEma<O> result{{optimizer}};
    result.ema_decay = decay;
    return result;
}
template <AnyOptimizer O>
    requires detail::Averages<O>
error_parameters_are_averaged_already<optimizer_is<O>> ema(O, double = 0);

/// Options of `swa`, in steps.
///
/// @see swa
struct SwaSteps {
    double start = 1;     ///< Step of the first averaged parameters, above 0.
    double interval = 1;  ///< Number of steps between averaged parameters, at least 1.
};
/// Makes an optimizer average the parameters of some steps (stochastic weight averaging).
///
/// `averaged_model(trainer)` returns a model of the averages.
/// @tparam O  type of the optimizer
/// @param optimizer  the optimizer that takes the steps
/// @param steps  first averaged step, and the interval
/// @return the averaging optimizer
/// @throws ArgumentError  in a run, if a number of steps is out of range
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, swa(Momentum{}, {.start = 4000, .interval = 100}), minibatches(training, 100));
/// @endcode
///
/// @see ema, averaged_model
template <AnyOptimizer O>
constexpr WithSwa<O> swa(O optimizer, SwaSteps steps) {
    WithSwa<O> result{{optimizer}};
    result.swa_start = steps.start, result.swa_interval = steps.interval;
    return result;
}
template <AnyOptimizer O>
    requires detail::Averages<O>
error_parameters_are_averaged_already<optimizer_is<O>> swa(O, SwaSteps);

}  // namespace sigma
