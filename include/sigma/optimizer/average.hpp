// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/optimizer/update.hpp>

#include <array>
#include <cstdint>
#include <tuple>

SIGMA_INCLUDED(sigma, include_sigma_optimizer_average_hpp);

namespace sigma {

namespace detail {
/// The state that is a parameter's average.
inline constexpr Text average_state = "average";
template <class O>
concept Averages = requires { O::averages; };
}  // namespace detail

/// The optimizer O, which keeps beside each parameter w the average a ← a + α·(w − a) of what its steps gave;
/// `Self::share(step)` is α, 1 for the average to begin anew.
template <class Self, AnyOptimizer O>
struct Averaging : O {
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
};

/// An exponential moving average (Polyak and Juditsky 1992; Kingma and Ba 2015, section 7.2): a ← d·a + (1−d)·w with
/// d = min(decay, (t−1) / (t+9)) in step t, so that it begins with the first parameters that a step gave and not with
/// zeros, and is not held by them.
template <AnyOptimizer O>
struct WithEma : Averaging<WithEma<O>, O> {
    double ema_decay = 0.999;

    static constexpr auto fields() {
        return std::tuple_cat(detail::fields_of<O>(), std::tuple{Field<WithEma>{"ema_decay", &WithEma::ema_decay,
                                                                                NumberRange::from_0_to_below_1()}});
    }
    constexpr double share(std::uint64_t step) const {
        const double t = static_cast<double>(step), first = (t - 1) / (t + 9);
        return 1 - (ema_decay < first ? ema_decay : first);
    }
};
/// Stochastic weight averaging (Izmailov et al. 2018, algorithm 1): up to step swa_start the average is the parameters
/// themselves; then it is the mean of those at swa_start and after every swa_interval steps.
template <AnyOptimizer O>
struct WithSwa : Averaging<WithSwa<O>, O> {
    double swa_start = 1;
    double swa_interval = 1;

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
        const std::int64_t n = taken(t);  // besides the first
        return t - 1 >= swa_start && taken(t - 1) == n ? 0 : 1 / (static_cast<double>(n) + 1);
    }
};

/// `ema(Adam{}, 0.999)`: the averages are states, kept in checkpoints; `averaged_model(trainer)` is a model of them.
template <AnyOptimizer O>
constexpr WithEma<O> ema(O optimizer, double decay = 0.999) {
    WithEma<O> result{{optimizer}};
    result.ema_decay = decay;
    return result;
}
template <AnyOptimizer O>
    requires detail::Averages<O>
error_parameters_are_averaged_already<optimizer_is<O>> ema(O, double = 0);

/// `swa(Momentum{}, {.start = 4000, .interval = 100})`, in steps; an interval of 1 or more.
struct SwaSteps {
    double start = 1, interval = 1;
};
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
