// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/context.hpp>

#include <cstddef>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

// Nodes: hooks at run time, made from aggregates. For bodies. An action, a criterion or a value is an aggregate. It has
// its settings, and in `fields()` the values that it reads and its state, in the order in which checkpoints have them.
// It
// has a `text()`, and an action `run(context)`. Copies, visits of values, archives and restarts follow from the fields.
// If one of them differs (a restart that depends on the trainer), the aggregate has a function of that name.
namespace sigma::detail {

inline constexpr double not_seen = std::numeric_limits<double>::quiet_NaN();

/// Returns whether x is above (or below) the last number, by `by` or more if that is above 0.
inline bool is_further(bool up, double x, double last, double by) {
    return up ? x > last && x >= last + by : x < last && x <= last - by;
}

/// A unique owner of a node, or of none. A copy of it owns a copy of the node.
template <class Node>
class Cloned {
public:
    Cloned() = default;
    Cloned(Owned<Node> node) : node_(std::move(node)) {}
    Cloned(const Cloned& other) : node_(other.node_ ? other.node_->clone() : nullptr) {}

    explicit operator bool() const { return static_cast<bool>(node_); }
    Node* operator->() const { return node_.get(); }

private:
    Owned<Node> node_;
};

template <class X>
inline constexpr bool is_cloned = false;
template <class Node>
inline constexpr bool is_cloned<Cloned<Node>> = true;

/// Calls f(field), or f(field, field of another), for each field.
template <class X, class F>
void for_each_part(X& x, F f) {
    if constexpr (requires { x.fields(); }) std::apply([&](auto&... part) { (f(part), ...); }, x.fields());
}
template <class X, class F>
void for_each_part(X& x, X& other, F f) {
    const auto parts = x.fields();
    const auto others = other.fields();
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        (f(std::get<i>(parts), std::get<i>(others)), ...);
    }(std::make_index_sequence<std::tuple_size_v<decltype(x.fields())>>{});
}

/// Calls f for the values that x reads, or for x if it is a value.
template <class X>
void visit_values_of(X& x, const ValueVisitor& f) {
    if constexpr (std::is_same_v<X, ValueHandle>) f(x);
    else if constexpr (requires { x.visit_values(f); }) x.visit_values(f);
    else if constexpr (is_cloned<X>) {
        if constexpr (requires { x->visit_values(f); }) x->visit_values(f);
    } else if constexpr (requires { x.begin()->value; }) {  // texts and values
        for (auto& each : x)
            if (each.value) f(each.value);
    } else for_each_part(x, [&](auto& part) { visit_values_of(part, f); });
}

template <class X>
void archive_of(X& x, Archive& a) {
    if constexpr (std::is_arithmetic_v<X>) a(x);
    else if constexpr (requires { x.archive(a); }) x.archive(a);
    else if constexpr (is_cloned<X>) {
        if (x) x->archive(a);
    } else for_each_part(x, [&](auto& part) { archive_of(part, a); });
}

/// Resets x to `fresh`. `now` are the arguments of a node's restart: the context, the counts of moments, or nothing.
template <class X, class... Now>
void restart_of(X& x, X& fresh, Now&... now) {
    if constexpr (std::is_arithmetic_v<X>) x = fresh;
    else if constexpr (requires { x.restart(now...); }) x.restart(now...);
    else if constexpr (requires { x.restart(); }) x.restart();
    else if constexpr (is_cloned<X>) {
        if constexpr (requires { x->restart(now...); }) x->restart(now...);
        else if (x) x->restart();
    } else if constexpr (requires { x.fields(); })
        for_each_part(x, fresh, [&](auto& part, auto& other) { restart_of(part, other, now...); });
}

template <class S>
class ActionNodeOf final : public ActionNode {
public:
    S self;

    explicit ActionNodeOf(S action) : self(std::move(action)) {}
    Owned<ActionNode> clone() const override { return make_owned<ActionNodeOf>(self); }
    void run(HookContext& context) override { self.run(context); }
    void restart(HookContext& context) override {
        S fresh{};
        restart_of(self, fresh, context);
    }
    void archive(Archive& a) override { archive_of(self, a); }
    void visit_values(const ValueVisitor& f) override { visit_values_of(self, f); }
    std::string text() const override { return self.text(); }
};

/// The node of a criterion S. S has `examine(context)`. A criterion on a single `value`, which it last saw at the
/// version `seen`, has `look(x)` for a new number x instead. Its level in between is `held`.
template <class S>
class CriterionNodeOf final : public CriterionNode {
public:
    S self;

    explicit CriterionNodeOf(S criterion) : self(std::move(criterion)) {}
    Owned<CriterionNode> clone() const override { return make_owned<CriterionNodeOf>(self); }
    Truth examine(HookContext& context) override {
        if constexpr (requires { self.look(0.0); })
            return is_fresh(context, self.value, self.seen) ? self.look(context.get(self.value))
                                                            : Truth{held(), false, false};
        else return self.examine(context);
    }
    bool held() const override {
        if constexpr (requires { self.level(); }) return self.level();
        else if constexpr (requires { self.held; }) return self.held;
        else return false;
    }
    void restart(const MomentCounts& counts) override {
        S fresh{};
        restart_of(self, fresh, counts);
    }
    void archive(Archive& a) override { archive_of(self, a); }
    std::string text() const override { return self.text(); }
    void visit_values(const ValueVisitor& f) override { visit_values_of(self, f); }
    std::uint64_t interval() const override {
        if constexpr (requires { self.interval(); }) return self.interval();
        else return 0;
    }
    bool due(std::uint64_t count) const override {
        if constexpr (requires { self.due(count); }) return self.due(count);
        else return true;
    }
};

/// The node of a value S. `update(context)` computes its `result`, or `read(parameters)` computes it on demand. Two
/// values are equal if their `how` (the settings) and `source` are.
template <class S>
class ValueNodeOf final : public Derived {
public:
    S self;

    explicit ValueNodeOf(S value) : self(std::move(value)) {}
    Owned<Derived> clone() const override { return make_owned<ValueNodeOf>(self); }
    std::string text() const override { return self.text(); }
    bool same(const Derived& other) const override {
        const auto* o = dynamic_cast<const ValueNodeOf*>(&other);
        if (o == nullptr) return false;
        if constexpr (requires { self.source; })
            if (!same_value(self.source, o->self.source)) return false;
        if constexpr (requires { self.how; }) return self.how == o->self.how;
        else return true;
    }
    void visit_values(const ValueVisitor& f) override { visit_values_of(self, f); }
    void prepare(TrainerParameters& parameters) override {
        if constexpr (requires { self.prepare(parameters); }) self.prepare(parameters);
    }
    void update(HookContext& context) override { self.update(context); }
    double read(TrainerParameters& parameters) override {
        if constexpr (requires { self.read(parameters); }) return self.read(parameters);
        else return self.result;
    }
    std::uint64_t version() const override {
        if constexpr (requires { self.version; }) return self.version;
        else return 0;
    }
    void restart() override {
        S fresh{};
        restart_of(self, fresh);
    }
    void archive(Archive& a) override { archive_of(self, a); }
    MomentSet moments() const override {
        if constexpr (requires { self.moments(); }) return self.moments();
        else return {};
    }
    Wants wants() const override {
        if constexpr (requires { self.wants(); }) return self.wants();
        else return {};
    }
    Wants always_wants() const override {
        if constexpr (requires { self.source; }) return wants_of(self.source) | always_wants_of(self.source);
        else return {};
    }
};

template <class S>
ActionHandle make_action(S action) {
    return SharedOwner<const ActionNodeOf<S>>::make(std::move(action));
}
template <class S>
CriterionHandle make_criterion(S criterion) {
    return SharedOwner<const CriterionNodeOf<S>>::make(std::move(criterion));
}
template <class S>
SharedOwner<Derived> make_value(S value) {
    return SharedOwner<ValueNodeOf<S>>::make(std::move(value));
}

}  // namespace sigma::detail
