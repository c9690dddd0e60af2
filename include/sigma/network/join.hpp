// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/grammar.hpp>

/// Layers that make one value of several. Written with branches, `Add(a, b)`, they fork first; see `branches.hpp`.
namespace sigma::detail {

/// The first two values that a join's rule does not let stand side by side.
template <class Rule, Shape A>
consteval auto misfit() {
    return Mistake<>{};
}
template <class Rule, Shape A, Shape B, Shape... More>
consteval auto misfit() {
    if constexpr (!Rule::fits(A, B))
        return Mistake<
            typename Rule::template Misfit<typename Spelled<A, A.rank>::type, typename Spelled<B, B.rank>::type>>{};
    else return misfit<Rule, Rule::joined(A, B), More...>();
}
/// What joins have in common, by the rule of two values: `fits(a, b)`, the shape `joined(a, b)`, and the name of the
/// mistake, `Misfit<a, b>`.
template <class Rule>
struct Join : Layer {
    template <Shape... S>
    static constexpr auto check_input(auto) {
        if constexpr (sizeof...(S) < 2) return Mistake<error_join_needs_at_least_two_values<layer_is<Rule>>>{};
        else return misfit<Rule, S...>();
    }
    static constexpr bool fits(const Shape& a, const Shape& b) { return a == b; }
    static constexpr Shape joined(const Shape& a, const Shape&) { return a; }
};

/// Sum of values of one shape.
struct AddJoin : detail::Join<AddJoin> {
    static constexpr Text kind = "add";

    template <class A, class B>
    using Misfit = error_Add_branches_do_not_fit<A, B>;

    static constexpr auto forward(auto, Context&, auto... x) { return (x + ...); }
};
/// Mean of values of one shape.
struct AverageJoin : detail::Join<AverageJoin> {
    static constexpr Text kind = "average";

    template <class A, class B>
    using Misfit = error_Average_branches_do_not_fit<A, B>;

    static constexpr auto forward(auto, Context&, auto... x) {
        return (1.0 / static_cast<double>(sizeof...(x))) * (x + ...);
    }
};
/// Product element by element. Extents of 1 stand for any, as long as there are as many axes: a gate for each channel,
/// (batch, c, 1, 1), goes with (batch, c, y, x).
struct MultiplyJoin : detail::Join<MultiplyJoin> {
    static constexpr Text kind = "multiply";

    static constexpr bool fits(const Shape& a, const Shape& b) { return a.rank == b.rank && broadcastable(a, b); }
    static constexpr Shape joined(const Shape& a, const Shape& b) { return broadcast(a, b); }
    template <class A, class B>
    using Misfit = error_Multiply_branches_do_not_fit<A, B>;

    static constexpr auto forward(auto, Context&, auto... x) { return (x * ...); }
};
/// Values side by side along one axis, never that of the batch; all others must agree.
template <int number = -1>
struct ConcatenateJoin : detail::Join<ConcatenateJoin<number>> {
    static constexpr Text kind = "concatenate";

    static constexpr bool fits(const Shape& a, const Shape& b) { return detail::concatenable(a, b, number); }
    static constexpr Shape joined(const Shape& a, const Shape& b) {
        const int at = detail::normal_axis(number, a.rank);
        return a.with(at, a[at] + b[at]);
    }
    template <class A, class B>
    using Misfit = error_Concatenate_branches_do_not_fit<axis_given<number>, A, B>;

    static constexpr auto forward(auto, Context&, auto... x) { return concatenate<number>(x...); }
};

}  // namespace sigma::detail
