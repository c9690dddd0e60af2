// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/node.hpp>
#include <sigma/hook/time_step.hpp>

#include <atomic>
#include <string>
#include <tuple>
#include <utility>

namespace sigma {

struct Toggle::Position {
    std::atomic<bool> on{false};
    std::atomic<std::uint64_t> given{0}, waiting{0};
};

SIGMA_IMPL Toggle::Toggle(bool on) : shared_(detail::SharedOwner<Position>::make()) { set(on); }

SIGMA_IMPL void Toggle::set(bool on) const noexcept { shared_->on.store(on); }

SIGMA_IMPL bool Toggle::state() const noexcept { return shared_->on.load(); }

SIGMA_IMPL std::uint64_t Toggle::pulses() const noexcept { return shared_->given.load(); }

SIGMA_IMPL bool Toggle::flip() const noexcept {
    bool before = shared_->on.load();
    while (!shared_->on.compare_exchange_weak(before, !before)) {}
    return !before;
}

SIGMA_IMPL void Toggle::pulse() const noexcept {
    shared_->given.fetch_add(1);
    shared_->waiting.fetch_add(1);
}

SIGMA_IMPL bool Toggle::take() const noexcept {
    std::uint64_t left = shared_->waiting.load();
    while (left > 0)
        if (shared_->waiting.compare_exchange_weak(left, left - 1)) return true;
    return false;
}

namespace detail {

/// The count of a scale since a hook was added or the trainer was reset.
struct StepCount {
    Moment scale{};
    std::uint64_t base = 0;
    bool begun = false;

    auto fields() { return std::tie(base); }
    /// Starts counting, except for restarts of a count of resets. Returns whether it has started.
    bool begin(const MomentCounts& counts) {
        if (std::exchange(begun, true) && scale == Moment::reset) return false;
        base = counts[scale];
        return true;
    }
    std::uint64_t passed(std::uint64_t count) const { return count > base ? count - base : 0; }
};

struct EveryNode {
    StepCount since{};
    std::uint64_t n = 0, most = 0, fired = 0;  // fires at most `most` times if that is above 0

    auto fields() { return std::tie(since, fired); }
    void restart(const MomentCounts& counts) {
        if (since.begin(counts)) fired = 0;
    }
    Truth examine(HookContext& context) {
        if (context.moment() != since.scale) return {};
        const bool now = due(context.counts()[since.scale]);
        if (now) ++fired;
        return {now, now, true};
    }
    bool due(std::uint64_t count) const {
        const std::uint64_t passed = since.passed(count);
        return passed > 0 && passed % n == 0 && (most == 0 || fired < most);
    }
    std::uint64_t interval() const { return n; }
    std::string text() const {
        return sentence("every(", n, ", ", detail::text(since.scale), most > 0 ? sentence(").times(", most, ")") : ")");
    }
};

struct AfterNode {
    StepCount since{};
    std::uint64_t n = 0;
    bool held = false;

    auto fields() { return std::tie(since, held); }
    void restart(const MomentCounts& counts) {
        if (since.begin(counts)) held = false;
    }
    Truth examine(HookContext& context) {
        if (context.moment() != since.scale) return {held, false, false};
        const bool before = std::exchange(held, since.passed(context.counts()[since.scale]) >= n);
        return {held, held && !before, true};
    }
    std::string text() const { return sentence("after(", n, ", ", detail::text(since.scale), ")"); }
};

struct AtNode {
    Moment scale{};
    std::uint64_t n = 0;

    Truth examine(HookContext& context) const {
        if (context.moment() != scale) return {};
        const bool now = context.counts()[scale] == n;
        return {now, now, true};
    }
    std::string text() const { return sentence("at(", n, ", ", detail::text(scale), ")"); }
};

struct EverySecondsNode {
    double seconds = 0;
    std::uint64_t most = 0, fired = 0;
    double last = -1;

    auto fields() { return std::tie(last, fired); }
    Truth examine(HookContext& context) {
        if (context.moment() != Moment::iteration) return {};
        const double now = context.runtime();
        if (last < 0 || last > now) last = now;  // the first evaluation, or a clock that was set back
        const bool due = now - last >= seconds && (most == 0 || fired < most);
        if (due) last = now, ++fired;
        return {due, due, true};
    }
    std::string text() const {
        return sentence("every(", seconds, most > 0 ? sentence(" s).times(", most, ")") : " s)");
    }
};

struct DuringNode {
    Cloned<CriterionNode> step{}, criterion{};

    auto fields() { return std::tie(step, criterion); }
    Truth examine(HookContext& context) {
        if (!step->examine(context).event) return {level(), false, false};
        HookContext at_our_times = context.as_timed();
        return criterion->examine(at_our_times);
    }
    bool level() const { return criterion->held(); }
    std::string text() const { return sentence(step->text(), ".when(", criterion->text(), ")"); }
    std::uint64_t interval() const { return step->interval(); }
    bool due(std::uint64_t count) const { return step->due(count); }
};

struct ToggleNode {
    Toggle toggle{};
    std::uint64_t taken = toggle.pulses();
    bool held = false;

    Truth examine(HookContext& context) {
        if (!context.timed() && context.moment() != Moment::iteration) return {held, false, false};
        const bool before = std::exchange(held, toggle.state());
        const bool pulse = toggle.pulses() != taken;
        if (pulse) ++taken;
        return {held || pulse, pulse || (held && !before), true};
    }
    void restart() { held = false, taken = toggle.pulses(); }
    /// Archives the position, and the pulses that were not taken.
    void archive(Archive& a) {
        const std::uint64_t given = toggle.pulses();
        std::uint64_t waiting = given - taken;
        a(held, waiting);
        taken = given - waiting;
    }
    static std::string text() { return "toggle"; }
};

SIGMA_IMPL CriterionHandle make_every(Moment scale, std::uint64_t n) { return make_criterion(EveryNode{{scale}, n}); }
SIGMA_IMPL CriterionHandle make_after(Moment scale, std::uint64_t n) { return make_criterion(AfterNode{{scale}, n}); }
SIGMA_IMPL CriterionHandle make_at(Moment scale, std::uint64_t n) { return make_criterion(AtNode{scale, n}); }
SIGMA_IMPL CriterionHandle make_every_seconds(double seconds) {
    if (!(seconds > 0)) throw ArgumentError("every", "a time above 0", sentence(seconds, " s"));
    return make_criterion(EverySecondsNode{seconds});
}
SIGMA_IMPL CriterionHandle make_limited(const CriterionHandle& step, Integer most) {
    const auto limited = [n = positive("times", most)](auto same) {
        same.most = n;
        return make_criterion(std::move(same));
    };
    if (const auto* every = dynamic_cast<const CriterionNodeOf<EveryNode>*>(step.get())) return limited(every->self);
    return limited(dynamic_cast<const CriterionNodeOf<EverySecondsNode>&>(*step).self);
}
SIGMA_IMPL CriterionHandle make_during(const CriterionHandle& step, const CriterionHandle& criterion) {
    return make_criterion(DuringNode{step->clone(), criterion->clone()});
}

}  // namespace detail

SIGMA_IMPL ToggleCriterion::ToggleCriterion(Toggle toggle)
    : Criterion(detail::make_criterion(detail::ToggleNode{std::move(toggle)})) {}
SIGMA_IMPL ToggleCriterion when(Toggle toggle) { return ToggleCriterion(std::move(toggle)); }
SIGMA_IMPL ToggleCriterion on(Toggle toggle) { return ToggleCriterion(std::move(toggle)); }

}  // namespace sigma
