// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/join.hpp>

/// Branches of a graph. Between them several values flow side by side.
namespace sigma {

/// Gives the same value to each branch; the results flow on side by side. See `Fork`.
template <class... L>
struct ForkOf : Layer {
    Branches<L...> branches;
    constexpr explicit ForkOf(L... l) : branches(l...) {}
};
/// The first value to the first branch, the second to the second, and so on. See `Parallel`.
template <class... L>
struct ParallelOf : Layer {
    Branches<L...> branches;
    constexpr explicit ParallelOf(L... l) : branches(l...) {}
};

/// What comes in goes out: a branch around others.
struct Identity : Layer {
    static constexpr Text kind = "identity";
};
inline constexpr Identity skip{};

namespace detail {

template <class L>
inline constexpr bool is_fork = false;
template <class... L>
inline constexpr bool is_fork<ForkOf<L...>> = true;
template <class L>
inline constexpr bool is_parallel = false;
template <class... L>
inline constexpr bool is_parallel<ParallelOf<L...>> = true;

/// What is wrong with the branches of a fork or a join, or void.
template <class... L>
consteval auto branches_mistake() {
    if constexpr (sizeof...(L) < 2) {
        return Verdict<error_join_needs_at_least_two_branches<branches_given<static_cast<int>(sizeof...(L))>>>{};
    } else {
        return Verdict<typename FirstMistake<MistakeOf<decltype(inside_mistake<L, inside_a_branch>())>...>::type>{};
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
    return Chain<ForkOf<AsLayer<L>...>, Join>{fork(branches...), join};
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
constexpr detail::BranchesMistake<L...> Fork(L...);

/// `Parallel(a, b)`: a of the first value and b of the second.
template <detail::Operand... L>
    requires detail::good_branches<L...>
constexpr auto Parallel(L... branches) {
    return ParallelOf<detail::AsLayer<L>...>{detail::as_layer(branches)...};
}
template <detail::Operand... L>
    requires(!detail::good_branches<L...>)
constexpr detail::BranchesMistake<L...> Parallel(L...);

/// `Add(a, b)`: a(x) + b(x). `Add()` adds the values that flow side by side; so do the other joins.
constexpr auto Add() { return AddJoin{}; }
template <detail::Operand... L>
    requires(sizeof...(L) > 0) && detail::good_branches<L...>
constexpr auto Add(L... branches) {
    return detail::fork_and_join(AddJoin{}, branches...);
}
template <detail::Operand... L>
    requires(sizeof...(L) > 0) && (!detail::good_branches<L...>)
constexpr detail::BranchesMistake<L...> Add(L...);

/// `Average(a, b)`: (a(x) + b(x)) / 2
constexpr auto Average() { return AverageJoin{}; }
template <detail::Operand... L>
    requires(sizeof...(L) > 0) && detail::good_branches<L...>
constexpr auto Average(L... branches) {
    return detail::fork_and_join(AverageJoin{}, branches...);
}
template <detail::Operand... L>
    requires(sizeof...(L) > 0) && (!detail::good_branches<L...>)
constexpr detail::BranchesMistake<L...> Average(L...);

/// `Multiply(a, b)`: a(x) * b(x)
constexpr auto Multiply() { return MultiplyJoin{}; }
template <detail::Operand... L>
    requires(sizeof...(L) > 0) && detail::good_branches<L...>
constexpr auto Multiply(L... branches) {
    return detail::fork_and_join(MultiplyJoin{}, branches...);
}
template <detail::Operand... L>
    requires(sizeof...(L) > 0) && (!detail::good_branches<L...>)
constexpr detail::BranchesMistake<L...> Multiply(L...);

/// `Concatenate(a, b)`: a(x) beside b(x) along the last axis; `Concatenate<1>(a, b)` along axis 1.
template <int axis = -1>
constexpr auto Concatenate() {
    return ConcatenateJoin<axis>{};
}
template <int axis = -1, detail::Operand... L>
    requires(sizeof...(L) > 0) && detail::good_branches<L...>
constexpr auto Concatenate(L... branches) {
    return detail::fork_and_join(ConcatenateJoin<axis>{}, branches...);
}
template <int axis = -1, detail::Operand... L>
    requires(sizeof...(L) > 0) && (!detail::good_branches<L...>)
constexpr detail::BranchesMistake<L...> Concatenate(L...);

/// `Residual(block)`: block(x) + x (He et al. 2016). A block that changes the shape needs a projection beside it:
/// `Add(block, projection)`.
template <detail::Operand L>
    requires detail::good_branches<L, Identity>
constexpr auto Residual(L block) {
    return Add(block, Identity{});
}
template <detail::Operand L>
    requires(!detail::good_branches<L, Identity>)
constexpr detail::BranchesMistake<L, Identity> Residual(L);

}  // namespace sigma
