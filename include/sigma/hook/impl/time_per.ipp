// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/time_per.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace sigma::detail {

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

inline void Durations::note(double runtime, bool over, std::size_t span) {
    const bool before = since_ >= 0 && runtime >= since_;
    if (over && before) {
        if (last_.size() < span) last_.push_back(0);
        next_ = next_ % span;
        last_[next_++] = runtime - since_;
    }
    if (over || !before) since_ = runtime;
}

inline void Durations::clear() {
    last_.clear();
    next_ = 0;
    since_ = -1;
}

inline double Durations::mean() {
    sorted_ = last_;
    std::ranges::sort(sorted_);
    const std::size_t n = sorted_.size();
    auto dropped = static_cast<std::size_t>(std::sqrt(static_cast<double>(n) / 2));
    if (2 * dropped >= n) dropped = (n - 1) / 2;
    double total = 0;
    for (std::size_t i = dropped; i < n - dropped; ++i) total += sorted_[i];
    return total / static_cast<double>(n - 2 * dropped);
}

class TimePerNode final : public Derived {
public:
    TimePerNode(Moment scale, TimeOf what, std::uint64_t span)
        : scale_(scale), what_(what), span_(static_cast<std::size_t>(span)) {}
    detail::Owned<Derived> clone() const override { return std::make_unique<TimePerNode>(scale_, what_, span_); }
    std::string text() const override {
        const auto name = sigma::detail::text(scale_);
        switch (what_) {
            case TimeOf::last: return sentence("last_", name, "_time");
            case TimeOf::shortest: return sentence("shortest_", name, "_time");
            case TimeOf::longest: return sentence("longest_", name, "_time");
            case TimeOf::rate: return sentence(name, "s_per_second");
            default: return sentence("time_per_", name);
        }
    }
    bool same(const Derived& other) const override {
        const auto* o = dynamic_cast<const TimePerNode*>(&other);
        return o != nullptr && scale_ == o->scale_ && what_ == o->what_ && span_ == o->span_;
    }
    void update(HookContext& context) override {
        const bool over = context.moment() == scale_ && context.counts()[scale_] != seen_;  // once for each
        if (!over && context.moment() != Moment::start) return;
        durations_.note(context.runtime(), over, span_);
        if (over) seen_ = context.counts()[scale_];
        if (!durations_.empty()) result = measured();
    }
    /// Times are measured anew after a restart: another machine may go on.
    void restart() override {
        durations_.clear();
        result = std::numeric_limits<double>::quiet_NaN();
        seen_ = 0;
    }
    MomentSet moments() const override { return MomentSet(scale_) | MomentSet(Moment::start); }

private:
    Moment scale_;
    TimeOf what_;
    std::size_t span_;
    Durations durations_;
    std::uint64_t seen_ = 0;

    double measured() {
        switch (what_) {
            case TimeOf::last: return durations_.last();
            case TimeOf::shortest: return durations_.shortest();
            case TimeOf::longest: return durations_.longest();
            case TimeOf::rate: return 1 / durations_.mean();
            default: return durations_.mean();
        }
    }
};

SIGMA_IMPL detail::SharedOwner<Derived> make_time_per(Moment scale, TimeOf what, std::uint64_t span) {
    return std::make_shared<TimePerNode>(scale, what, span);
}

}  // namespace sigma::detail
