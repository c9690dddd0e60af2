// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/accumulate.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/window.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

namespace sigma::detail {

/// Where an accumulator begins anew: each `n` of a scale; never where n is 0.
struct Period {
    Moment scale = Moment::epoch;
    std::uint64_t n = 0;

    /// The number of the period to which a look belongs. What is new when an epoch ends belongs to that epoch.
    std::uint64_t number(Moment moment, const MomentCounts& counts) const {
        if (n == 0) return 0;
        const bool within = scale == Moment::epoch && moment != Moment::epoch;
        return within ? counts[scale] / n : (counts[scale] - 1) / n;
    }
    std::string text() const { return n == 0 ? "" : sentence(".per(", n, ", ", sigma::detail::text(scale), ")"); }
    friend bool operator==(const Period&, const Period&) = default;
};

/// What is kept of the values.
class SumMemory {
public:
    void add(double x, const AccumulateRule& rule) { sum_.add(x, rule.window); }
    double result(const AccumulateRule& rule) const {
        return rule.what == Accumulating::average ? sum_.mean(rule.window) : sum_.total();
    }
    void clear() { sum_.clear(); }
    void archive(Archive& a, const AccumulateRule& rule) { sum_.archive(a, rule.window); }

private:
    WindowSum sum_;
};
class ExtremeMemory {
public:
    void add(double x, const AccumulateRule& rule) {
        const double left = ring_.push(x, rule.window);
        const auto better = [most = rule.what == Accumulating::largest](double a, double b) {
            return most ? a > b : a < b;
        };
        if (std::isnan(best_) || better(x, best_)) best_ = x;
        else if (left == best_) best_ = *std::ranges::min_element(ring_.values(), better);
    }
    double result(const AccumulateRule&) const { return best_; }
    void clear() { ring_.clear(), best_ = std::numeric_limits<double>::quiet_NaN(); }
    void archive(Archive& a, const AccumulateRule& rule) { a(best_), ring_.archive(a, rule.window); }

private:
    Ring ring_;
    double best_ = std::numeric_limits<double>::quiet_NaN();
};
class SmoothMemory {
public:
    void add(double x, const AccumulateRule& rule) {
        sum_ = rule.share * sum_ + (1 - rule.share) * x;
        weight_ = rule.share * weight_ + (1 - rule.share);
    }
    double result(const AccumulateRule&) const { return sum_ / weight_; }
    void clear() { sum_ = weight_ = 0; }
    void archive(Archive& a, const AccumulateRule&) { a(sum_, weight_); }

private:
    double sum_ = 0, weight_ = 0;  ///< the weight is 1 − shareᵗ
};

/// What all accumulators have.
class AccumulatedBase : public Derived {
public:
    AccumulatedBase(ValueHandle source, const AccumulateRule& rule, const Period& period)
        : source_(std::move(source)), rule_(rule), period_(period) {}
    virtual detail::SharedOwner<Derived> with(const Period& period) const = 0;

    const AccumulateRule& rule() const { return rule_; }
    std::string text() const override {
        constexpr const char* words[] = {"average", "sum", "largest", "smallest", "smoothed"};
        const std::string more = rule_.what == Accumulating::smoothed ? sentence(", ", rule_.share)
                                 : rule_.window > 0                   ? sentence(", ", rule_.window)
                                                                      : "";
        return sentence(words[static_cast<int>(rule_.what)], "(", source_.text(), more, ")", period_.text());
    }
    bool same(const Derived& other) const override {
        const auto* o = dynamic_cast<const AccumulatedBase*>(&other);
        return o != nullptr && same_value(source_, o->source_) && rule_ == o->rule_ && period_ == o->period_;
    }
    void visit_values(const ValueVisitor& f) override { f(source_); }
    MomentSet moments() const override {
        const ValueRecord& r = source_.record();
        // Those of computed values are their writer's, whose hook brings this up to date.
        if (r.kind == ValueRecord::Kind::computed) return {};
        return r.versioned ? source_.derived()->moments() : MomentSet(r.moment);
    }
    Wants always_wants() const override { return wants_of(source_) | always_wants_of(source_); }

protected:
    ValueHandle source_;
    AccumulateRule rule_;
    Period period_;
    std::uint64_t seen_ = 0, number_ = 0;

    /// Has the source something new at this moment that was not seen before? Once a moment for those that the trainer
    /// has.
    bool newly(const HookContext& context) {
        const bool versioned = source_.record().versioned;
        if (!versioned && context.moment() != source_.record().moment) return false;
        const std::uint64_t now = versioned ? context.version(source_) : context.counts()[source_.record().moment];
        return std::exchange(seen_, now) != now;
    }
};

template <class Memory>
class AccumulatedNode final : public AccumulatedBase {
public:
    using AccumulatedBase::AccumulatedBase;
    detail::Owned<Derived> clone() const override { return std::make_unique<AccumulatedNode>(source_, rule_, period_); }
    detail::SharedOwner<Derived> with(const Period& period) const override {
        return std::make_shared<AccumulatedNode>(source_, rule_, period);
    }
    void update(HookContext& context) override {
        if (!newly(context)) return;
        const double x = context.get(source_);
        if (std::isnan(x)) return;
        const std::uint64_t now = period_.number(context.moment(), context.counts());
        if (std::exchange(number_, now) != now) memory_.clear();
        memory_.add(x, rule_);
        result = memory_.result(rule_);
        ++version;
    }
    void restart() override {
        memory_.clear();
        version = seen_ = number_ = 0;
        result = std::numeric_limits<double>::quiet_NaN();
    }
    void archive(Archive& a) override {
        a(version, seen_, number_, result);
        memory_.archive(a, rule_);
    }

private:
    Memory memory_;
};

SIGMA_IMPL detail::SharedOwner<Derived> make_accumulated(const ValueHandle& source, const AccumulateRule& rule) {
    switch (rule.what) {
        case Accumulating::average:
        case Accumulating::sum: return std::make_shared<AccumulatedNode<SumMemory>>(source, rule, Period{});
        case Accumulating::smoothed: return std::make_shared<AccumulatedNode<SmoothMemory>>(source, rule, Period{});
        default: return std::make_shared<AccumulatedNode<ExtremeMemory>>(source, rule, Period{});
    }
}
SIGMA_IMPL detail::SharedOwner<Derived> make_periodic(const ValueHandle& accumulated, Moment scale, Integer n) {
    const auto& from = dynamic_cast<const AccumulatedBase&>(*accumulated.derived());
    if (from.rule().window != 0) throw ArgumentError(from.text(), "either a window of looks or a period", "both");
    return from.with({scale, positive("per", n)});
}

SIGMA_IMPL double checked_share(double share) {
    if (!(share >= 0 && share < 1))
        throw ArgumentError("smoothed", "a share to keep from 0 to below 1", sentence(share));
    return share;
}

}  // namespace sigma::detail
