// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/hook/archive.hpp>
#include <sigma/hook/errors.hpp>
#include <sigma/hook/value.hpp>

namespace sigma {

/// What a criterion finds when it is checked. `level`: it holds now. `event`: something new has made it hold, for
/// instance the threshold was crossed. `fresh`: there was something new to look at; else level is what it was.
/// Hooks fire on events.
struct Truth {
    bool level = false, event = false, fresh = false;
    friend bool operator==(const Truth&, const Truth&) = default;
};

namespace detail {

/// What all criteria have: how they combine and how a sentence goes on after them.
struct CriterionBase {};
/// What all actions have.
struct ActionBase {};

struct Callable {
    void operator()();
};
template <class F>
struct CalledTwice : F, Callable {};
/// Can it stand behind `then`? Functions may be templates, whose calls only a trainer can try; their name is enough.
template <class F>
inline constexpr bool can_be_done = std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>;
template <class F>
    requires(std::is_class_v<F> && std::is_final_v<F>)
inline constexpr bool can_be_done<F> = true;  // nothing can be derived from it to find out
template <class F>
    requires(std::is_class_v<F> && !std::is_final_v<F>)
inline constexpr bool can_be_done<F> = std::is_base_of_v<ActionBase, F> || !requires { &CalledTwice<F>::operator(); };

constexpr std::uint64_t positive(const char* what, std::integral auto n) {
    if (n < 1) throw ArgumentError(what, "1 or more", sentence(n));
    return static_cast<std::uint64_t>(n);
}

}  // namespace detail

/// A criterion is a value that keeps its own counters, one copy for each trainer. It names the values it reads and
/// the moments at which they are new, is checked at these moments, starts again with `restart`, and puts its state
/// into an archive. `held` is its level while there is nothing new: false for pulses.
template <class C>
concept AnyCriterion = std::derived_from<C, detail::CriterionBase> && requires(C& c, const C& k, Archive& a, MomentCounts n) {
    typename C::Reads;
    { C::moments } -> std::convertible_to<MomentSet>;
    { C::timed } -> std::convertible_to<bool>;
    { k.text() } -> std::convertible_to<std::string>;
    { k.held() } -> std::convertible_to<bool>;
    c.restart(n);
    c.archive(a);
};

template <AnyCriterion C>
class InARowOf;
template <AnyCriterion C>
class TimesOf;
template <AnyCriterion C>
class ContinuouslyOf;
template <AnyCriterion C>
class NotOf;
template <AnyCriterion A, AnyCriterion B>
class AndOf;
template <AnyCriterion A, AnyCriterion B>
class OrOf;

namespace detail {
template <class C>
struct HookMaker;
}

/// What can be said after a criterion.
template <class C>
struct Criterion : detail::CriterionBase {
    /// Holds in `n` checks one after the other; then it counts anew.
    constexpr auto in_a_row(std::integral auto n) const { return InARowOf<C>(self(), detail::positive("in_a_row", n)); }
    /// Holds in `n` checks, whatever is between; then it counts anew.
    constexpr auto times(std::integral auto n) const { return TimesOf<C>(self(), detail::positive("times", n)); }
    /// Fires at each check in which it holds, not only when it begins to.
    constexpr auto continuously() const { return ContinuouslyOf<C>(self()); }
    /// The actions, in order: those of the library, or functions of nothing or of the trainer.
    template <class... Actions>
        requires(sizeof...(Actions) > 0 && (detail::can_be_done<Actions> && ...))
    constexpr auto then(Actions... actions) const {
        return detail::HookMaker<C>::make(self(), std::move(actions)...);
    }
    template <class... Given>
        requires(sizeof...(Given) == 0 || !(detail::can_be_done<Given> && ...))
    error_then_takes_actions_or_functions<Given...> then(Given...) const;

protected:
    constexpr const C& self() const { return static_cast<const C&>(*this); }
};

namespace detail {

/// Does the value count how often it was newly computed?
template <class V>
inline constexpr bool is_versioned = V::computed || requires { V::versioned; };

/// What is new for a leaf since it last looked, if anything. Values that hooks compute, and those made of others, are new
/// when they are computed; others at their own moment, or whenever the sentence says how often to look.
template <class V, class Context>
bool is_fresh(const Context& context, const V& v, std::uint64_t& seen) {
    if constexpr (is_versioned<V>) {
        const std::uint64_t version = context.version(v);
        if (version == seen) return false;
        seen = version;
        return true;
    } else {
        return context.timed() || context.moment() == V::moment;
    }
}

template <class V>
constexpr MomentSet moments_of() {
    // Those of computed values, and of what is made of them, are their writer's, which only the group of hooks knows.
    return is_versioned<V> && V::Sources::count > 0 ? MomentSet{} : MomentSet(V::moment);
}

}  // namespace detail
}  // namespace sigma
