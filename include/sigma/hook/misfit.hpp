// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/order.hpp>
#include <sigma/layer/errors.hpp>

#include <utility>

namespace sigma::detail {

template <class Trainer>
using ModelOf = std::remove_cvref_t<decltype(std::declval<Trainer&>().model())>;

template <class Trainer>
using OptimizerOf = std::remove_cvref_t<decltype(std::declval<Trainer&>().optimizer)>;

template <class Reads, class Trainer, class A>
constexpr auto mistake_of_action() {
    if constexpr (requires { A::template check<ModelOf<Trainer>, Reads>(); })
        return A::template check<ModelOf<Trainer>, Reads>();
    else if constexpr (requires { A::template check_optimizer<OptimizerOf<Trainer>>(); })
        return A::template check_optimizer<OptimizerOf<Trainer>>();
    else return Mistake<>{};
}
template <class First, class... Rest>
constexpr auto first_mistake(First, Rest... rest) {
    if constexpr (std::is_void_v<typename First::mistake> && sizeof...(Rest) > 0) return first_mistake(rest...);
    else return First{};
}
/// What values cannot be of this kind of trainer, which they say in `check<Trainer>()`; so may what they are made of.
template <class Trainer, class Values>
struct MistakeOfValues;
template <class Trainer, class V>
constexpr auto mistake_of_value() {
    if constexpr (!is_derived<V>) return Mistake<>{};
    else if constexpr (requires { V::template check<Trainer>(); }) return V::template check<Trainer>();
    else return typename MistakeOfValues<Trainer, typename V::Parts>::type{};
}
template <class Trainer, class... V>
struct MistakeOfValues<Trainer, Types<V...>> {
    using type = decltype(first_mistake(Mistake<>{}, mistake_of_value<Trainer, V>()...));
};
template <class Reads, class Trainer, class M, class C, class... A>
constexpr auto mistake_of_hook(const HookOf<M, C, A...>*) {
    using Values = typename Unique<JoinedTypes<typename C::Reads, typename A::Reads...>>::type;
    return first_mistake(Mistake<>{}, mistake_of_action<Reads, Trainer, A>()...,
                         typename MistakeOfValues<Trainer, Values>::type{});
}

/// What hooks cannot do to this kind of trainer, which their actions say: `A::check<Model, Reads>()`, where Reads is
/// what the hooks that are added together read, or `A::check_optimizer<Optimizer>()` is a Mistake. The first mistake
/// counts.
template <class Trainer, class... H>
struct Misfit {
    using Reads = JoinedTypes<typename HookParts<H>::Reads...>;
    using type = typename decltype(first_mistake(
        Mistake<>{}, mistake_of_hook<Reads, Trainer>(static_cast<const H*>(nullptr))...))::mistake;
    static constexpr bool found = !std::is_void_v<type>;
};

/// May these hooks be added to that kind of trainer? If not, why.
template <class Trainer, class... H>
constexpr bool fit() {
    if constexpr (fit_together<H...>()) return !Misfit<Trainer, H...>::found;
    else return false;
}
template <class Trainer, class... H>
constexpr auto misfit_of() {
    if constexpr (fit_together<H...>()) return std::type_identity<typename Misfit<Trainer, H...>::type>{};
    else return mistake_of<H...>();
}

}  // namespace sigma::detail
