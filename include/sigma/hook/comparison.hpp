// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/criterion.hpp>

#include <cmath>
#include <limits>
#include <utility>

namespace sigma {

namespace detail {

struct Reaches {
    static constexpr const char* name = "reaches";
    static bool holds(double x, double bound) { return x >= bound; }
};
struct Exceeds {
    static constexpr const char* name = "exceeds";
    static bool holds(double x, double bound) { return x > bound; }
};
struct FallsTo {
    static constexpr const char* name = "falls_to";
    static bool holds(double x, double bound) { return x <= bound; }
};
struct FallsBelow {
    static constexpr const char* name = "falls_below";
    static bool holds(double x, double bound) { return x < bound; }
};
struct Equals {
    static constexpr const char* name = "equals";
    static bool holds(double x, double bound) { return x == bound; }
};

struct Up {
    static constexpr const char *moves = "increases", *best = "new_maximum";
    static bool further(double x, double last, double by) { return x > last && x >= last + by; }
};
struct Down {
    static constexpr const char *moves = "decreases", *best = "new_minimum";
    static bool further(double x, double last, double by) { return x < last && x <= last - by; }
};

constexpr double checked_bound(const char* of, double bound) {
    if (bound != bound) throw ArgumentError(of, "a number", "NaN, which nothing compares with");
    return bound;
}
double checked_change(const std::string& of, double by);

/// A criterion on one value, which is looked at when it is new. `Self::look(x)` says what it finds.
template <class Self, AnyValue V>
class ValueCriterion : public Criterion<Self> {
public:
    using Reads = Types<V>;
    static constexpr MomentSet moments = moments_of<V>();
    static constexpr bool timed = false;

    template <class Context>
    Truth check(Context& context) {
        if (!is_fresh(context, value_, seen_)) return {static_cast<Self&>(*this).held(), false, false};
        return static_cast<Self&>(*this).look(context.get(value_));
    }
    void visit_values(auto f) { f(value_); }
    void visit_values(auto f) const { f(value_); }

protected:
    constexpr explicit ValueCriterion(V v) : value_(v) {}
    V value_;
    std::uint64_t seen_ = 0;
};

}  // namespace detail

/// Level: the comparison is true. Event: it has become true, or is at the first look. NaN compares false.
template <AnyValue V, class Comparison>
class ThresholdOf : public detail::ValueCriterion<ThresholdOf<V, Comparison>, V> {
public:
    constexpr ThresholdOf(V v, double bound) : detail::ValueCriterion<ThresholdOf, V>(v), bound_(detail::checked_bound(Comparison::name, bound)) {}

    Truth look(double x) {
        const bool before = std::exchange(held_, Comparison::holds(x, bound_));
        return {held_, held_ && !before, true};
    }
    bool held() const { return held_; }
    void restart(const MomentCounts&) { held_ = false, this->seen_ = 0; }
    void archive(Archive& a) { a(held_, this->seen_); }
    std::string text() const { return sentence(this->value_.text(), ".", Comparison::name, "(", bound_, ")"); }

private:
    double bound_;
    bool held_ = false;
};

/// A pulse (level and event alike) when the value is further up or down than at the last look, by at least `by` where
/// that is above 0. The first look has nothing to compare with. A NaN is no look.
template <AnyValue V, class Direction>
class TrendOf : public detail::ValueCriterion<TrendOf<V, Direction>, V> {
public:
    constexpr explicit TrendOf(V v, double by = 0) : detail::ValueCriterion<TrendOf, V>(v), by_(by) {}
    TrendOf by(double least) const { return TrendOf(this->value_, detail::checked_change(text(), least)); }

    Truth look(double x) {
        if (std::isnan(x)) return {};
        const double before = std::exchange(last_, x);
        const bool moved = !std::isnan(before) && Direction::further(x, before, by_);
        return {moved, moved, true};
    }
    static bool held() { return false; }
    void restart(const MomentCounts&) { last_ = nan, this->seen_ = 0; }
    void archive(Archive& a) { a(last_, this->seen_); }
    std::string text() const {
        return sentence(this->value_.text(), ".", Direction::moves, by_ > 0 ? sentence("().by(", by_, ")") : "()");
    }

private:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    double by_, last_ = nan;
};

/// A pulse when the value is the largest or smallest so far, also at the first look; with `by`, when it is so by at
/// least that much. A NaN is no look.
template <AnyValue V, class Direction>
class ExtremumOf : public detail::ValueCriterion<ExtremumOf<V, Direction>, V> {
public:
    constexpr explicit ExtremumOf(V v, double by = 0) : detail::ValueCriterion<ExtremumOf, V>(v), by_(by) {}
    ExtremumOf by(double least) const { return ExtremumOf(this->value_, detail::checked_change(text(), least)); }

    Truth look(double x) {
        if (std::isnan(x)) return {};
        const bool best = std::isnan(best_) || Direction::further(x, best_, by_);
        if (best) best_ = x;
        return {best, best, true};
    }
    double best() const { return best_; }
    static bool held() { return false; }
    void restart(const MomentCounts&) { best_ = nan, this->seen_ = 0; }
    void archive(Archive& a) { a(best_, this->seen_); }
    std::string text() const {
        return sentence(this->value_.text(), ".", Direction::best, by_ > 0 ? sentence("().by(", by_, ")") : "()");
    }

private:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    double by_, best_ = nan;
};

/// A pulse when the value differs from that at the last look; with `by`, by at least that much. The first look has
/// nothing to compare with; NaN and NaN do not differ.
template <AnyValue V>
class ChangeOf : public detail::ValueCriterion<ChangeOf<V>, V> {
public:
    constexpr explicit ChangeOf(V v, double by = 0) : detail::ValueCriterion<ChangeOf, V>(v), by_(by) {}
    ChangeOf by(double least) const { return ChangeOf(this->value_, detail::checked_change(text(), least)); }

    Truth look(double x) {
        const double before = std::exchange(last_, x);
        const bool first = !std::exchange(looked_, true);
        const bool differs = std::isnan(x) != std::isnan(before) ||
                             (by_ > 0 ? std::abs(x - before) >= by_ : !std::isnan(x) && x != before);
        return {!first && differs, !first && differs, true};
    }
    static bool held() { return false; }
    void restart(const MomentCounts&) { last_ = 0, looked_ = false, this->seen_ = 0; }
    void archive(Archive& a) { a(last_, looked_, this->seen_); }
    std::string text() const {
        return sentence(this->value_.text(), by_ > 0 ? sentence(".changes().by(", by_, ")") : ".changes()");
    }

private:
    double by_, last_ = 0;
    bool looked_ = false;
};

/// What every value can be asked.
template <class V>
struct Comparisons {
    constexpr auto reaches(double bound) const { return ThresholdOf<V, detail::Reaches>(self(), bound); }         ///< ≥
    constexpr auto exceeds(double bound) const { return ThresholdOf<V, detail::Exceeds>(self(), bound); }         ///< >
    constexpr auto falls_to(double bound) const { return ThresholdOf<V, detail::FallsTo>(self(), bound); }        ///< ≤
    constexpr auto falls_below(double bound) const { return ThresholdOf<V, detail::FallsBelow>(self(), bound); }  ///< <
    constexpr auto equals(double bound) const { return ThresholdOf<V, detail::Equals>(self(), bound); }
    /// Since the last look; with a number, so many times in a row.
    constexpr auto increases() const { return TrendOf<V, detail::Up>(self()); }
    constexpr auto decreases() const { return TrendOf<V, detail::Down>(self()); }
    constexpr auto increases(std::integral auto n) const { return increases().in_a_row(n); }
    constexpr auto decreases(std::integral auto n) const { return decreases().in_a_row(n); }
    constexpr auto new_maximum() const { return ExtremumOf<V, detail::Up>(self()); }
    constexpr auto new_minimum() const { return ExtremumOf<V, detail::Down>(self()); }
    /// A new maximum of what should be large, as accuracy, and a new minimum of what should be small, as errors.
    constexpr auto improves() const {
        return ExtremumOf<V, std::conditional_t<V::larger_is_better, detail::Up, detail::Down>>(self());
    }
    constexpr auto changes() const { return ChangeOf<V>(self()); }

private:
    constexpr const V& self() const { return static_cast<const V&>(*this); }
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/comparison.ipp>
#endif
