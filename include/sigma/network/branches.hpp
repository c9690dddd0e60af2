// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/grammar.hpp>

/// Layers that make one value of several. Written with branches, `Add(a, b)`, they fork first.
namespace sigma::detail {

/// What joins have in common, by the rule of two values, `fits(a, b)`, and what they make of them, `two(x, y)`, or of
/// all.
template <class Rule>
struct Join : Layer {
    constexpr Tensor join(Context& context, const Flow& x) const {
        const Rule& rule = static_cast<const Rule&>(*this);
        if (x.size() < 2) context.refuse(error_join_needs_at_least_two_values, {values_given, x.size()});
        for (int i = 1; i < x.size() && !context.failed(); ++i)
            if (!rule.fits(x[i - 1].shape(), x[i].shape())) return rule.misfit(x[i - 1], x[i].shape());
        return context.failed() ? x[0] : rule.all(x);
    }
    /// The last two first: so the bits of sums are what they always were.
    constexpr Tensor all(const Flow& x) const {
        Tensor y = x[x.size() - 1];
        for (int i = x.size() - 1; i-- > 0;) y = Rule::two(x[i], y);
        return y;
    }
    static constexpr bool fits(const Shape& a, const Shape& b) { return a == b; }
    static constexpr Tensor misfit(Tensor x, const Shape& y) {
        return x.refused(*Rule::fault, {first_value_is, x.shape()}, {second_value_is, y});
    }
};

/// Sum of values of one shape.
struct AddJoin : Join<AddJoin> {
    static constexpr Text kind = "add";
    static constexpr const Fault* fault = &error_Add_branches_do_not_fit;

    static constexpr Tensor two(Tensor x, Tensor y) { return x + y; }
};
/// Mean of values of one shape.
struct AverageJoin : Join<AverageJoin> {
    static constexpr Text kind = "average";
    static constexpr const Fault* fault = &error_Average_branches_do_not_fit;

    static constexpr Tensor two(Tensor x, Tensor y) { return x + y; }
    constexpr Tensor join(Context& context, const Flow& x) const { return (1.0 / x.size()) * Join::join(context, x); }
};
/// Product element by element. Extents of 1 stand for any, as long as there are as many axes: a gate for each channel,
/// (batch, c, 1, 1), goes with (batch, c, y, x).
struct MultiplyJoin : Join<MultiplyJoin> {
    static constexpr Text kind = "multiply";
    static constexpr const Fault* fault = &error_Multiply_branches_do_not_fit;

    static constexpr bool fits(const Shape& a, const Shape& b) { return a.rank == b.rank && broadcasts(a, b); }
    static constexpr Tensor two(Tensor x, Tensor y) { return x * y; }
};
/// Flow side by side along one axis, never that of the batch; all others must agree.
struct ConcatenateJoin : Join<ConcatenateJoin> {
    static constexpr Text kind = "concatenate";
    int number;
    constexpr explicit ConcatenateJoin(Axis along) : number(along.number) {}

    constexpr bool fits(const Shape& a, const Shape& b) const { return concatenable(a, b, number); }
    constexpr Tensor all(const Flow& x) const {
        Tensor y = x[0];
        for (int i = 1; i < x.size(); ++i) y = concatenate(axis(number), y, x[i]);
        return y;
    }
    constexpr Tensor misfit(Tensor x, const Shape& y) const {
        return x.refused(error_Concatenate_branches_do_not_fit, {axis_given, number}, {first_value_is, x.shape()},
                         {second_value_is, y});
    }
};

}  // namespace sigma::detail

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
constexpr auto Concatenate(Axis along = axis(-1)) { return detail::ConcatenateJoin(along); }
template <detail::Operand... L>
    requires(sizeof...(L) > 0)
constexpr auto Concatenate(Axis along, const L&... branches) {
    return detail::fork_and_join(detail::ConcatenateJoin(along), branches...);
}
template <detail::Operand A, detail::Operand... L>
    requires(!std::is_same_v<A, Axis>)
constexpr auto Concatenate(const A& first, const L&... branches) {
    return detail::fork_and_join(detail::ConcatenateJoin(axis(-1)), first, branches...);
}

/// `Residual(block)`: block(x) + x (He et al. 2016). A block that changes the shape needs a projection beside it:
/// `Add(block, projection)`.
template <detail::Operand L>
constexpr auto Residual(const L& block) {
    return Add(block, Identity{});
}

}  // namespace sigma
