// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/node.hpp>

#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL std::uint64_t positive(const char* what, Integer n) {
    if (!n.within(1, std::numeric_limits<std::uint64_t>::max()))
        throw ArgumentError(what, "1 or more", sentence(n.text()));
    return n.value();
}

// ---- criteria on other criteria ----

using InnerCriterion = Cloned<CriterionNode>;

/// A count of the fresh evaluations at which the inner criterion is true.
struct CountNode {
    InnerCriterion inner{};
    std::uint64_t wanted = 0;
    bool in_a_row = false;
    std::uint64_t count = 0;

    auto fields() { return std::tie(count, inner); }
    Truth examine(HookContext& context) {
        const Truth t = inner->examine(context);
        if (!t.fresh) return {};
        if (t.level) ++count;
        else if (in_a_row) count = 0;
        const bool enough = count >= wanted;
        if (enough) count = 0;
        return {enough, enough, true};
    }
    std::string text() const { return sentence(inner->text(), in_a_row ? ".in_a_row(" : ".times(", wanted, ")"); }
};

struct ContinuousNode {
    InnerCriterion inner{};

    auto fields() { return std::tie(inner); }
    Truth examine(HookContext& context) {
        Truth t = inner->examine(context);
        t.event = t.level && t.fresh;
        return t;
    }
    bool level() const { return inner->held(); }
    std::string text() const { return sentence(inner->text(), ".continuously()"); }
};

struct NotNode {
    InnerCriterion inner{};
    bool held = false;

    auto fields() { return std::tie(held, inner); }
    Truth examine(HookContext& context) {
        const Truth t = inner->examine(context);
        if (!t.fresh) return {held, false, false};
        const bool before = std::exchange(held, !t.level);
        return {held, held && !before, true};
    }
    std::string text() const { return sentence("!", inner->text()); }
};

/// A criterion on two others, both of which are always evaluated.
struct AndOrNode {
    InnerCriterion a{}, b{};
    bool both = false;

    auto fields() { return std::tie(a, b); }
    Truth examine(HookContext& context) {
        const Truth x = a->examine(context), y = b->examine(context);
        const bool fresh = x.fresh || y.fresh, event = x.event || y.event;
        if (!both) return {x.level || y.level, event, fresh};
        const bool level = x.level && y.level;
        return {level, level && event, fresh};
    }
    bool level() const { return both ? a->held() && b->held() : a->held() || b->held(); }
    std::string text() const { return sentence("(", a->text(), both ? " && " : " || ", b->text(), ")"); }
};

SIGMA_IMPL CriterionHandle make_in_a_row(const CriterionHandle& inner, Integer n) {
    return make_criterion(CountNode{inner->clone(), positive("in_a_row", n), true});
}
SIGMA_IMPL CriterionHandle make_times(const CriterionHandle& inner, Integer n) {
    return make_criterion(CountNode{inner->clone(), positive("times", n)});
}
SIGMA_IMPL CriterionHandle make_continuously(const CriterionHandle& inner) {
    return make_criterion(ContinuousNode{inner->clone()});
}
SIGMA_IMPL CriterionHandle make_not(const CriterionHandle& inner) { return make_criterion(NotNode{inner->clone()}); }
SIGMA_IMPL CriterionHandle make_and(const CriterionHandle& a, const CriterionHandle& b) {
    return make_criterion(AndOrNode{a->clone(), b->clone(), true});
}
SIGMA_IMPL CriterionHandle make_or(const CriterionHandle& a, const CriterionHandle& b) {
    return make_criterion(AndOrNode{a->clone(), b->clone()});
}

// ---- criteria on a value ----

inline const char* name_of(Comparing how) {
    constexpr const char* names[] = {"reaches", "exceeds", "falls_to", "falls_below", "equals"};
    return names[static_cast<int>(how)];
}

struct ThresholdNode {
    ValueHandle value{};
    Comparing how{};
    double bound = 0;
    bool held = false;
    std::uint64_t seen = 0;

    auto fields() { return std::tie(value, held, seen); }
    Truth look(double x) {
        const bool before = std::exchange(held, holds(x));
        return {held, held && !before, true};
    }
    bool holds(double x) const {
        switch (how) {
            case Comparing::reaches: return x >= bound;
            case Comparing::exceeds: return x > bound;
            case Comparing::falls_to: return x <= bound;
            case Comparing::falls_below: return x < bound;
            default: return x == bound;
        }
    }
    std::string text() const { return sentence(value.text(), ".", name_of(how), "(", bound, ")"); }
};

/// Returns ".decreases()", or ".decreases().by(2)".
inline std::string verb_text(const ValueHandle& value, const char* verb, double by) {
    return sentence(value.text(), ".", verb, by > 0 ? sentence("().by(", by, ")") : "()");
}

/// A criterion that is true if a value is further up or down than the last number, or than all before.
struct FurtherNode {
    ValueHandle value{};
    bool up = false, than_all = false;
    double by = 0, last = not_seen;
    std::uint64_t seen = 0;

    auto fields() { return std::tie(value, last, seen); }
    Truth look(double x) {
        if (std::isnan(x)) return {};
        const bool moved = std::isnan(last) ? than_all : is_further(up, x, last, by);
        if (moved || !than_all) last = x;
        return {moved, moved, true};
    }
    std::string text() const {
        return verb_text(value, than_all ? (up ? "new_maximum" : "new_minimum") : up ? "increases" : "decreases", by);
    }
};

struct ChangeNode {
    ValueHandle value{};
    double by = 0, last = 0;
    bool looked = false;
    std::uint64_t seen = 0;

    auto fields() { return std::tie(value, last, looked, seen); }
    Truth look(double x) {
        const double before = std::exchange(last, x);
        const bool first = !std::exchange(looked, true);
        const bool differs = std::isnan(x) != std::isnan(before) ||
                             (by > 0 ? std::abs(x - before) >= by : !std::isnan(x) && x != before);
        return {!first && differs, !first && differs, true};
    }
    std::string text() const { return verb_text(value, "changes", by); }
};

SIGMA_IMPL CriterionHandle make_threshold(const ValueHandle& v, Comparing how, double bound) {
    if (std::isnan(bound)) throw ArgumentError(name_of(how), "a number", "NaN");
    return make_criterion(ThresholdNode{v, how, bound});
}
SIGMA_IMPL CriterionHandle make_trend(const ValueHandle& v, bool up) {
    return make_criterion(FurtherNode{v, up, false});
}
SIGMA_IMPL CriterionHandle make_extremum(const ValueHandle& v, bool up) {
    return make_criterion(FurtherNode{v, up, true});
}
SIGMA_IMPL CriterionHandle make_change(const ValueHandle& v) { return make_criterion(ChangeNode{v}); }
SIGMA_IMPL CriterionHandle make_by(const CriterionHandle& criterion, double least) {
    if (!(least >= 0)) throw ArgumentError(criterion->text() + ".by", "0 or more", sentence(least));
    const auto by = [least](auto changed) {
        changed.by = least;
        return make_criterion(std::move(changed));
    };
    if (const auto* of = dynamic_cast<const CriterionNodeOf<FurtherNode>*>(criterion.get())) return by(of->self);
    return by(dynamic_cast<const CriterionNodeOf<ChangeNode>&>(*criterion).self);
}

}  // namespace sigma::detail
