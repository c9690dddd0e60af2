// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/hook.hpp>
#include <sigma/hook/in_turn.hpp>
#include <sigma/hook/optimizer_check.hpp>
#include <sigma/hook/schedules.hpp>

#include <string>
#include <utility>

namespace sigma {

namespace detail {

CriterionHandle make_each_time(Moment scale);
ActionHandle make_rate_schedule(Moment scale, AnyFunction<double(double)> f, std::string text);

/// A pulse each time, and when a run begins.
template <Moment m>
struct EachTime : Criterion<EachTime<m>> {
    using Reads = Types<>;
    static constexpr MomentSet moments = MomentSet(m) | Moment::start;
    static constexpr bool timed = true;
    EachTime() : Criterion<EachTime>(make_each_time(m)) {}
};

}  // namespace detail

/// The action of `schedule`.
template <Moment m>
struct RateSchedule : detail::MadeAction<> {
    static constexpr bool in_background = false;
    template <class O>
    static constexpr auto check_optimizer() {
        return detail::check_learning_rate<O>();
    }
    template <AnySchedule F>
    explicit RateSchedule(F f)
        : MadeAction(detail::make_rate_schedule(
              m, [f](double t) { return static_cast<double>(f(t)); }, detail::schedule_text(f))) {}
};

/// The learning rate follows a function of time: rate = base · f(t), where base is the rate when the hook is added and
/// t counts epochs or iterations from then, or from a reset. Set at once, when a run begins, and at the end of each
/// epoch or iteration after other hooks. Throws ArgumentError where f(t) is not finite or below 0.
///
///     trainer.add(schedule(warm_up(500, cosine(10'000)), iteration));
template <AnySchedule F, AnyScale S>
auto schedule(F f, S) {
    static_assert(S::scale == Moment::epoch || S::scale == Moment::iteration, "schedules count epochs or iterations");
    return detail::EachTime<S::scale>().then(RateSchedule<S::scale>(std::move(f))).template priority<500>();
}

template <AnySchedule F>
error_schedule_needs_a_scale<write_epoch_or_iteration_behind_the_schedule> schedule(F);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/schedule.ipp>
#endif
