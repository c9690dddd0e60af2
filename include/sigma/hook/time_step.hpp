// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/duration.hpp>
#include <sigma/hook/combination.hpp>

#include <utility>

namespace sigma {

/// `epoch`, `iteration`, `start`, `stop`, `pause`, `resume`, `reset`: what `every`, `after` and `at` count.
template <class S>
concept AnyScale = requires {
    { S::scale } -> std::convertible_to<Moment>;
};

namespace detail {

/// A criterion that is checked at one moment and reads the trainer's counts alone. It counts from when its hook was
/// added, and anew after a reset, unless it counts resets.
template <class Self, Moment m>
class TimeStep : public Criterion<Self> {
public:
    using Reads = Types<>;
    static constexpr MomentSet moments = m;
    static constexpr bool timed = true;
    static void visit_values(auto) {}

    template <class Context>
    Truth check(Context& context) {
        if (context.moment() != m) return {static_cast<Self&>(*this).held(), false, false};
        return static_cast<Self&>(*this).look(context.counts()[m]);
    }

protected:
    /// Does a restart concern it? Then it counts from here.
    bool begin(const MomentCounts& counts) {
        if (std::exchange(begun_, true) && m == Moment::reset) return false;
        base_ = counts[m];
        return true;
    }
    std::uint64_t passed(std::uint64_t count) const { return count > base_ ? count - base_ : 0; }
    std::uint64_t base_ = 0;

private:
    bool begun_ = false;
};

template <AnyCriterion Step, AnyCriterion C>
class During;

}  // namespace detail

/// A pulse at the n-th, 2n-th, … time from when its hook was added.
template <Moment m>
class EveryStep : public detail::TimeStep<EveryStep<m>, m> {
public:
    constexpr explicit EveryStep(std::uint64_t n, std::uint64_t live = 0) : n_(n), live_(live) {}
    /// For so many times in all.
    constexpr EveryStep times(std::integral auto most) const { return EveryStep(n_, detail::positive("times", most)); }
    /// Checks a criterion at these times only.
    template <AnyCriterion C>
    constexpr auto when(C criterion) const {
        return detail::During<EveryStep, C>(*this, criterion);
    }

    Truth look(std::uint64_t count) {
        const bool now = due(count);
        if (now) ++fired_;
        return {now, now, true};
    }
    /// Will the next look, at the count `count`, give a pulse?
    bool due(std::uint64_t count) const {
        const std::uint64_t passed = this->passed(count);
        return passed > 0 && passed % n_ == 0 && (live_ == 0 || fired_ < live_);
    }
    static bool held() { return false; }
    void restart(const MomentCounts& counts) {
        if (this->begin(counts)) fired_ = 0;
    }
    void archive(Archive& a) { a(this->base_, fired_); }
    std::uint64_t interval() const { return n_; }
    std::string text() const {
        return sentence("every(", n_, ", ", sigma::text(m), live_ > 0 ? sentence(").times(", live_, ")") : ")");
    }

private:
    std::uint64_t n_, live_, fired_ = 0;
};

/// Holds from the n-th time on, counted from when its hook was added.
template <Moment m>
class AfterStep : public detail::TimeStep<AfterStep<m>, m> {
public:
    constexpr explicit AfterStep(std::uint64_t n) : n_(n) {}
    Truth look(std::uint64_t count) {
        const bool before = std::exchange(held_, this->passed(count) >= n_);
        return {held_, held_ && !before, true};
    }
    bool held() const { return held_; }
    void restart(const MomentCounts& counts) {
        if (this->begin(counts)) held_ = false;
    }
    void archive(Archive& a) { a(this->base_, held_); }
    std::string text() const { return sentence("after(", n_, ", ", sigma::text(m), ")"); }

private:
    std::uint64_t n_;
    bool held_ = false;
};

/// A pulse when the trainer's own count is n: at(5, epoch) is when the fifth epoch is over, whenever the hook was added.
template <Moment m>
class AtStep : public detail::TimeStep<AtStep<m>, m> {
public:
    constexpr explicit AtStep(std::uint64_t n) : n_(n) {}
    Truth look(std::uint64_t count) const { return {count == n_, count == n_, true}; }
    static bool held() { return false; }
    void restart(const MomentCounts&) {}
    void archive(Archive&) {}
    std::string text() const { return sentence("at(", n_, ", ", sigma::text(m), ")"); }

private:
    std::uint64_t n_;
};

/// A pulse after the first iteration that ends so many seconds of training or more after the last pulse, or after the
/// first iteration. Pauses and the time between runs do not count.
class EverySeconds : public Criterion<EverySeconds> {
public:
    using Reads = Types<>;
    static constexpr MomentSet moments = Moment::iteration;
    static constexpr bool timed = true;
    static constexpr int writer_rank = 1;  // seldom enough that hooks of every iteration must not rely on it
    static void visit_values(auto) {}

    explicit EverySeconds(double seconds, std::uint64_t live = 0);
    /// For so many times in all.
    EverySeconds times(std::integral auto most) const { return EverySeconds(seconds_, detail::positive("times", most)); }
    template <AnyCriterion C>
    auto when(C criterion) const {
        return detail::During<EverySeconds, C>(*this, criterion);
    }
    template <class Context>
    Truth check(Context& context) {
        if (context.moment() != Moment::iteration) return {};
        const double now = context.runtime();
        if (last_ < 0 || last_ > now) last_ = now;  // the first look, or another clock than before
        const bool due = now - last_ >= seconds_ && (live_ == 0 || fired_ < live_);
        if (due) last_ = now, ++fired_;
        return {due, due, true};
    }
    static bool held() { return false; }
    void restart(const MomentCounts&) { last_ = -1, fired_ = 0; }
    void archive(Archive& a) { a(last_, fired_); }
    std::string text() const { return sentence("every(", seconds_, live_ > 0 ? sentence(" s).times(", live_, ")") : " s)"); }

private:
    double seconds_, last_ = -1;
    std::uint64_t live_, fired_ = 0;
};

namespace detail {

/// How seldom hooks on it compute, where its moments do not tell; -1 where they do.
template <class C>
inline constexpr int writer_rank_of = -1;
template <class C>
    requires requires { C::writer_rank; }
inline constexpr int writer_rank_of<C> = C::writer_rank;

template <class C>
concept HasInterval = requires(const C& c) { c.interval(); };

/// C, looked at when the time step has a pulse.
template <AnyCriterion Step, AnyCriterion C>
class During : public Criterion<During<Step, C>> {
public:
    using Reads = typename C::Reads;
    static constexpr MomentSet moments = Step::moments;
    static constexpr bool timed = true;
    static constexpr int writer_rank = writer_rank_of<Step>;

    constexpr During(Step step, C criterion) : step_(step), criterion_(criterion) {}
    template <class Context>
    Truth check(Context& context) {
        if (!step_.check(context).event) return {held(), false, false};
        auto at_our_times = context.as_timed();
        return criterion_.check(at_our_times);
    }
    bool held() const { return criterion_.held(); }
    void restart(const MomentCounts& counts) { step_.restart(counts), criterion_.restart(counts); }
    void archive(Archive& a) { step_.archive(a), criterion_.archive(a); }
    void visit_values(auto f) { criterion_.visit_values(f); }
    void visit_values(auto f) const { criterion_.visit_values(f); }
    std::string text() const { return sentence(step_.text(), ".when(", criterion_.text(), ")"); }
    std::uint64_t interval() const
        requires HasInterval<Step>
    {
        return step_.interval();
    }
    bool due(std::uint64_t count) const
        requires requires(const Step& s) { s.due(std::uint64_t{}); }
    {
        return step_.due(count);
    }

private:
    Step step_;
    C criterion_;
};

}  // namespace detail

/// `every(10, iteration)`, `every(1, epoch).times(3)`
template <AnyScale S>
constexpr auto every(std::integral auto n, S) {
    return EveryStep<S::scale>(detail::positive("every", n));
}
/// `after(20, epoch)`: once that many are over
template <AnyScale S>
constexpr auto after(std::integral auto n, S) {
    return AfterStep<S::scale>(detail::positive("after", n));
}
template <AnyScale S>
constexpr auto at(std::integral auto n, S) {
    return AtStep<S::scale>(detail::positive("at", n));
}
/// `every(epoch)`, `at(start)`: each time
template <AnyScale S>
constexpr auto every(S) {
    return EveryStep<S::scale>(1);
}
template <AnyScale S>
constexpr auto at(S) {
    return EveryStep<S::scale>(1);
}
/// `every(30s)`, where <chrono> is included and std::chrono_literals used
template <AnyDuration D>
auto every(D time) {
    return EverySeconds(detail::in_seconds(time));
}
/// The criterion itself: what makes `when(…).then(…)` a sentence.
template <AnyCriterion C>
constexpr C when(C criterion) {
    return criterion;
}

// ---- what is no time step and no criterion ----

template <class N, class S>
    requires(!std::integral<N> || !AnyScale<S>)
error_time_step_takes_a_whole_number_and_a_scale<N, S> every(N, S);
template <class N, class S>
    requires(!std::integral<N> || !AnyScale<S>)
error_time_step_takes_a_whole_number_and_a_scale<N, S> after(N, S);
template <class N, class S>
    requires(!std::integral<N> || !AnyScale<S>)
error_time_step_takes_a_whole_number_and_a_scale<N, S> at(N, S);
template <class N>
    requires(!AnyScale<N> && !AnyDuration<N>)
error_time_without_a_unit<N> every(N);
template <class N>
error_time_without_a_unit<N> after(N);
template <class N>
    requires(!AnyScale<N>)
error_time_without_a_unit<N> at(N);
template <class X>
    requires(!AnyCriterion<X>)
error_when_takes_a_criterion<X> when(X);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/time_step.ipp>
#endif
