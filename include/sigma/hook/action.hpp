// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/criterion.hpp>

#include <string>
#include <type_traits>

namespace sigma {

/// What an action must find in a snapshot when it runs in the background, besides the values it visits.
enum class Needs { values, parameters, checkpoint };

namespace detail {

/// The type of an action that needs to know nothing of its trainer's.
template <class Reads_ = Types<>, class Writes_ = Types<>>
struct MadeAction : ActionBase {
    using Reads = Reads_;
    using Writes = Writes_;
    static constexpr Needs needs = Needs::values;
    static constexpr bool in_background = true;  ///< may it?
    ActionHandle node;

    explicit MadeAction(ActionHandle made) : node(std::move(made)) {}
    std::string text() const { return node->text(); }
};

}  // namespace detail

/// What a hook does. An action says which values it reads and which it computes, and what a snapshot for it holds;
/// `run` is called with a context (context.hpp), through which it reaches the trainer. The defaults are those of an
/// action that reads nothing, computes nothing and remembers nothing.
///
///     struct Bell : Action<Bell> {
///         static void run(auto& context) { context.print("\a"); }
///         static std::string text() { return "bell"; }
///     };
///     trainer.add(when(error.new_minimum()).then(Bell{}));
template <class Self>
struct Action : detail::ActionBase {
    using Reads = Types<>;
    using Writes = Types<>;
    static constexpr Needs needs = Needs::values;
    static constexpr bool in_background = true;  ///< may it?
    static void visit_values(auto) {}
    /// When its hook is added, and after a reset of the trainer.
    static void restart(auto&) {}
    static void archive(Archive&) {}
};

template <class A>
concept AnyAction = std::derived_from<A, detail::ActionBase>;

/// A function of the trainer as an action, `[](auto& trainer) { … }`, which may do what it likes with it.
template <class F>
struct CallFunction : Action<CallFunction<F>> {
    static constexpr bool in_background = false;
    F function;

    explicit CallFunction(F f) : function(std::move(f)) {}
    void run(auto& context) { function(context.trainer()); }
    static std::string text() { return "a function"; }
};

namespace detail {

ActionHandle make_call(AnyFunction<void()> f);

template <class A>
auto as_action(A a) {
    if constexpr (AnyAction<A>) return a;
    else if constexpr (std::is_invocable_v<A&>) return MadeAction<>(make_call(std::move(a)));
    else return CallFunction<A>(std::move(a));
}
template <class A>
using ActionOf = decltype(as_action(std::declval<A>()));

/// Calls f for the values that an action of one's own visits.
template <class V>
void visit_value(V& v, const ValueVisitor& f) {
    if constexpr (is_derived<V>) {
        f(v.handle);
    } else {
        ValueHandle handle = value_record<std::remove_const_t<V>>;
        f(handle);
    }
}

/// An action of one's own, for a trainer of type T.
template <class A, class T, bool behind>
class OwnAction final : public ActionNode {
public:
    OwnAction(const A& action, T& trainer) : action_(action), trainer_(trainer) {}
    void run(HookContext& context) override {
        std::conditional_t<behind, BackgroundContext<T>, LiveContext<T>> typed(context, trainer_);
        action_.run(typed);
    }
    void restart(HookContext& context) override {
        LiveContext<T> typed(context, trainer_);
        action_.restart(typed);
    }
    void archive(Archive& a) override { action_.archive(a); }
    void visit_values(const ValueVisitor& f) override {
        action_.visit_values([&](auto& v) { visit_value(v, f); });
    }
    std::string text() const override { return action_.text(); }

private:
    A action_;
    T& trainer_;
};

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/action.ipp>
#endif
