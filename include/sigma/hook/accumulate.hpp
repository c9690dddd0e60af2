// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/derived.hpp>
#include <sigma/hook/time_step.hpp>
#include <sigma/hook/window.hpp>

#include <cmath>
#include <limits>
#include <memory>

namespace sigma {

namespace detail {

/// Has the value something new at this moment that was not seen before? Once a moment for those that the trainer has.
template <class V, class Context>
bool newly(const Context& context, const V& v, std::uint64_t& seen) {
    std::uint64_t now = 0;
    if constexpr (is_versioned<V>) {
        now = context.version(v);
    } else {
        if (context.moment() != V::moment) return false;
        now = context.counts()[V::moment];
    }
    return std::exchange(seen, now) != now;
}

/// Where an accumulator begins anew: each `n` of a scale; never where n is 0.
struct Period {
    Moment scale = Moment::epoch;
    std::uint64_t n = 0;

    /// The number of the period to which a look belongs. What is new when an epoch ends belongs to that epoch.
    std::uint64_t number(Moment moment, const MomentCounts& counts) const;
    std::string text() const { return n == 0 ? "" : sentence(".per(", n, ", ", sigma::text(scale), ")"); }
    friend bool operator==(const Period&, const Period&) = default;
};

}  // namespace detail

/// What becomes of the values of V over time. V is looked at once when it is new: live values at their moments, computed
/// ones when they have been computed. A NaN is no look. NaN before the first look.
///
/// `Rule` has: `Memory` with `add(x, rule)`, `result(rule)`, `clear()` and `archive(a, rule)`; `operator==`, and
/// `text(source)`.
template <AnyValue V, class Rule>
struct Accumulated : DerivedValue<Accumulated<V, Rule>> {
    using Sources = typename V::Sources;
    static constexpr bool versioned = true, larger_is_better = V::larger_is_better;
    static constexpr Moment moment = V::moment;
    static constexpr MomentSet update_moments = detail::moments_of<V>();
    static constexpr Wants always_wants = detail::wants_of<V>() | detail::always_wants_of<V>();

    struct State {
        Rule rule{};
        typename Rule::Memory memory{};
        std::uint64_t version = 0, seen = 0, period = 0;
        double result = std::numeric_limits<double>::quiet_NaN();

        template <class Context>
        void update(Context& context, const Accumulated& self) {
            if (!detail::newly(context, self.source, seen)) return;
            const double x = context.get(self.source);
            if (std::isnan(x)) return;
            const std::uint64_t now = self.period.number(context.moment(), context.counts());
            if (std::exchange(period, now) != now) memory.clear();
            memory.add(x, rule);
            result = memory.result(rule);
            ++version;
        }
        void restart() {
            memory.clear();
            version = seen = period = 0;
            result = std::numeric_limits<double>::quiet_NaN();
        }
        void archive(Archive& a) {
            a(version, seen, period, result);
            memory.archive(a, rule);
        }
    };

    V source;
    Rule rule;
    detail::Period period{};
    std::shared_ptr<State> state{};

    Accumulated(V source_, Rule rule_, detail::Period period_ = {}) : source(source_), rule(rule_), period(period_) {}

    /// Begins anew with each epoch, or `per(100, iteration)` after so many of a scale. The value of an epoch stays until
    /// the first look of the next.
    template <AnyScale S>
        requires(Rule::restarts)
    auto per(std::integral auto n, S) const {
        static_assert(S::scale == Moment::iteration || S::scale == Moment::epoch || S::scale == Moment::start,
                      "values are accumulated per iteration, epoch or start");
        if (rule.window != 0)
            throw ArgumentError(text(), "either a window of looks or a period", "both");
        return Accumulated(source, rule, {S::scale, detail::positive("per", n)});
    }
    template <AnyScale S>
        requires(Rule::restarts)
    auto per(S scale) const {
        return per(1, scale);
    }

    void prepare(auto&) const { state->rule = rule; }
    void visit_values(auto f) { f(source); }
    void visit_values(auto f) const { f(source); }
    std::string text() const { return rule.text(source.text()) + period.text(); }
    friend bool operator==(const Accumulated& a, const Accumulated& b) {
        return detail::same_value(a.source, b.source) && a.rule == b.rule && a.period == b.period;
    }
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/accumulate.ipp>
#endif
