// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/network/join.hpp>

#include <tuple>
#include <type_traits>
#include <utility>

/// Branches of a graph. Between them several values flow side by side.
namespace sigma {

/// Gives the same value to each branch; the results flow on side by side. See `Fork`.
template <class... L>
struct ForkOf : Layer, detail::Several {
    detail::Parts<L...> parts;
    constexpr explicit ForkOf(const L&... l) : parts{{l}...} {}

    static constexpr auto trace(auto self, Context& context, const auto& x) {
        return detail::trace_each<self()>(context, x);
    }
};
/// The first value to the first branch, the second to the second, and so on. See `Parallel`.
template <class... L>
struct ParallelOf : Layer, detail::Several {
    detail::Parts<L...> parts;
    constexpr explicit ParallelOf(const L&... l) : parts{{l}...} {}

    template <class X>
    static constexpr auto trace(auto self, Context& context, const X& x) {
        constexpr int branches = sizeof...(L);
        constexpr int values = static_cast<int>(std::tuple_size_v<decltype(detail::as_tuple(x))>);
        if constexpr (branches != values)
            return Mistake<
                error_Parallel_needs_one_branch_for_each_value<branches_given<branches>, values_given<values>>>{};
        else
            return detail::with_numbers(self().parts, [&]<int... i>(std::integer_sequence<int, i...>) {
                return detail::side_by_side(
                    std::tuple{detail::trace<detail::part<i>(self().parts)>(context, std::get<i>(x))...});
            });
    }
};

/// What comes in goes out: a branch around others.
struct Identity : Layer, detail::Combinator {
    static constexpr auto trace(auto, Context&, const auto& x) { return x; }
};
inline constexpr Identity skip{};

namespace detail {

/// What is wrong with the branches of a fork or a join, or void.
template <class... L>
consteval auto branches_mistake() {
    if constexpr (sizeof...(L) < 2) {
        return Mistake<error_join_needs_at_least_two_branches<branches_given<static_cast<int>(sizeof...(L))>>>{};
    } else {
        return FirstMistake<decltype(inside_mistake<L, inside_a_branch>())...>{};
    }
}

template <class... L>
using BranchesMistake = MistakeOf<decltype(branches_mistake<L...>())>;
template <class... L>
inline constexpr bool good_branches = std::is_void_v<BranchesMistake<L...>>;

template <class... L>
constexpr auto fork(const L&... branches) {
    return ForkOf<AsLayer<L>...>{as_layer(branches)...};
}
template <class Join, class... L>
constexpr auto fork_and_join(Join join, const L&... branches) {
    return fork(branches...) + join;
}

}  // namespace detail

/// `Fork(a, b)`: a and b of the same value, side by side, without joining them.
template <detail::Operand... L>
    requires detail::good_branches<L...>
constexpr auto Fork(L... branches) {
    return detail::fork(branches...);
}
template <detail::Operand... L>
    requires(!detail::good_branches<L...>)
constexpr auto Fork(L...) -> decltype(detail::plainly(std::type_identity<detail::BranchesMistake<L...>>{}));

/// `Parallel(a, b)`: a of the first value and b of the second.
template <detail::Operand... L>
    requires detail::good_branches<L...>
constexpr auto Parallel(L... branches) {
    return ParallelOf<detail::AsLayer<L>...>{detail::as_layer(branches)...};
}
template <detail::Operand... L>
    requires(!detail::good_branches<L...>)
constexpr auto Parallel(L...) -> decltype(detail::plainly(std::type_identity<detail::BranchesMistake<L...>>{}));

/// `Add(a, b)`: a(x) + b(x). `Add()` adds the values that flow side by side; so do the other joins.
constexpr auto Add() { return detail::AddJoin{}; }
template <detail::Operand... L>
    requires(sizeof...(L) > 0) && detail::good_branches<L...>
constexpr auto Add(L... branches) {
    return detail::fork_and_join(detail::AddJoin{}, branches...);
}
template <detail::Operand... L>
    requires(sizeof...(L) > 0) && (!detail::good_branches<L...>)
constexpr auto Add(L...) -> decltype(detail::plainly(std::type_identity<detail::BranchesMistake<L...>>{}));

/// `Average(a, b)`: (a(x) + b(x)) / 2
constexpr auto Average() { return detail::AverageJoin{}; }
template <detail::Operand... L>
    requires(sizeof...(L) > 0) && detail::good_branches<L...>
constexpr auto Average(L... branches) {
    return detail::fork_and_join(detail::AverageJoin{}, branches...);
}
template <detail::Operand... L>
    requires(sizeof...(L) > 0) && (!detail::good_branches<L...>)
constexpr auto Average(L...) -> decltype(detail::plainly(std::type_identity<detail::BranchesMistake<L...>>{}));

/// `Multiply(a, b)`: a(x) * b(x)
constexpr auto Multiply() { return detail::MultiplyJoin{}; }
template <detail::Operand... L>
    requires(sizeof...(L) > 0) && detail::good_branches<L...>
constexpr auto Multiply(L... branches) {
    return detail::fork_and_join(detail::MultiplyJoin{}, branches...);
}
template <detail::Operand... L>
    requires(sizeof...(L) > 0) && (!detail::good_branches<L...>)
constexpr auto Multiply(L...) -> decltype(detail::plainly(std::type_identity<detail::BranchesMistake<L...>>{}));

/// `Concatenate(a, b)`: a(x) beside b(x) along the last axis; `Concatenate<1>(a, b)` along axis 1.
template <int axis = -1>
constexpr auto Concatenate() {
    return detail::ConcatenateJoin<axis>{};
}
template <int axis = -1, detail::Operand... L>
    requires(sizeof...(L) > 0) && detail::good_branches<L...>
constexpr auto Concatenate(L... branches) {
    return detail::fork_and_join(detail::ConcatenateJoin<axis>{}, branches...);
}
template <int axis = -1, detail::Operand... L>
    requires(sizeof...(L) > 0) && (!detail::good_branches<L...>)
constexpr auto Concatenate(L...) -> decltype(detail::plainly(std::type_identity<detail::BranchesMistake<L...>>{}));

/// `Residual(block)`: block(x) + x (He et al. 2016). A block that changes the shape needs a projection beside it:
/// `Add(block, projection)`.
template <detail::Operand L>
    requires detail::good_branches<L, Identity>
constexpr auto Residual(L block) {
    return Add(block, Identity{});
}
template <detail::Operand L>
    requires(!detail::good_branches<L, Identity>)
constexpr auto Residual(L) -> decltype(detail::plainly(std::type_identity<detail::BranchesMistake<L, Identity>>{}));

}  // namespace sigma
