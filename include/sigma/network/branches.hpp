// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/join.hpp>

/// Branches of a graph. Between them several values flow side by side.
namespace sigma {

/// Gives the same value to each branch; the results flow on side by side. See `Fork`.
template <class... L>
struct ForkOf : detail::PartsOf<L...> {
    using detail::PartsOf<L...>::PartsOf;

    constexpr void trace(Context& context, detail::Flow& x) const {
        if (sizeof...(L) < 2)
            return detail::refuse_between(context, error_join_needs_at_least_two_branches,
                                          {branches_given, static_cast<int>(sizeof...(L))});
        this->fork(context, x);
    }
};
/// The first value to the first branch, the second to the second, and so on. See `Parallel`.
template <class... L>
struct ParallelOf : detail::PartsOf<L...> {
    using detail::PartsOf<L...>::PartsOf;

    constexpr void trace(Context& context, detail::Flow& x) const {
        constexpr int branches = static_cast<int>(sizeof...(L));
        if (branches < 2)
            return detail::refuse_between(context, error_join_needs_at_least_two_branches, {branches_given, branches});
        if (branches != x.size())
            return detail::refuse_between(context, error_Parallel_needs_one_branch_for_each_value,
                                          {branches_given, branches}, {values_given, x.size()});
        detail::Flow all;
        int i = 0;
        this->parts.each([&](const auto& part) {
            if (context.failed()) return;
            detail::Flow y = x[i++];
            detail::trace(part, context, y);
            if (!context.failed()) this->push_beside(context, all, y);
        });
        x = all;
    }
};

/// What comes in goes out: a branch around others.
struct Identity : Layer, detail::Combinator {
    constexpr void trace(Context&, detail::Flow&) const {}
    constexpr void each_loss(auto) const {}
};
inline constexpr Identity skip{};

namespace detail {

template <template <class...> class Kind, class... L>
constexpr auto branches_of(const L&... branches) {
    return Kind<AsLayer<L>...>(Parts<AsLayer<L>...>{{as_layer(branches)}...});
}
template <class Join, class... L>
constexpr auto fork_and_join(Join join, const L&... branches) {
    return branches_of<ForkOf>(branches...) + join;
}

}  // namespace detail

/// `Fork(a, b)`: a and b of the same value, side by side, without joining them.
template <detail::Operand... L>
constexpr auto Fork(const L&... branches) {
    return detail::branches_of<ForkOf>(branches...);
}
/// `Parallel(a, b)`: a of the first value and b of the second.
template <detail::Operand... L>
constexpr auto Parallel(const L&... branches) {
    return detail::branches_of<ParallelOf>(branches...);
}

/// `Add(a, b)`: a(x) + b(x). `Add()` adds the values that flow side by side; so do the other joins.
constexpr auto Add() { return detail::AddJoin{}; }
template <detail::Operand... L>
    requires(sizeof...(L) > 0)
constexpr auto Add(const L&... branches) {
    return detail::fork_and_join(detail::AddJoin{}, branches...);
}
/// `Average(a, b)`: (a(x) + b(x)) / 2
constexpr auto Average() { return detail::AverageJoin{}; }
template <detail::Operand... L>
    requires(sizeof...(L) > 0)
constexpr auto Average(const L&... branches) {
    return detail::fork_and_join(detail::AverageJoin{}, branches...);
}
/// `Multiply(a, b)`: a(x) * b(x)
constexpr auto Multiply() { return detail::MultiplyJoin{}; }
template <detail::Operand... L>
    requires(sizeof...(L) > 0)
constexpr auto Multiply(const L&... branches) {
    return detail::fork_and_join(detail::MultiplyJoin{}, branches...);
}
/// `Concatenate(a, b)`: a(x) beside b(x) along the last axis; `Concatenate(axis(1), a, b)` along axis 1.
constexpr auto Concatenate(Axis along = {-1}) { return detail::ConcatenateJoin(along); }
template <detail::Operand... L>
    requires(sizeof...(L) > 0)
constexpr auto Concatenate(Axis along, const L&... branches) {
    return detail::fork_and_join(detail::ConcatenateJoin(along), branches...);
}
template <detail::Operand A, detail::Operand... L>
    requires(!std::is_same_v<A, Axis>)
constexpr auto Concatenate(const A& first, const L&... branches) {
    return detail::fork_and_join(detail::ConcatenateJoin({-1}), first, branches...);
}

/// `Residual(block)`: block(x) + x (He et al. 2016). A block that changes the shape needs a projection beside it:
/// `Add(block, projection)`.
template <detail::Operand L>
constexpr auto Residual(const L& block) {
    return Add(block, Identity{});
}

}  // namespace sigma
