// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/comparison.hpp>
#include <sigma/hook/value_node.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace sigma::detail {

inline const char* name_of(Comparing how) {
    constexpr const char* names[] = {"reaches", "exceeds", "falls_to", "falls_below", "equals"};
    return names[static_cast<int>(how)];
}

class ThresholdNode final : public ValueNode<ThresholdNode> {
public:
    ThresholdNode(ValueHandle v, Comparing how, double bound) : ValueNode(std::move(v)), how_(how), bound_(bound) {}
    Truth look(double x) {
        const bool before = std::exchange(held_, holds(x));
        return {held_, held_ && !before, true};
    }
    void forget() { held_ = false; }
    bool held() const override { return held_; }
    void archive(Archive& a) override { a(held_, seen_); }
    std::string text() const override { return sentence(value_.text(), ".", name_of(how_), "(", bound_, ")"); }

private:
    Comparing how_;
    double bound_;
    bool held_ = false;

    bool holds(double x) const {
        switch (how_) {
            case Comparing::reaches: return x >= bound_;
            case Comparing::exceeds: return x > bound_;
            case Comparing::falls_to: return x <= bound_;
            case Comparing::falls_below: return x < bound_;
            default: return x == bound_;
        }
    }
};

/// One that can be told how much is enough.
class ByNode {
public:
    virtual ~ByNode() = default;
    virtual CriterionHandle by(double least) const = 0;

protected:
    double by_ = 0;
    /// ".decreases()", or ".decreases().by(2)"
    std::string words(const char* verb) const {
        return by_ > 0 ? sentence(".", verb, "().by(", by_, ")") : sentence(".", verb, "()");
    }
    template <class Self>
    static CriterionHandle changed(const Self& self, double least) {
        if (!(least >= 0)) throw ArgumentError(self.text() + ".by", "0 or more", sentence(least));
        auto made = std::make_shared<Self>(self);
        made->by_ = least;
        return made;
    }
};

class TrendNode final : public ValueNode<TrendNode>, public ByNode {
    friend ByNode;

public:
    TrendNode(ValueHandle v, bool up) : ValueNode(std::move(v)), up_(up) {}
    Truth look(double x) {
        if (std::isnan(x)) return {};
        const double before = std::exchange(last_, x);
        const bool moved = !std::isnan(before) && (up_ ? Up::further(x, before, by_) : Down::further(x, before, by_));
        return {moved, moved, true};
    }
    void forget() { last_ = not_seen; }
    void archive(Archive& a) override { a(last_, seen_); }
    std::string text() const override { return value_.text() + words(up_ ? "increases" : "decreases"); }
    CriterionHandle by(double least) const override { return changed(*this, least); }

private:
    bool up_;
    double last_ = not_seen;
};

class ExtremumNode final : public ValueNode<ExtremumNode>, public ByNode {
    friend ByNode;

public:
    ExtremumNode(ValueHandle v, bool up) : ValueNode(std::move(v)), up_(up) {}
    Truth look(double x) {
        if (std::isnan(x)) return {};
        const bool best = std::isnan(best_) || (up_ ? Up::further(x, best_, by_) : Down::further(x, best_, by_));
        if (best) best_ = x;
        return {best, best, true};
    }
    void forget() { best_ = not_seen; }
    void archive(Archive& a) override { a(best_, seen_); }
    std::string text() const override { return value_.text() + words(up_ ? "new_maximum" : "new_minimum"); }
    CriterionHandle by(double least) const override { return changed(*this, least); }

private:
    bool up_;
    double best_ = not_seen;
};

class ChangeNode final : public ValueNode<ChangeNode>, public ByNode {
    friend ByNode;

public:
    explicit ChangeNode(ValueHandle v) : ValueNode(std::move(v)) {}
    Truth look(double x) {
        const double before = std::exchange(last_, x);
        const bool first = !std::exchange(looked_, true);
        const bool differs = std::isnan(x) != std::isnan(before) ||
                             (by_ > 0 ? std::abs(x - before) >= by_ : !std::isnan(x) && x != before);
        return {!first && differs, !first && differs, true};
    }
    void forget() { last_ = 0, looked_ = false; }
    void archive(Archive& a) override { a(last_, looked_, seen_); }
    std::string text() const override { return value_.text() + words("changes"); }
    CriterionHandle by(double least) const override { return changed(*this, least); }

private:
    double last_ = 0;
    bool looked_ = false;
};

SIGMA_IMPL CriterionHandle make_threshold(const ValueHandle& v, Comparing how, double bound) {
    if (std::isnan(bound)) throw ArgumentError(name_of(how), "a number", "NaN, which nothing compares with");
    return std::make_shared<ThresholdNode>(v, how, bound);
}
SIGMA_IMPL CriterionHandle make_trend(const ValueHandle& v, bool up) { return std::make_shared<TrendNode>(v, up); }
SIGMA_IMPL CriterionHandle make_extremum(const ValueHandle& v, bool up) {
    return std::make_shared<ExtremumNode>(v, up);
}
SIGMA_IMPL CriterionHandle make_change(const ValueHandle& v) { return std::make_shared<ChangeNode>(v); }
SIGMA_IMPL CriterionHandle make_by(const CriterionHandle& criterion, double least) {
    return dynamic_cast<const ByNode&>(*criterion).by(least);
}

}  // namespace sigma::detail
