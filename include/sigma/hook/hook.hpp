// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// What is known of a hook at compile time besides its parts.
template <int priority_, bool background_>
struct Manner {
    static constexpr int priority = priority_;
    static constexpr bool background = background_;
};

}  // namespace detail

enum class OnError {
    stop,    ///< the run ends with a HookError
    report,  ///< it is printed, and the run goes on
};

namespace detail {

/// What is said of a hook at run time.
struct HookSettings {
    std::string name{};  ///< in errors; the sentence itself where empty
    OnError on_error = OnError::stop;
    double limit = 0;           ///< seconds that it may run in the background; 0 for any time
    std::uint64_t waiting = 0;  ///< snapshots that may wait while it runs in the background
};

/// An action of a sentence: one that is made already, or one of one's own and its words.
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

/// A sentence without its types.
struct Sentence {
    CriterionHandle criterion;
    std::vector<ActionPart> actions;
    HookSettings settings{};

    Sentence(const CriterionHandle& criterion_, std::initializer_list<ActionPart> actions_);
    Sentence(const Sentence&);
    Sentence& operator=(const Sentence&);
    ~Sentence();
    std::string text() const;
    std::string name() const;
};

/// Throws ArgumentError unless the limit is above 0.
double checked_limit(double seconds);

/// The first action that may not run in the background.
template <class... Actions>
struct FirstInFront {
    using type = void;
};
template <class First, class... Rest>
struct FirstInFront<First, Rest...>
    : std::conditional_t<First::in_background, FirstInFront<Rest...>, std::type_identity<First>> {};

/// A sentence: a criterion, and what is done in order when it fires.
template <class Manner_, AnyCriterion C, AnyAction... Actions>
class HookOf {
public:
    using Manner = Manner_;
    using Criterion = C;

    explicit HookOf(const detail::Sentence& sentence_) : sentence(sentence_) {}

    /// Smaller is earlier, among hooks that do not depend on each other; 0 unless said.
    template <int n>
    auto priority() const {
        return HookOf<sigma::detail::Manner<n, Manner::background>, C, Actions...>(sentence);
    }
    /// Its actions run on a thread of their own with a snapshot of what they read. While they run, the hook is skipped,
    /// unless some snapshots may wait.
    auto in_background(std::uint64_t waiting = 0) const
        requires(Actions::in_background && ...)
    {
        HookOf<sigma::detail::Manner<Manner::priority, true>, C, Actions...> h(sentence);
        h.sentence.settings.waiting = waiting;
        return h;
    }
    error_action_cannot_run_in_the_background<typename detail::FirstInFront<Actions...>::type> in_background(
        std::uint64_t = 0) const
        requires(!(Actions::in_background && ...));
    /// A longer run in the background is an error.
    template <AnyDuration D>
        requires(Manner::background)
    auto limit(D time) const {
        HookOf h = *this;
        h.sentence.settings.limit = detail::checked_limit(detail::in_seconds(time));
        return h;
    }
    template <AnyDuration D>
        requires(!Manner::background)
    error_only_hooks_in_the_background_have_a_limit<HookOf> limit(D) const;
    auto named(std::string name) const {
        HookOf h = *this;
        h.sentence.settings.name = std::move(name);
        return h;
    }
    auto on_error(OnError what) const {
        HookOf h = *this;
        h.sentence.settings.on_error = what;
        return h;
    }

    /// The sentence again.
    std::string text() const { return sentence.text(); }
    std::string name() const { return sentence.name(); }

    detail::Sentence sentence;
};

template <class H>
inline constexpr bool is_hook = false;
template <class M, class C, class... A>
inline constexpr bool is_hook<HookOf<M, C, A...>> = true;

}  // namespace detail

/// Behind `then` of a criterion of type C.
template <class C>
struct detail::HookMaker {
    template <class... Actions>
    static auto make(const CriterionHandle& criterion, Actions... actions) {
        return detail::HookOf<detail::Manner<0, false>, C, ActionOf<Actions>...>(
            Sentence(criterion, {part_of(as_action(std::move(actions)))...}));
    }
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/hook.ipp>
#endif
