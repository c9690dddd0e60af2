// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/grammar.hpp>

/// Layers that make one value of several. Written with branches, `Add(a, b)`, they fork first; see `branches.hpp`.
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
