// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/time_step.hpp>

#include <memory>
#include <string>
#include <utility>

namespace sigma::detail {

/// A criterion that is checked at one moment and reads the trainer's counts alone.
class StepNode : public CriterionNode {
protected:
    StepNode(Moment scale, std::uint64_t n) : scale_(scale), n_(n) {}
    /// Does a restart concern it? Then it counts from here.
    bool begin(const MomentCounts& counts) {
        if (std::exchange(begun_, true) && scale_ == Moment::reset) return false;
        base_ = counts[scale_];
        return true;
    }
    std::uint64_t passed(std::uint64_t count) const { return count > base_ ? count - base_ : 0; }

    Moment scale_;
    std::uint64_t n_, base_ = 0;

private:
    bool begun_ = false;
};

/// A time step that can be for some times only.
class LimitedStep {
public:
    virtual ~LimitedStep() = default;
    virtual CriterionHandle limited(std::uint64_t most) const = 0;

protected:
    bool lives() const { return live_ == 0 || fired_ < live_; }

    std::uint64_t live_ = 0, fired_ = 0;
};

class EveryNode final : public StepNode, public LimitedStep {
public:
    EveryNode(Moment scale, std::uint64_t n) : StepNode(scale, n) {}
    detail::Owned<CriterionNode> clone() const override { return std::make_unique<EveryNode>(*this); }
    CriterionHandle limited(std::uint64_t most) const override {
        auto made = std::make_shared<EveryNode>(scale_, n_);
        made->live_ = most;
        return made;
    }
    Truth check(HookContext& context) override {
        if (context.moment() != scale_) return {};
        const bool now = due(context.counts()[scale_]);
        if (now) ++fired_;
        return {now, now, true};
    }
    bool due(std::uint64_t count) const override { return passed(count) > 0 && passed(count) % n_ == 0 && lives(); }
    void restart(const MomentCounts& counts) override {
        if (begin(counts)) fired_ = 0;
    }
    void archive(Archive& a) override { a(base_, fired_); }
    std::uint64_t interval() const override { return n_; }
    std::string text() const override {
        return sentence("every(", n_, ", ", sigma::detail::text(scale_),
                        live_ > 0 ? sentence(").times(", live_, ")") : ")");
    }
};

class AfterNode final : public StepNode {
public:
    AfterNode(Moment scale, std::uint64_t n) : StepNode(scale, n) {}
    detail::Owned<CriterionNode> clone() const override { return std::make_unique<AfterNode>(*this); }
    Truth check(HookContext& context) override {
        if (context.moment() != scale_) return {held_, false, false};
        const bool before = std::exchange(held_, passed(context.counts()[scale_]) >= n_);
        return {held_, held_ && !before, true};
    }
    bool held() const override { return held_; }
    void restart(const MomentCounts& counts) override {
        if (begin(counts)) held_ = false;
    }
    void archive(Archive& a) override { a(base_, held_); }
    std::string text() const override { return sentence("after(", n_, ", ", sigma::detail::text(scale_), ")"); }

private:
    bool held_ = false;
};

class AtNode final : public StepNode {
public:
    AtNode(Moment scale, std::uint64_t n) : StepNode(scale, n) {}
    detail::Owned<CriterionNode> clone() const override { return std::make_unique<AtNode>(*this); }
    Truth check(HookContext& context) override {
        if (context.moment() != scale_) return {};
        const bool now = context.counts()[scale_] == n_;
        return {now, now, true};
    }
    void restart(const MomentCounts&) override {}
    void archive(Archive&) override {}
    std::string text() const override { return sentence("at(", n_, ", ", sigma::detail::text(scale_), ")"); }
};

class EverySecondsNode final : public CriterionNode, public LimitedStep {
public:
    explicit EverySecondsNode(double seconds) : seconds_(seconds) {}
    detail::Owned<CriterionNode> clone() const override { return std::make_unique<EverySecondsNode>(*this); }
    CriterionHandle limited(std::uint64_t most) const override {
        auto made = std::make_shared<EverySecondsNode>(seconds_);
        made->live_ = most;
        return made;
    }
    Truth check(HookContext& context) override {
        if (context.moment() != Moment::iteration) return {};
        const double now = context.runtime();
        if (last_ < 0 || last_ > now) last_ = now;  // the first look, or another clock than before
        const bool due = now - last_ >= seconds_ && lives();
        if (due) last_ = now, ++fired_;
        return {due, due, true};
    }
    void restart(const MomentCounts&) override { last_ = -1, fired_ = 0; }
    void archive(Archive& a) override { a(last_, fired_); }
    std::string text() const override {
        return sentence("every(", seconds_, live_ > 0 ? sentence(" s).times(", live_, ")") : " s)");
    }

private:
    double seconds_, last_ = -1;
};

class DuringNode final : public CriterionNode {
public:
    DuringNode(const CriterionNode& step, const CriterionNode& criterion)
        : step_(step.clone()), criterion_(criterion.clone()) {}
    DuringNode(const DuringNode& other)
        : CriterionNode(other), step_(other.step_->clone()), criterion_(other.criterion_->clone()) {}
    detail::Owned<CriterionNode> clone() const override { return std::make_unique<DuringNode>(*this); }
    Truth check(HookContext& context) override {
        if (!step_->check(context).event) return {held(), false, false};
        HookContext at_our_times = context.as_timed();
        return criterion_->check(at_our_times);
    }
    bool held() const override { return criterion_->held(); }
    void restart(const MomentCounts& counts) override { step_->restart(counts), criterion_->restart(counts); }
    void archive(Archive& a) override { step_->archive(a), criterion_->archive(a); }
    void visit_values(const ValueVisitor& f) override { criterion_->visit_values(f); }
    std::string text() const override { return sentence(step_->text(), ".when(", criterion_->text(), ")"); }
    std::uint64_t interval() const override { return step_->interval(); }
    bool due(std::uint64_t count) const override { return step_->due(count); }

private:
    detail::Owned<CriterionNode> step_, criterion_;
};

SIGMA_IMPL CriterionHandle make_every(Moment scale, std::uint64_t n) { return std::make_shared<EveryNode>(scale, n); }
SIGMA_IMPL CriterionHandle make_after(Moment scale, std::uint64_t n) { return std::make_shared<AfterNode>(scale, n); }
SIGMA_IMPL CriterionHandle make_at(Moment scale, std::uint64_t n) { return std::make_shared<AtNode>(scale, n); }
SIGMA_IMPL CriterionHandle make_every_seconds(double seconds) {
    if (!(seconds > 0)) throw ArgumentError("every", "a time above 0", sentence(seconds, " s"));
    return std::make_shared<EverySecondsNode>(seconds);
}
SIGMA_IMPL CriterionHandle make_limited(const CriterionHandle& step, Integer most) {
    return dynamic_cast<const LimitedStep&>(*step).limited(positive("times", most));
}
SIGMA_IMPL CriterionHandle make_during(const CriterionHandle& step, const CriterionHandle& criterion) {
    return std::make_shared<DuringNode>(*step, *criterion);
}

}  // namespace sigma::detail
