// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/hook.hpp>
#include <sigma/hook/in_turn.hpp>
#include <sigma/hook/optimizer_check.hpp>
#include <sigma/hook/schedules.hpp>

#include <cmath>
#include <limits>

namespace sigma {

namespace detail {

/// A pulse each time, and when a run begins.
template <Moment m>
class EachTime : public Criterion<EachTime<m>> {
public:
    using Reads = Types<>;
    static constexpr MomentSet moments = MomentSet(m) | Moment::start;
    static constexpr bool timed = true;
    static void visit_values(auto) {}
    static Truth check(auto&) { return {true, true, true}; }
    static bool held() { return false; }
    static void restart(const MomentCounts&) {}
    static void archive(Archive&) {}
    static std::string text() { return sentence("every(1, ", sigma::text(m), ")"); }
};

}  // namespace detail

/// The action of `schedule`.
template <AnySchedule F, Moment m>
class RateSchedule : public Action<RateSchedule<F, m>> {
public:
    static constexpr bool in_background = false;
    template <class O>
    static constexpr auto check_optimizer() {
        return detail::check_learning_rate<O>();
    }

    explicit RateSchedule(F f) : function_(std::move(f)) {}

    void run(auto& context) const {
        const double t = static_cast<double>(context.counts()[m] - from_);
        const double factor = static_cast<double>(function_(t));
        if (!(std::isfinite(factor) && factor >= 0))
            throw ArgumentError(text(), sentence("a finite factor of 0 or more at time ", t), sentence(factor));
        context.trainer().optimizer.learning_rate = base_ * factor;
    }
    void restart(auto& context) {
        if (std::isnan(base_)) base_ = static_cast<double>(context.trainer().optimizer.learning_rate);
        from_ = context.counts()[m];
        run(context);
    }
    void archive(Archive& a) { a(base_, from_); }
    std::string text() const { return sentence("schedule(", detail::schedule_text(function_), ", ", sigma::text(m), ")"); }

private:
    F function_;
    double base_ = std::numeric_limits<double>::quiet_NaN();  ///< the rate when added
    std::uint64_t from_ = 0;
};

/// The learning rate follows a function of time: rate = base · f(t), where base is the rate when the hook is added and
/// t counts epochs or iterations from then, or from a reset. Set at once, when a run begins, and at the end of each
/// epoch or iteration after other hooks. Throws ArgumentError where f(t) is not finite or below 0.
///
///     trainer.add(schedule(warm_up(500, cosine(10'000)), iteration));
template <AnySchedule F, AnyScale S>
auto schedule(F f, S) {
    static_assert(S::scale == Moment::epoch || S::scale == Moment::iteration, "schedules count epochs or iterations");
    return detail::EachTime<S::scale>().then(RateSchedule<F, S::scale>(std::move(f))).template priority<500>();
}

}  // namespace sigma
