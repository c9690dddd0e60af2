// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/grammar.hpp>

/// Layers that make one value of several. Written with branches, `Add(a, b)`, they fork first; see `branches.hpp`.
namespace sigma {

namespace detail {

template <class X>
using SpelledOf = typename Spelled<X::shape, X::shape.rank>::type;

/// The first two values that a join's rule does not let stand side by side.
template <class Rule, class X>
consteval auto misfit() {
    return Verdict<>{};
}
template <class Rule, class X, class Y, class... More>
consteval auto misfit() {
    if constexpr (!Rule::fits(X::shape, Y::shape)) return typename Rule::template Misfit<X, Y>{};
    else return misfit<Rule, Tensor<Rule::joined(X::shape, Y::shape)>, More...>();
}
template <class Rule, class... X>
consteval auto check_join() {
    if constexpr (sizeof...(X) < 2) return Verdict<error_join_needs_at_least_two_values<layer_is<Rule>>>{};
    else return misfit<Rule, X...>();
}

}  // namespace detail

/// Sum of values of one shape.
struct AddJoin : Layer {
    static constexpr Text kind = "add";

    static constexpr bool fits(const Shape& a, const Shape& b) { return a == b; }
    static constexpr Shape joined(const Shape& a, const Shape&) { return a; }
    template <class X, class Y>
    using Misfit = Verdict<error_Add_branches_do_not_fit<detail::SpelledOf<X>, detail::SpelledOf<Y>>>;

    static constexpr auto check_inputs(auto, auto... x) { return detail::check_join<AddJoin, decltype(x)...>(); }
    static constexpr auto forward(auto, Context&, auto... x) { return (x + ...); }
};
/// Mean of values of one shape.
struct AverageJoin : Layer {
    static constexpr Text kind = "average";

    static constexpr bool fits(const Shape& a, const Shape& b) { return a == b; }
    static constexpr Shape joined(const Shape& a, const Shape&) { return a; }
    template <class X, class Y>
    using Misfit = Verdict<error_Average_branches_do_not_fit<detail::SpelledOf<X>, detail::SpelledOf<Y>>>;

    static constexpr auto check_inputs(auto, auto... x) { return detail::check_join<AverageJoin, decltype(x)...>(); }
    static constexpr auto forward(auto, Context&, auto... x) {
        return (1.0 / static_cast<double>(sizeof...(x))) * (x + ...);
    }
};
/// Product element by element. Extents of 1 stand for any, as long as there are as many axes: a gate for each channel,
/// (batch, c, 1, 1), goes with (batch, c, y, x).
struct MultiplyJoin : Layer {
    static constexpr Text kind = "multiply";

    static constexpr bool fits(const Shape& a, const Shape& b) { return a.rank == b.rank && broadcastable(a, b); }
    static constexpr Shape joined(const Shape& a, const Shape& b) { return broadcast(a, b); }
    template <class X, class Y>
    using Misfit = Verdict<error_Multiply_branches_do_not_fit<detail::SpelledOf<X>, detail::SpelledOf<Y>>>;

    static constexpr auto check_inputs(auto, auto... x) { return detail::check_join<MultiplyJoin, decltype(x)...>(); }
    static constexpr auto forward(auto, Context&, auto... x) { return (x * ...); }
};
/// Values side by side along one axis, never that of the batch; all others must agree.
template <int number = -1>
struct ConcatenateJoin : Layer {
    static constexpr Text kind = "concatenate";

    static constexpr bool fits(const Shape& a, const Shape& b) { return detail::concatenable(a, b, number); }
    static constexpr Shape joined(const Shape& a, const Shape& b) {
        const int at = detail::normal_axis(number, a.rank);
        return a.with(at, a[at] + b[at]);
    }
    template <class X, class Y>
    using Misfit =
        Verdict<error_Concatenate_branches_do_not_fit<axis_given<number>, detail::SpelledOf<X>, detail::SpelledOf<Y>>>;

    static constexpr auto check_inputs(auto, auto... x) {
        return detail::check_join<ConcatenateJoin, decltype(x)...>();
    }
    static constexpr auto forward(auto, Context&, auto... x) { return concatenate<number>(x...); }
};

}  // namespace sigma
