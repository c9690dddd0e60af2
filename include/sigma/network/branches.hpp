// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Branches of a network, and layers that join them: Fork, Parallel, Add, Average, Multiply, Concatenate, Residual.
/// Included by `<sigma/sigma.hpp>`.
#include <sigma/network/grammar.hpp>

namespace sigma::detail {

/// The common part of layers that make one value of several. `Rule::fits(a, b)` compares two shapes, and
/// `Rule::two(x, y)` joins two values. `all` joins all values.
template <class Rule>
struct Join : Layer {
    constexpr Tensor join(Context& context, const Flow& x) const {
        const Rule& rule = static_cast<const Rule&>(*this);
        if (x.size() < 2) context.refuse(error_join_needs_at_least_two_values, {values_given, x.size()});
        for (int i = 1; i < x.size() && !context.failed(); ++i)
            if (!rule.fits(x[i - 1].shape(), x[i].shape())) return rule.misfit(x[i - 1], x[i].shape());
        return context.failed() ? x[0] : rule.all(x);
    }
    /// Joins the last two values first. The order determines the rounding of sums.
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

/// Adds values of one shape.
struct AddJoin : Join<AddJoin> {
    static constexpr Text kind = "add";
    static constexpr const Fault* fault = &error_Add_branches_do_not_fit;

    static constexpr Tensor two(Tensor x, Tensor y) { return x + y; }
};
/// Averages values of one shape.
struct AverageJoin : Join<AverageJoin> {
    static constexpr Text kind = "average";
    static constexpr const Fault* fault = &error_Average_branches_do_not_fit;

    static constexpr Tensor two(Tensor x, Tensor y) { return x + y; }
    constexpr Tensor join(Context& context, const Flow& x) const { return (1.0 / x.size()) * Join::join(context, x); }
};
/// Multiplies values element by element. The values have the same number of axes. An extent of 1 is repeated: a gate
/// for each channel, (batch, c, 1, 1), fits (batch, c, y, x).
struct MultiplyJoin : Join<MultiplyJoin> {
    static constexpr Text kind = "multiply";
    static constexpr const Fault* fault = &error_Multiply_branches_do_not_fit;

    static constexpr bool fits(const Shape& a, const Shape& b) { return a.rank == b.rank && broadcasts(a, b); }
    static constexpr Tensor two(Tensor x, Tensor y) { return x * y; }
};
/// Concatenates values along one axis, but not along the batch. All other axes must agree.
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

namespace sigma {

/// The type of `Fork`: gives the same value to each branch.
/// @see Fork
template <class... L>
struct ForkOf : detail::PartsOf<L...> {
    /// @cond internal
    using detail::PartsOf<L...>::PartsOf;

    constexpr void trace(Context& context, detail::Flow& x) const {
        if (sizeof...(L) < 2)
            return detail::refuse_between(context, error_join_needs_at_least_two_branches,
                                          {branches_given, static_cast<int>(sizeof...(L))});
        this->fork(context, x);
    }
    /// @endcond
};
/// The type of `Parallel`: gives the first value to the first branch, the second to the second, and so on.
/// @see Parallel
template <class... L>
struct ParallelOf : detail::PartsOf<L...> {
    /// @cond internal
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
    /// @endcond
};

/// A layer that returns its input, for a branch around others.
///
/// @par Shape
/// Output: the shape of the input.
///
/// @par Example
/// @code
/// struct Skipping : Network<Input(8) + Add(Dense(8, relu), Identity()) + Dense(3) + SoftmaxCE()> {};
/// @endcode
///
/// @see Residual, skip
struct Identity : Layer, detail::Combinator {
    /// @cond internal
    constexpr void trace(Context&, detail::Flow&) const {}
    constexpr void each_loss(auto) const {}
    /// @endcond
};
/// An object of `Identity`: `Add(Dense(8), skip)`.
///
/// @see Identity
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

/// Gives one value to several branches. The results flow on side by side.
///
/// @param branches  at least two layers or expressions
/// @return a part of an expression that returns one value for each branch. Join the values by a layer such as `Add()`.
///
/// @par Example
/// @code
/// struct Wide : Network<Input(8) + Fork(Dense(4, relu), Dense(4, tanh)) + Concatenate() + Dense(3) + SoftmaxCE()> {};
/// @endcode
///
/// @see Parallel, Concatenate
template <detail::Operand... L>
constexpr auto Fork(const L&... branches) {
    return detail::branches_of<ForkOf>(branches...);
}
/// Gives the first value to the first branch, the second value to the second branch, and so on.
///
/// @param branches  one layer or expression for each value that flows in, at least two
/// @return a part of an expression that returns one value for each branch
///
/// @par Example
/// @code
/// struct Both : Network<(Input(8) & Input(3)) + Parallel(Dense(4), Dense(4)) + Add() + Dense(2) + SoftmaxCE()> {};
/// @endcode
///
/// @see Fork
template <detail::Operand... L>
constexpr auto Parallel(const L&... branches) {
    return detail::branches_of<ParallelOf>(branches...);
}

/// Adds the values that flow side by side.
///
/// @return a layer
///
/// @par Shape
/// Input: at least two values of one shape. Output: the same shape.
///
/// @par Example
/// @code
/// struct Sum : Network<Input(8) + Fork(Dense(4), Dense(4)) + Add() + Dense(2) + SoftmaxCE()> {};
/// @endcode
constexpr auto Add() { return detail::AddJoin{}; }
/// Adds the results of branches: `Add(a, b)` computes a(x) + b(x).
///
/// @param branches  at least two layers or expressions with outputs of one shape
/// @return a part of an expression
///
/// @par Example
/// @code
/// struct Sum : Network<Input(8) + Add(Dense(4), Dense(4, tanh)) + Dense(2) + SoftmaxCE()> {};
/// @endcode
///
/// @see Residual
template <detail::Operand... L>
    requires(sizeof...(L) > 0)
constexpr auto Add(const L&... branches) {
    return detail::fork_and_join(detail::AddJoin{}, branches...);
}
/// Averages the values that flow side by side. They must have one shape.
/// @return a layer
/// @see Add
constexpr auto Average() { return detail::AverageJoin{}; }
/// Averages the results of branches: `Average(a, b)` computes (a(x) + b(x)) / 2.
/// @param branches  at least two layers or expressions with outputs of one shape
/// @return a part of an expression
/// @see Add
template <detail::Operand... L>
    requires(sizeof...(L) > 0)
constexpr auto Average(const L&... branches) {
    return detail::fork_and_join(detail::AverageJoin{}, branches...);
}
/// Multiplies the values that flow side by side, element by element.
///
/// @return a layer
///
/// @par Shape
/// Input: at least two values with the same number of axes. An extent of 1 is repeated: a gate for each channel,
/// (batch, c, 1, 1), fits (batch, c, y, x).
///
/// @see Add
constexpr auto Multiply() { return detail::MultiplyJoin{}; }
/// Multiplies the results of branches, element by element: `Multiply(a, b)` computes a(x) ∘ b(x).
///
/// @param branches  at least two layers or expressions. Shapes as for `Multiply()`.
/// @return a part of an expression
///
/// @par Example
/// @code
/// struct Gated : Network<Input(8) + Multiply(Dense(4), Dense(4, sigmoid)) + Dense(2) + SoftmaxCE()> {};
/// @endcode
template <detail::Operand... L>
    requires(sizeof...(L) > 0)
constexpr auto Multiply(const L&... branches) {
    return detail::fork_and_join(detail::MultiplyJoin{}, branches...);
}
/// Concatenates the values that flow side by side.
///
/// @param along  axis along which the values are concatenated. 0 is the batch and not allowed. Default: the last axis.
/// @return a layer
///
/// @par Shape
/// Input: at least two values with equal extents, except along this axis.
///
/// @see Fork
constexpr auto Concatenate(Axis along = axis(-1)) { return detail::ConcatenateJoin(along); }
/// Concatenates the results of branches along an axis: `Concatenate(axis(1), a, b)`.
/// @param along     axis along which the results are concatenated. 0 is the batch and not allowed.
/// @param branches  at least two layers or expressions
/// @return a part of an expression
/// @see Fork
template <detail::Operand... L>
    requires(sizeof...(L) > 0)
constexpr auto Concatenate(Axis along, const L&... branches) {
    return detail::fork_and_join(detail::ConcatenateJoin(along), branches...);
}
/// Concatenates the results of branches along the last axis: `Concatenate(a, b)`.
///
/// @param first     the first layer or expression
/// @param branches  further layers or expressions
/// @return a part of an expression
///
/// @par Example
/// @code
/// struct Wide : Network<Input(8) + Concatenate(Dense(4), Dense(6)) + Dense(2) + SoftmaxCE()> {};  // 10 features
/// @endcode
template <detail::Operand A, detail::Operand... L>
    requires(!std::is_same_v<A, Axis>)
constexpr auto Concatenate(const A& first, const L&... branches) {
    return detail::fork_and_join(detail::ConcatenateJoin(axis(-1)), first, branches...);
}

/// Adds the input of a block to its output: `Residual(block)` computes block(x) + x (He et al. 2016).
///
/// If the block changes the shape, add a projection instead: `Add(block, projection)`.
///
/// @param block  a layer or expression with an output of the shape of its input
/// @return a part of an expression
///
/// @par Example
/// @code
/// struct Deep : Network<Input(8) + 4 * Residual(Dense(8, relu) + Dense(8)) + Dense(2) + SoftmaxCE()> {};
/// @endcode
template <detail::Operand L>
constexpr auto Residual(const L& block) {
    return Add(block, Identity{});
}

}  // namespace sigma
