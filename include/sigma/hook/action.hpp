// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Actions: the base class for actions of your own, and functions as actions. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/owners.hpp>
#include <sigma/hook/context.hpp>
#include <sigma/hook/criterion.hpp>

#include <string>
#include <type_traits>

namespace sigma {

/// The parts of a snapshot that an action needs when it runs in the background, besides the values that it reads.
///
/// @see Action
enum class Needs {
    values,      ///< values only
    parameters,  ///< a copy of the parameters: `context.model()` and `context.score(data)` work
    checkpoint,  ///< a checkpoint: `context.save(file)` works
};

namespace detail {

/// An action of the library. Its node does not depend on the trainer's type.
template <class Reads_ = Types<>, class Writes_ = Types<>>
struct MadeAction : ActionBase {
    using Reads = Reads_;
    using Writes = Writes_;
    static constexpr Needs needs = Needs::values;
    static constexpr bool in_background = true;
    /// @cond internal
    ActionHandle node;

    explicit MadeAction(ActionHandle made) : node(std::move(made)) {}
    std::string text() const { return node->text(); }
    /// @endcond
};

}  // namespace detail

/// The base of an action of your own.
///
/// A derived class has a member function `run(auto& context)` and `std::string text()`. It may replace the members
/// below. Their defaults are those of an action that reads nothing, computes nothing and keeps no state. `context` has
/// `name()`, `moment()`, `counts()`, `runtime()`, `get(value)`, `print(line)`, `stop()`, `change(function)`, `model()`,
/// `score(data)`, `save(file)` and `expired()`. On the trainer's thread it also has `trainer()`.
///
/// @tparam Self  the derived class
///
/// @par Example
/// @code
/// struct Bell : Action<Bell> {
///     static void run(auto& context) { context.print("\a"); }
///     static std::string text() { return "bell"; }
/// };
/// trainer.add(when(error.new_minimum()).then(Bell{}));
/// @endcode
///
/// @see HookContext, LiveContext, BackgroundContext
template <class Self>
struct Action : detail::ActionBase {
    using Reads = Types<>;   ///< the values that the action reads, such as `Types<LossValue>`
    using Writes = Types<>;  ///< the values that the action computes, such as `Types<Computed<"gap">>`
    static constexpr Needs needs = Needs::values;  ///< the snapshot that the action needs in the background
    static constexpr bool in_background = true;    ///< true if the action can run in the background
    /// Calls a function for each member that is a value, so that a snapshot holds its number.
    static void visit_values(auto) {}
    /// Forgets the state of the action. Called when the hook is added and after a reset of the trainer.
    static void restart(auto&) {}
    /// Writes the state of the action to a checkpoint, or reads it from there.
    static void archive(Archive&) {}
    /// Called after a checkpoint was saved to a file, unless the hook runs in the background or in a worker.
    static void saved(auto&, const std::string& /*file*/) {}
    /// Called after a checkpoint was loaded from a file, unless the hook runs in the background or in a worker.
    static void loaded(auto&, const std::string& /*file*/) {}
};

/// A class derived from `Action`.
/// @see Action
template <class A>
concept AnyAction = std::derived_from<A, detail::ActionBase>;

/// An action that calls a function of the trainer: `[](auto& trainer) { … }`.
///
/// The function may do anything with the trainer except wait for it. `then` makes this action from a function, so you
/// do not need to name it.
///
/// @tparam F  type of the function
///
/// @par Background
/// Cannot run in the background, because the function changes the trainer while a step may be running. Functions
/// without a parameter, `[] { … }`, can.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then([](auto& trainer) { trainer.optimizer.learning_rate *= 0.9; }));
/// @endcode
template <class F>
struct CallFunction : Action<CallFunction<F>> {
    /// @cond internal
    static constexpr bool in_background = false;
    F function;

    explicit CallFunction(F f) : function(std::move(f)) {}
    void run(auto& context) { function(context.trainer()); }
    static std::string text() { return "a function"; }
    /// @endcond
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

/// Calls a visitor for a value that an action of the user's own visits.
template <class V>
void visit_value(V& v, const ValueVisitor& f) {
    if constexpr (is_derived<V>) {
        f(v.handle);
    } else {
        ValueHandle handle = value_record<std::remove_const_t<V>>;
        f(handle);
    }
}

/// An action of the user's own, for a trainer of type T.
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
    void checkpoint_done(HookContext& context, CheckpointEvent event, const std::string& file) override {
        LiveContext<T> typed(context, trainer_);
        if (event == CheckpointEvent::saved) action_.saved(typed, file);
        else action_.loaded(typed, file);
    }
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
