// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/hook.hpp>

namespace sigma {

/// What can be wrong with a hook for a trainer with this optimizer. Declared only: the first error names one.
template <class Optimizer>
struct error_optimizer_has_no_learning_rate;
template <class Optimizer, class Member>
struct error_optimizer_has_no_such_member;

namespace detail {

template <class O>
concept HasLearningRate = requires(O& o) {
    { o.learning_rate } -> std::convertible_to<double>;
    o.learning_rate = 0.1;
};

/// What an action has against an optimizer, void for nothing: its `Misfit<O>` where it has one.
template <class O, class A>
struct MisfitOf {
    using type = void;
};
template <class O, class A>
    requires requires { typename A::template Misfit<O>; }
struct MisfitOf<O, A> {
    using type = typename A::template Misfit<O>;
};

template <class... M>
struct FirstOf {
    using type = void;
};
template <class M, class... Rest>
struct FirstOf<M, Rest...> {
    using type = M;
};
template <class... Rest>
struct FirstOf<void, Rest...> : FirstOf<Rest...> {};

template <class O, class H>
struct HookMisfit;
template <class O, class M, class C, class... A>
struct HookMisfit<O, HookOf<M, C, A...>> : FirstOf<typename MisfitOf<O, A>::type...> {};
template <class O, class... H>
struct FirstMisfit : FirstOf<typename HookMisfit<O, H>::type...> {};

template <class O, class H>
inline constexpr bool fits = std::is_void_v<typename HookMisfit<O, H>::type>;

template <class O>
using MisfitOfRate = std::conditional_t<HasLearningRate<O>, void, error_optimizer_has_no_learning_rate<O>>;

}  // namespace detail
}  // namespace sigma
