// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Hooks: a criterion, actions, and options such as `in_background`. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/arguments.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/hook/action.hpp>
#include <sigma/hook/time_step.hpp>
#include <sigma/hook/words.hpp>

#include <initializer_list>
#include <string>
#include <vector>

namespace sigma {

namespace detail {

/// Options of a hook that are known at compile time.
template <int priority_, bool background_>
struct HookOptions {
    static constexpr int priority = priority_;
    static constexpr bool background = background_;
};

}  // namespace detail

/// The choices of what happens when an action of a hook throws: the argument of `on_error`.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(save("a.sigma")).on_error(OnError::report));
/// @endcode
enum class OnError {
    stop,    ///< ends the run with a HookError
    report,  ///< prints the error, skips the remaining actions of this firing and continues the run
};

namespace detail {

/// Options of a hook that are known at run time.
struct HookSettings {
    std::string name{};  ///< name in errors; if empty, the text of the hook
    OnError on_error = OnError::stop;
    double slow = 0;            ///< seconds after which the trainer no longer waits for the hook; 0: it never waits
    double limit = 0;           ///< seconds that the hook may work on one firing in the background; 0: no limit
    std::uint64_t waiting = 0;  ///< snapshots that may wait while the hook works in the background
};

/// An action of a hook: either a node that is ready to run, or an action of the user's own type with its text.
struct ActionPart {
    ActionHandle node;
    detail::SharedOwner<const void> own{};
    std::string text{};

    ActionPart(ActionHandle made);
    ActionPart(detail::SharedOwner<const void> own_, std::string text_);
    ActionPart(const ActionPart&);
    ActionPart& operator=(const ActionPart&);
    ~ActionPart();
};
template <class A>
inline constexpr bool is_made = requires(const A& a) { ActionHandle(a.node); } || requires { ActionHandle(A::made()); };
template <class A>
ActionPart part_of(A a) {
    if constexpr (requires { ActionHandle(a.node); }) {
        return ActionPart(a.node);
    } else if constexpr (is_made<A>) {
        return ActionPart(A::made());
    } else {
        std::string words = a.text();
        return ActionPart(detail::SharedOwner<const A>::make(std::move(a)), std::move(words));
    }
}

/// A hook without its types.
struct UntypedHook {
    CriterionHandle criterion;
    std::vector<ActionPart> actions;
    HookSettings settings{};

    UntypedHook(const CriterionHandle& criterion_, std::initializer_list<ActionPart> actions_);
    UntypedHook(const UntypedHook&);
    UntypedHook& operator=(const UntypedHook&);
    ~UntypedHook();
    std::string text() const;
    std::string name() const;
};

/// Returns the limit in seconds. Throws ArgumentError unless it is above 0.
double checked_limit(double seconds);

/// The first action that cannot run in the background; void if there is none.
template <class... Actions>
struct FirstInFront {
    using type = void;
};
template <class First, class... Rest>
struct FirstInFront<First, Rest...>
    : std::conditional_t<First::in_background, FirstInFront<Rest...>, std::type_identity<First>> {};

/// A hook: a criterion, the actions that run in this order when it fires, and options.
///
/// `then` makes hooks: `when(accuracy.reaches(0.98)).then(stop)`. A hook does nothing until you pass it to
/// `Trainer::add`. Each function here returns a changed copy.
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(score(testing), save("a.sigma")).in_background().named("backup"));
/// @endcode
template <class Options_, AnyCriterion C, AnyAction... Actions>
class HookOf {
public:
    /// @cond internal
    using HookOptions = Options_;
    using Criterion = C;

    explicit HookOf(const detail::UntypedHook& untyped_) : untyped(untyped_) {}
    /// @endcond

    /// Sets the priority. Of hooks that do not depend on each other, those with a smaller priority run earlier.
    /// @tparam n  the priority; 0 if you do not set it
    /// @return the changed hook
    template <int n>
    auto priority() const {
        return HookOf<sigma::detail::HookOptions<n, HookOptions::background>, C, Actions...>(untyped);
    }
    /// Runs the actions on another thread, with a snapshot of the numbers that they read, so that training continues.
    ///
    /// A firing is skipped while the actions of the previous one run, unless it may wait. The hook does not compile if
    /// an action cannot run in the background.
    /// @param waiting  number of firings that may wait (default: 0). Each holds a snapshot in memory.
    /// @return the changed hook
    auto in_background(std::uint64_t waiting = 0) const
        requires(Actions::in_background && ...)
    {
        HookOf<sigma::detail::HookOptions<HookOptions::priority, true>, C, Actions...> h(untyped);
        h.untyped.settings.waiting = waiting;
        h.untyped.settings.slow = 0;
        return h;
    }
    /// @cond internal
    error_action_cannot_run_in_the_background<typename detail::FirstInFront<Actions...>::type> in_background(
        std::uint64_t = 0) const
        requires(!(Actions::in_background && ...));
    /// @endcond
    /// Runs the actions as `in_background` does, but lets the trainer wait for them until one firing takes too long.
    ///
    /// While the hook is fast, training continues when its actions are done. If a firing takes longer than the limit,
    /// the trainer prints a line with the name of the hook, continues, and no longer waits for this hook. Hooks that
    /// share a snapshot share the shortest limit, too.
    /// @param limit    the longest time that the trainer waits for one firing: a duration above 0, such as `100ms`
    /// @param waiting  number of firings that may wait after the trainer has stopped waiting (default: 0)
    /// @return the changed hook
    /// @throws ArgumentError  if the duration is 0 or less
    ///
    /// @par Example
    /// @code
    /// using namespace std::chrono_literals;
    /// trainer.add(every(1, epoch).then(score(testing), report(epoch, accuracy)).in_background_if_slower(100ms));
    /// @endcode
    ///
    /// @see in_background
    template <AnyDuration D>
    auto in_background_if_slower(D limit, std::uint64_t waiting = 0) const
        requires(Actions::in_background && ...)
    {
        auto h = in_background(waiting);
        h.untyped.settings.slow = detail::checked_limit(detail::in_seconds(limit));
        return h;
    }
    /// @cond internal
    error_action_cannot_run_in_the_background<typename detail::FirstInFront<Actions...>::type> in_background_if_slower(
        AnyDuration auto, std::uint64_t = 0) const
        requires(!(Actions::in_background && ...));
    /// @endcond
    /// Limits the time that a background hook may work on one firing. A longer time is an error of the hook.
    ///
    /// The action is not interrupted. An action that takes long should test `context.expired()`.
    /// @param time  a duration above 0, such as `10s`
    /// @return the changed hook
    /// @throws ArgumentError  if the duration is 0 or less
    template <AnyDuration D>
        requires(HookOptions::background)
    auto limit(D time) const {
        HookOf h = *this;
        h.untyped.settings.limit = detail::checked_limit(detail::in_seconds(time));
        return h;
    }
    /// @cond internal
    template <AnyDuration D>
        requires(!HookOptions::background)
    error_only_hooks_in_the_background_have_a_limit<HookOf> limit(D) const;
    /// @endcond

    /// Sets the name of the hook in errors and messages.
    /// @param name  the name. The default is the text of the hook.
    /// @return the changed hook
    auto named(std::string name) const {
        HookOf h = *this;
        h.untyped.settings.name = std::move(name);
        return h;
    }

    /// Sets what happens when an action throws.
    /// @param what  `OnError::stop` (the default without this call) ends the run, `OnError::report` prints the error
    /// @return the changed hook
    auto on_error(OnError what) const {
        HookOf h = *this;
        h.untyped.settings.on_error = what;
        return h;
    }

    /// Returns the hook as text, such as "when(accuracy.reaches(0.98)).then(stop)".
    /// @return the text
    std::string text() const { return untyped.text(); }
    /// Returns the name: that of `named`, or the text of the hook.
    /// @return the name
    std::string name() const { return untyped.name(); }

    /// @cond internal
    detail::UntypedHook untyped;
    /// @endcond
};

template <class H>
inline constexpr bool is_hook = false;
template <class M, class C, class... A>
inline constexpr bool is_hook<HookOf<M, C, A...>> = true;

}  // namespace detail

/// Makes the hooks of `then`, for a criterion of type C.
template <class C>
struct detail::HookMaker {
    template <class... Actions>
    static auto make(const CriterionHandle& criterion, Actions... actions) {
        return detail::HookOf<detail::HookOptions<0, false>, C, ActionOf<Actions>...>(
            UntypedHook(criterion, {part_of(as_action(std::move(actions)))...}));
    }
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/hook.ipp>
#endif
