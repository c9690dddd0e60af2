// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/combination.hpp>
#include <sigma/hook/context.hpp>

#include <memory>
#include <string>
#include <utility>

namespace sigma::detail {

/// A criterion on another one, which a copy has a copy of.
class OneNode : public CriterionNode {
public:
    explicit OneNode(const CriterionNode& inner) : inner_(inner.clone()) {}
    OneNode(const OneNode& other) : CriterionNode(other), inner_(other.inner_->clone()) {}

    void visit_values(const ValueVisitor& f) override { inner_->visit_values(f); }

protected:
    detail::Owned<CriterionNode> inner_;
};

/// Counts the fresh checks in which the inner one holds.
class CountNode final : public OneNode {
public:
    CountNode(const CriterionNode& inner, std::uint64_t wanted, bool in_a_row)
        : OneNode(inner), wanted_(wanted), in_a_row_(in_a_row) {}
    detail::Owned<CriterionNode> clone() const override { return std::make_unique<CountNode>(*this); }
    Truth check(HookContext& context) override {
        const Truth t = inner_->check(context);
        if (!t.fresh) return {};
        if (t.level) ++count_;
        else if (in_a_row_) count_ = 0;
        const bool enough = count_ >= wanted_;
        if (enough) count_ = 0;
        return {enough, enough, true};
    }
    void restart(const MomentCounts& counts) override { count_ = 0, inner_->restart(counts); }
    void archive(Archive& a) override { a(count_), inner_->archive(a); }
    std::string text() const override {
        return sentence(inner_->text(), in_a_row_ ? ".in_a_row(" : ".times(", wanted_, ")");
    }

private:
    std::uint64_t wanted_, count_ = 0;
    bool in_a_row_;
};

class ContinuousNode final : public OneNode {
public:
    using OneNode::OneNode;
    detail::Owned<CriterionNode> clone() const override { return std::make_unique<ContinuousNode>(*this); }
    Truth check(HookContext& context) override {
        Truth t = inner_->check(context);
        t.event = t.level && t.fresh;
        return t;
    }
    bool held() const override { return inner_->held(); }
    void restart(const MomentCounts& counts) override { inner_->restart(counts); }
    void archive(Archive& a) override { inner_->archive(a); }
    std::string text() const override { return sentence(inner_->text(), ".continuously()"); }
};

class NotNode final : public OneNode {
public:
    using OneNode::OneNode;
    detail::Owned<CriterionNode> clone() const override { return std::make_unique<NotNode>(*this); }
    Truth check(HookContext& context) override {
        const Truth t = inner_->check(context);
        if (!t.fresh) return {held_, false, false};
        const bool before = std::exchange(held_, !t.level);
        return {held_, held_ && !before, true};
    }
    bool held() const override { return held_; }
    void restart(const MomentCounts& counts) override { held_ = false, inner_->restart(counts); }
    void archive(Archive& a) override { a(held_), inner_->archive(a); }
    std::string text() const override { return sentence("!", inner_->text()); }

private:
    bool held_ = false;
};

/// Of two, both of which are checked always.
class TwoNode final : public CriterionNode {
public:
    TwoNode(const CriterionNode& a, const CriterionNode& b, bool both) : a_(a.clone()), b_(b.clone()), both_(both) {}
    TwoNode(const TwoNode& other)
        : CriterionNode(other), a_(other.a_->clone()), b_(other.b_->clone()), both_(other.both_) {}
    detail::Owned<CriterionNode> clone() const override { return std::make_unique<TwoNode>(*this); }
    Truth check(HookContext& context) override {
        const Truth a = a_->check(context), b = b_->check(context);
        const bool fresh = a.fresh || b.fresh, event = a.event || b.event;
        if (!both_) return {a.level || b.level, event, fresh};
        const bool level = a.level && b.level;
        return {level, level && event, fresh};
    }
    bool held() const override { return both_ ? a_->held() && b_->held() : a_->held() || b_->held(); }
    void restart(const MomentCounts& counts) override { a_->restart(counts), b_->restart(counts); }
    void archive(Archive& archive) override { a_->archive(archive), b_->archive(archive); }
    void visit_values(const ValueVisitor& f) override { a_->visit_values(f), b_->visit_values(f); }
    std::string text() const override { return sentence("(", a_->text(), both_ ? " && " : " || ", b_->text(), ")"); }

private:
    detail::Owned<CriterionNode> a_, b_;
    bool both_;
};

SIGMA_IMPL CriterionHandle make_in_a_row(const CriterionHandle& inner, Integer n) {
    return std::make_shared<CountNode>(*inner, positive("in_a_row", n), true);
}
SIGMA_IMPL CriterionHandle make_times(const CriterionHandle& inner, Integer n) {
    return std::make_shared<CountNode>(*inner, positive("times", n), false);
}
SIGMA_IMPL CriterionHandle make_continuously(const CriterionHandle& inner) {
    return std::make_shared<ContinuousNode>(*inner);
}
SIGMA_IMPL CriterionHandle make_not(const CriterionHandle& inner) { return std::make_shared<NotNode>(*inner); }
SIGMA_IMPL CriterionHandle make_and(const CriterionHandle& a, const CriterionHandle& b) {
    return std::make_shared<TwoNode>(*a, *b, true);
}
SIGMA_IMPL CriterionHandle make_or(const CriterionHandle& a, const CriterionHandle& b) {
    return std::make_shared<TwoNode>(*a, *b, false);
}

}  // namespace sigma::detail
