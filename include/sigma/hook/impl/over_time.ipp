// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/hook/node.hpp>
#include <sigma/hook/over_time.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace sigma::detail {

/// A sum with compensation of rounding errors. Neumaier 1974, "Rundungsfehleranalyse einiger Verfahren zur Summation
/// endlicher Summen". Sums of integers below 2^53 are exact. Infinities and NaN are counted separately, so that they
/// can be removed again.
struct CompensatedSum {
    double sum = 0, low = 0;
    std::int64_t infinite = 0, up = 0, down = 0;

    auto fields() { return std::tie(sum, low, infinite, up, down); }
    void add(double x, int sign = +1) {
        if (!std::isfinite(x)) {
            infinite += sign;
            (x > 0 ? up : down) += sign;
            return;
        }
        const double y = sign * x, s = sum + y;
        low += std::abs(sum) >= std::abs(y) ? sum - s + y : y - s + sum;
        sum = s;
    }
    double finite_part() const { return std::isfinite(sum) ? sum + low : sum; }
    double value() const {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        if (infinite != 0) return up > 0 && down > 0 ? not_seen : up > 0 ? infinity : -infinity;
        return finite_part();
    }
};

/// The last numbers of a window. Stores nothing if the window is 0, which stands for all numbers.
class Ring {
public:
    /// Adds x and returns the number that leaves the window; NaN if none does.
    double push(double x, std::uint64_t n) {
        ++count_;
        if (n == 0) return not_seen;
        if (values_.size() < n) {
            if (values_.empty()) values_.reserve(static_cast<std::size_t>(std::min<std::uint64_t>(n, 65536)));
            values_.push_back(x);
            return not_seen;
        }
        const double left = std::exchange(values_[static_cast<std::size_t>(at_)], x);
        at_ = at_ + 1 == n ? 0 : at_ + 1;
        return left;
    }
    /// Returns whether the ring of n was just filled once more.
    bool round(std::uint64_t n) const { return n > 0 && at_ == 0 && values_.size() == n; }
    const std::vector<double>& values() const { return values_; }
    std::uint64_t count(std::uint64_t n) const { return n == 0 ? count_ : values_.size(); }
    void archive(Archive& a, std::uint64_t n) {
        a(at_, count_);
        a.tensor(values_);
        const std::uint64_t size = values_.size();
        if (size > n || (at_ > 0 && (size < n || at_ >= n)) || size > count_)
            throw MismatchError("state of hooks", sentence("a window of at most ", n, " values"),
                                sentence(size, ", place ", at_));
    }
    void clear() { values_.clear(), at_ = count_ = 0; }

private:
    std::vector<double> values_;
    std::uint64_t at_ = 0, count_ = 0;
};

/// The state of an average, a sum, an extremum or a smoothed value.
class AccumulatorMemory {
public:
    explicit AccumulatorMemory(const AccumulateRule& rule = {}) : rule_(rule) {}

    double add(double x) {
        const std::uint64_t n = rule_.window;
        if (rule_.what == Accumulating::smoothed) {
            smooth_ = rule_.share * smooth_ + (1 - rule_.share) * x;
            weight_ = rule_.share * weight_ + (1 - rule_.share);
            return smooth_ / weight_;
        }
        const double left = ring_.push(x, n);
        if (is_extremum()) {
            const auto better = [most = rule_.what == Accumulating::largest](double a, double b) {
                return most ? a > b : a < b;
            };
            if (std::isnan(best_) || better(x, best_)) best_ = x;
            else if (left == best_) best_ = *std::ranges::min_element(ring_.values(), better);
            return best_;
        }
        // Constant time: a running sum, which is computed again each time that the ring was filled once more.
        if (ring_.round(n) || (n > 0 && !std::isfinite(sum_.finite_part()))) {
            sum_ = {};
            for (const double y : ring_.values()) sum_.add(y);
        } else {
            sum_.add(x);
            if (!std::isnan(left)) sum_.add(left, -1);
        }
        return rule_.what == Accumulating::sum ? sum_.value() : sum_.value() / static_cast<double>(ring_.count(n));
    }
    void restart() {
        ring_.clear();
        sum_ = {}, best_ = not_seen, smooth_ = weight_ = 0;
    }
    void archive(Archive& a) {
        if (rule_.what == Accumulating::smoothed) return a(smooth_, weight_);
        if (is_extremum()) a(best_);
        else archive_of(sum_, a);
        ring_.archive(a, rule_.window);
    }

private:
    AccumulateRule rule_;
    Ring ring_;
    CompensatedSum sum_;
    double best_ = not_seen;
    double smooth_ = 0, weight_ = 0;  // the weight is 1 − shareᵗ

    bool is_extremum() const { return rule_.what == Accumulating::largest || rule_.what == Accumulating::smallest; }
};

struct AccumulatedNode {
    ValueHandle source{};
    AccumulateRule how{};
    AccumulatorMemory memory{how};
    std::uint64_t version = 0, seen = 0, number = 0;
    double result = not_seen;

    auto fields() { return std::tie(source, version, seen, number, result, memory); }
    void update(HookContext& context) {
        if (!newly(context)) return;
        const double x = context.get(source);
        if (std::isnan(x)) return;
        const std::uint64_t now = period(context.moment(), context.counts());
        if (std::exchange(number, now) != now) memory.restart();
        result = memory.add(x);
        ++version;
    }
    MomentSet moments() const {
        const ValueRecord& r = source.record();
        // The hook that computes a value updates the values made of it.
        if (r.kind == ValueRecord::Kind::computed) return {};
        return r.versioned ? source.derived()->moments() : MomentSet(r.moment);
    }
    std::string text() const {
        constexpr const char* words[] = {"average", "sum", "largest", "smallest", "smoothed"};
        return sentence(words[static_cast<int>(how.what)], "(", source.text(),
                        how.what == Accumulating::smoothed ? sentence(", ", how.share)
                        : how.window > 0                   ? sentence(", ", how.window)
                                                           : "",
                        how.every > 0 ? sentence(").per(", how.every, ", ", detail::text(how.scale), ")") : ")");
    }

    /// Returns whether the source is new at this moment. A live value is new once a moment.
    bool newly(const HookContext& context) {
        const bool versioned = source.record().versioned;
        if (!versioned && context.moment() != source.record().moment) return false;
        const std::uint64_t now = versioned ? context.version(source) : context.counts()[source.record().moment];
        return std::exchange(seen, now) != now;
    }
    /// Returns the number of the period. A number that is new when an epoch ends belongs to that epoch.
    std::uint64_t period(Moment moment, const MomentCounts& counts) const {
        if (how.every == 0) return 0;
        const bool within = how.scale == Moment::epoch && moment != Moment::epoch;
        return within ? counts[how.scale] / how.every : (counts[how.scale] - 1) / how.every;
    }
};

SIGMA_IMPL SharedOwner<Derived> make_accumulated(const ValueHandle& source, const AccumulateRule& rule) {
    return make_value(AccumulatedNode{source, rule});
}
SIGMA_IMPL SharedOwner<Derived> make_periodic(const ValueHandle& accumulated, Moment scale, Integer n) {
    const auto& from = dynamic_cast<const ValueNodeOf<AccumulatedNode>&>(*accumulated.derived()).self;
    if (from.how.window != 0) throw ArgumentError(from.text(), "either a window or a period", "both");
    AccumulateRule rule = from.how;
    rule.scale = scale, rule.every = positive("per", n);
    return make_value(AccumulatedNode{from.source, rule});
}

SIGMA_IMPL double checked_share(double share) {
    if (!(share >= 0 && share < 1)) throw ArgumentError("smoothed", "a share from 0 to below 1", sentence(share));
    return share;
}

struct LatestNode {
    ValueHandle source{};
    double result = not_seen;

    auto fields() { return std::tie(source, result); }
    void update(HookContext& context) { result = context.get(source); }
    std::string text() const { return sentence("latest(", source.text(), ")"); }
};

SIGMA_IMPL SharedOwner<Derived> make_latest(const ValueHandle& source) { return make_value(LatestNode{source}); }

/// The last durations of iterations or epochs, in seconds without pauses.
class Durations {
public:
    /// Records the end of an iteration or epoch, or the beginning of a run.
    void note(double runtime, bool over, std::size_t span) {
        const bool before = since_ >= 0 && runtime >= since_;
        if (over && before) {
            if (last_.size() < span) last_.push_back(0);
            next_ = next_ % span;
            last_[next_++] = runtime - since_;
        }
        if (over || !before) since_ = runtime;
    }
    /// Returns a duration; NaN if there is none.
    double of(TimeOf what) {
        if (last_.empty()) return not_seen;
        switch (what) {
            case TimeOf::last: return last_[next_ - 1];
            case TimeOf::shortest: return std::ranges::min(last_);
            case TimeOf::longest: return std::ranges::max(last_);
            case TimeOf::rate: return 1 / mean();
            default: return mean();
        }
    }

private:
    std::vector<double> last_, sorted_;
    std::size_t next_ = 0;
    double since_ = -1;

    /// Returns the mean without the floor(√(n/2)) shortest and as many longest, as long as one remains.
    double mean() {
        sorted_ = last_;
        std::ranges::sort(sorted_);
        const std::size_t n = sorted_.size();
        auto dropped = static_cast<std::size_t>(std::sqrt(static_cast<double>(n) / 2));
        if (2 * dropped >= n) dropped = (n - 1) / 2;
        double total = 0;
        for (std::size_t i = dropped; i < n - dropped; ++i) total += sorted_[i];
        return total / static_cast<double>(n - 2 * dropped);
    }
};

struct TimePerNode {
    struct How {
        Moment scale{};
        TimeOf what{};
        std::size_t span = 1;
        friend bool operator==(const How&, const How&) = default;
    } how{};
    Durations durations{};
    std::uint64_t seen = 0;
    double result = not_seen;

    void update(HookContext& context) {
        const bool over = context.moment() == how.scale && context.counts()[how.scale] != seen;  // once per count
        if (!over && context.moment() != Moment::start) return;
        durations.note(context.runtime(), over, how.span);
        if (over) seen = context.counts()[how.scale];
        result = durations.of(how.what);
    }
    /// Forgets all durations. Checkpoints do not contain them, because another machine may resume.
    void restart() { *this = {how}; }
    MomentSet moments() const { return MomentSet(how.scale) | MomentSet(Moment::start); }
    std::string text() const {
        const auto name = detail::text(how.scale);
        switch (how.what) {
            case TimeOf::last: return sentence("last_", name, "_time");
            case TimeOf::shortest: return sentence("shortest_", name, "_time");
            case TimeOf::longest: return sentence("longest_", name, "_time");
            case TimeOf::rate: return sentence(name, "s_per_second");
            default: return sentence("time_per_", name);
        }
    }
};

SIGMA_IMPL SharedOwner<Derived> make_time_per(Moment scale, TimeOf what, std::uint64_t span) {
    return make_value(TimePerNode{{scale, what, static_cast<std::size_t>(span)}});
}

}  // namespace sigma::detail
