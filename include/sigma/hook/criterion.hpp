// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/arguments.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/owners.hpp>
#include <sigma/hook/archive.hpp>
#include <sigma/hook/derived.hpp>
#include <sigma/hook/errors.hpp>
#include <sigma/hook/moment.hpp>
#include <sigma/hook/types.hpp>
#include <sigma/hook/value.hpp>

#include <concepts>
#include <cstdint>
#include <string>

namespace sigma {

namespace detail {

/// What a criterion finds when it is checked. `level`: it holds now. `event`: something new has made it hold, for
/// instance the threshold was crossed. `fresh`: there was something new to look at; else level is what it was.
/// Hooks fire on events.
struct Truth {
    bool level = false, event = false, fresh = false;
    friend bool operator==(const Truth&, const Truth&) = default;
};

/// A criterion at run time, with its own counters, one for each hook of each trainer.
class CriterionNode {
public:
    virtual ~CriterionNode() = default;
    virtual detail::Owned<CriterionNode> clone() const = 0;
    virtual Truth check(HookContext& context) = 0;
    /// Its level while there is nothing new: false for pulses.
    virtual bool held() const { return false; }
    virtual void restart(const MomentCounts& counts) = 0;
    virtual void archive(Archive& a) = 0;
    virtual std::string text() const = 0;
    virtual void visit_values(const ValueVisitor&) {}
    /// Of how many of its scale it is, where it is regular; else 0.
    virtual std::uint64_t interval() const { return 0; }
    /// Can it fire when its scale counts so many? False only where it says that it will not.
    virtual bool due(std::uint64_t) const { return true; }
};
using CriterionHandle = detail::SharedOwner<const CriterionNode>;

/// What all criteria have: how they combine and how a sentence goes on after them.
struct CriterionBase {
    CriterionHandle node;

    std::string text() const { return node->text(); }
};
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

/// The number, which must be 1 or more: ArgumentError.
std::uint64_t positive(const char* what, Integer n);

}  // namespace detail

/// A criterion says in its type which values it reads (`Reads`), at which moments they are new (`moments`), and whether
/// the sentence itself says when to look (`timed`).
template <class C>
concept AnyCriterion = std::derived_from<C, detail::CriterionBase>;

template <AnyCriterion C>
struct InARowOf;
template <AnyCriterion C>
struct TimesOf;
template <AnyCriterion C>
struct ContinuouslyOf;
template <AnyCriterion C>
struct NotOf;
template <AnyCriterion A, AnyCriterion B>
struct AndOf;
template <AnyCriterion A, AnyCriterion B>
struct OrOf;

namespace detail {

template <class C>
struct HookMaker;

CriterionHandle make_in_a_row(const CriterionHandle& inner, Integer n);
CriterionHandle make_times(const CriterionHandle& inner, Integer n);
CriterionHandle make_continuously(const CriterionHandle& inner);

/// What can be said after a criterion.
template <class C>
struct Criterion : detail::CriterionBase {
    explicit Criterion(detail::CriterionHandle made) : CriterionBase{std::move(made)} {}

    /// Holds in `n` checks one after the other; then it counts anew.
    auto in_a_row(Integer n) const { return InARowOf<C>(detail::make_in_a_row(node, n)); }
    /// Holds in `n` checks, whatever is between; then it counts anew.
    auto times(Integer n) const { return TimesOf<C>(detail::make_times(node, n)); }
    /// Fires at each check in which it holds, not only when it begins to.
    auto continuously() const { return ContinuouslyOf<C>(detail::make_continuously(node)); }

    /// The actions, in order: those of the library, or functions of nothing or of the trainer.
    template <class... Actions>
        requires(sizeof...(Actions) > 0 && (detail::can_be_done<Actions> && ...))
    auto then(Actions... actions) const {
        return detail::HookMaker<C>::make(node, std::move(actions)...);
    }
    template <class... Given>
        requires(sizeof...(Given) == 0 || !(detail::can_be_done<Given> && ...))
    error_then_takes_actions_or_functions<Given...> then(Given...) const;
};

/// What is new for a leaf since it last looked, if anything. Values that hooks compute, and those made of others, are
/// new when they are computed; others at their own moment, or whenever the sentence says how often to look.
bool is_fresh(const HookContext& context, const ValueHandle& v, std::uint64_t& seen);

template <class V>
constexpr MomentSet moments_of() {
    // Those of computed values, and of what is made of them, are their writer's, which only the group of hooks knows.
    return is_versioned<V> && V::Sources::count > 0 ? MomentSet{} : MomentSet(V::moment);
}

}  // namespace detail

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/criterion.ipp>
#endif
