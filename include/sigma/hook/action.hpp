// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/criterion.hpp>

#include <string>
#include <type_traits>

namespace sigma {

/// What an action must find in a snapshot when it runs in the background, besides the values it visits.
enum class Needs { values, parameters, checkpoint };

/// What a hook does. An action says which values it reads and which it computes, and what a snapshot for it holds; `run`
/// is called with a context (context.hpp), through which it reaches the trainer. The defaults are those of an action that
/// reads nothing, computes nothing and remembers nothing.
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

/// A function as an action: `[] { … }`, or `[](auto& trainer) { … }`, which may do what it likes with the trainer.
template <class F>
struct CallFunction : Action<CallFunction<F>> {
    static constexpr bool in_background = std::is_invocable_v<F&>;
    F function;

    explicit CallFunction(F f) : function(std::move(f)) {}
    void run(auto& context) {
        if constexpr (std::is_invocable_v<F&>) function();
        else function(context.trainer());
    }
    static std::string text() { return "a function"; }
};

namespace detail {

template <class A>
auto as_action(A a) {
    if constexpr (AnyAction<A>) return a;
    else return CallFunction<A>(std::move(a));
}
template <class A>
using ActionOf = decltype(as_action(std::declval<A>()));

}  // namespace detail
}  // namespace sigma
