// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/derived.hpp>
#include <sigma/hook/words.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace sigma {

namespace detail {

/// How long the last iterations or epochs took, in seconds without pauses.
class Durations {
public:
    /// The end of one, or the beginning of a run.
    void note(double runtime, bool over, std::size_t span);
    void clear();
    bool empty() const { return last_.empty(); }
    double last() const { return last_[next_ - 1]; }
    /// The mean of all but the floor(√(n/2)) shortest and as many longest, as long as one is left.
    double mean();
    double shortest() const { return std::ranges::min(last_); }
    double longest() const { return std::ranges::max(last_); }

private:
    std::vector<double> last_, sorted_;
    std::size_t next_ = 0;
    double since_ = -1;
};

}  // namespace detail

enum class TimeOf { mean, last, shortest, longest, rate };

/// A duration in seconds, or a rate, of the last `span` iterations or epochs. NaN before the first is over.
template <Moment m, TimeOf what>
class TimePer : public DerivedValue<TimePer<m, what>> {
public:
    using Sources = Types<>;
    static constexpr Moment moment = m;
    static constexpr MomentSet update_moments = MomentSet(m) | MomentSet(Moment::start);
    static constexpr bool larger_is_better = what == TimeOf::rate;

    struct State {
        double result = NAN;
        detail::Durations durations;
        std::uint64_t seen = 0;

        void update(auto& context, const TimePer& self) {
            const bool over = context.moment() == m && context.counts()[m] != seen;  // once for each
            if (!over && context.moment() != Moment::start) return;
            durations.note(context.runtime(), over, self.span_);
            if (over) seen = context.counts()[m];
            if (durations.empty()) return;
            if constexpr (what == TimeOf::last) result = durations.last();
            else if constexpr (what == TimeOf::shortest) result = durations.shortest();
            else if constexpr (what == TimeOf::longest) result = durations.longest();
            else if constexpr (what == TimeOf::rate) result = 1 / durations.mean();
            else result = durations.mean();
        }
        void restart() {
            durations.clear();
            result = NAN;
            seen = 0;
        }
        /// Times are measured anew after a restart: another machine may go on.
        static void archive(Archive&) {}
    };
    std::shared_ptr<State> state;

    explicit TimePer(std::uint64_t span) : span_(static_cast<std::size_t>(span)) {}
    friend bool operator==(const TimePer& a, const TimePer& b) { return a.span_ == b.span_; }
    static void visit_values(auto) {}
    static std::string text() {
        const auto name = sigma::text(m);
        switch (what) {
            case TimeOf::last: return sentence("last_", name, "_time");
            case TimeOf::shortest: return sentence("shortest_", name, "_time");
            case TimeOf::longest: return sentence("longest_", name, "_time");
            case TimeOf::rate: return sentence(name, "s_per_second");
            default: return sentence("time_per_", name);
        }
    }

private:
    std::size_t span_;
};

/// `time_per(iteration)`, `time_per(epoch, 10)`: seconds, without pauses, as the mean over the last `span` without the
/// extremes: of n, the floor(√(n/2)) shortest and as many longest are left out.
template <AnyScale S>
auto time_per(S, std::integral auto span) {
    return TimePer<S::scale, TimeOf::mean>(detail::positive("time_per", span));
}
template <AnyScale S>
auto time_per(S s) {
    return time_per(s, 4);
}
/// 1 / time_per
template <AnyScale S>
auto per_second(S, std::integral auto span) {
    return TimePer<S::scale, TimeOf::rate>(detail::positive("per_second", span));
}
template <AnyScale S>
auto per_second(S s) {
    return per_second(s, 4);
}
template <AnyScale S>
auto last_time(S) {
    return TimePer<S::scale, TimeOf::last>(1);
}
/// Of the last `span`.
template <AnyScale S>
auto shortest_time(S, std::integral auto span) {
    return TimePer<S::scale, TimeOf::shortest>(detail::positive("shortest_time", span));
}
template <AnyScale S>
auto longest_time(S, std::integral auto span) {
    return TimePer<S::scale, TimeOf::longest>(detail::positive("longest_time", span));
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/time_per.ipp>
#endif
