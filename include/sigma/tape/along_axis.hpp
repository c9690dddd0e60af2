// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/mistake.hpp>
#include <sigma/tape/movement.hpp>

#include <cstdint>
#include <type_traits>

/// Tensor language: what goes along one axis, the last if none is named.
namespace sigma {

// clang-format off: a table
template <int> struct elements_wanted;
template <class, class> struct error_axis_must_not_be_the_batch;
template <class, class, class> struct error_gather_indices_do_not_fit;
template <class, class, class> struct error_top_k_wants_more_than_there_is;
// clang-format on

namespace detail {

/// What is wrong with an axis to go along.
template <int number, Shape A>
constexpr auto wrong_axis() {
    if constexpr (!valid_axis(number, A.rank))
        return Mistake<error_axis_out_of_range<axes_given<number>, spelled<A>>>{};
    else if constexpr (A[normal_axis(number, A.rank)] < 0)
        return Mistake<error_axis_must_not_be_the_batch<axis_given<number>, spelled<A>>>{};
    else return Mistake<>{};
}
template <int number, Shape A>
using AxisMistake = MistakeOf<decltype(wrong_axis<number, A>())>;
template <int number, Shape A>
concept Along = std::is_void_v<AxisMistake<number, A>>;

/// `x` with one axis exchanged with the last, which the same function undoes.
constexpr Variable exchanged(Variable x, int axis) {
    const int last = x.shape().rank - 1;
    std::uint64_t order = 0;
    for (int i = 0; i <= last; ++i)
        order |= static_cast<std::uint64_t>(i == axis ? last : i == last ? axis : i) << (4 * i);
    return permute(x, order);
}
template <int number>
constexpr int axis_number(const Shape& s) {
    return normal_axis(number, s.rank);
}

}  // namespace detail

/// y[i] = a[i]·y[i-1] + b[i] along an axis, y[0] = b[0]: of state space models, of averages that forget. `a`
/// broadcasts.
template <Shape A, Shape B, int number = -1>
    requires(detail::broadcastable(A, B) && detail::broadcast(A, B) == B && detail::Along<number, B>)
constexpr auto linear_recurrence(Tensor<A> a, Tensor<B> b, Axes<number> = {}) {
    constexpr int at = detail::axis_number<number>(B);
    const Variable factors = detail::exchanged(reshape(a.variable, A.aligned(B.rank)), at);
    const Variable terms = detail::exchanged(b.variable, at);
    return detail::tensor<B>(detail::exchanged(linear_recurrence(factors, terms, false), at));
}
template <Shape A, Shape B, int number = -1>
    requires(!(detail::broadcastable(A, B) && detail::broadcast(A, B) == B))
constexpr error_shapes_do_not_broadcast<spelled<A>, spelled<B>> linear_recurrence(Tensor<A>, Tensor<B>,
                                                                                  Axes<number> = {});
template <Shape A, Shape B, int number = -1>
    requires(detail::broadcastable(A, B) && detail::broadcast(A, B) == B && !detail::Along<number, B>)
constexpr detail::AxisMistake<number, B> linear_recurrence(Tensor<A>, Tensor<B>, Axes<number> = {});

/// Which elements a sum holds: `reverse`, from the end on; `exclusive`, not the one at its own position.
struct Cumulative {
    bool exclusive = false, reverse = false;
};

/// Sums of all elements up to each position of an axis: cumsum(x, axis<1>), cumsum<Cumulative{.reverse = true}>(x).
template <Cumulative how = Cumulative{}, Shape A, int number = -1>
    requires detail::Along<number, A>
constexpr auto cumsum(Tensor<A> x, Axes<number> = {}) {
    constexpr int at = detail::axis_number<number>(A), last = A.rank - 1, n = A[at];
    Variable terms = detail::exchanged(x.variable, at);
    if constexpr (how.exclusive && n == 1) terms = detail::delayed(terms);
    else if constexpr (how.exclusive) terms = pad(slice(terms, last, how.reverse, n - 1), last, !how.reverse, n);
    const Variable one = constant(x.variable.tape, 1);
    return detail::tensor<A>(detail::exchanged(linear_recurrence(one, terms, how.reverse), at));
}
template <Cumulative how = Cumulative{}, Shape A, int number = -1>
    requires(!detail::Along<number, A>)
constexpr detail::AxisMistake<number, A> cumsum(Tensor<A>, Axes<number> = {});

/// Products of all elements up to each position of an axis. Zeros have the right gradient too.
template <Shape A, int number = -1>
    requires detail::Along<number, A>
constexpr auto cumprod(Tensor<A> x, Axes<number> = {}) {
    constexpr int at = detail::axis_number<number>(A);
    const Variable factors = detail::exchanged(x.variable, at);
    const auto numbers = iota_beside<A[at]>(x);
    const Variable first = less(numbers.variable, constant(x.variable.tape, 0.5));
    const Variable terms = where(first, factors, constant(x.variable.tape, 0));
    return detail::tensor<A>(detail::exchanged(linear_recurrence(factors, terms, false), at));
}
template <Shape A, int number = -1>
    requires(!detail::Along<number, A>)
constexpr detail::AxisMistake<number, A> cumprod(Tensor<A>, Axes<number> = {});

enum class SortOrder { ascending, descending };

/// The positions that put an axis in order: argsort<SortOrder::descending>(x, axis<0>). What is equal stays in its
/// order; NaN counts as greatest. No gradient.
template <SortOrder order = SortOrder::ascending, Shape A, int number = -1>
    requires detail::Along<number, A>
constexpr auto argsort(Tensor<A> x, Axes<number> = {}) {
    constexpr int at = detail::axis_number<number>(A);
    const Variable sorted = argsort(detail::exchanged(x.variable, at), A[at], order == SortOrder::descending);
    return detail::tensor<A>(detail::exchanged(sorted, at));
}
template <SortOrder order = SortOrder::ascending, Shape A, int number = -1>
    requires(!detail::Along<number, A>)
constexpr detail::AxisMistake<number, A> argsort(Tensor<A>, Axes<number> = {});

/// An axis in that order.
template <SortOrder order = SortOrder::ascending, Shape A, int number = -1>
    requires detail::Along<number, A>
constexpr auto sort(Tensor<A> x, Axes<number> = {}) {
    constexpr int at = detail::axis_number<number>(A);
    const Variable moved = detail::exchanged(x.variable, at);
    const Variable sorted = argsort(moved, A[at], order == SortOrder::descending);
    return detail::tensor<A>(detail::exchanged(detail::gather_along(moved, sorted), at));
}
template <SortOrder order = SortOrder::ascending, Shape A, int number = -1>
    requires(!detail::Along<number, A>)
constexpr detail::AxisMistake<number, A> sort(Tensor<A>, Axes<number> = {});

template <Shape S>
struct TopK {
    Tensor<S> values, indices;
};

/// The k greatest elements of an axis, greatest first, and where they stand: auto [values, indices] = top_k<3>(x).
template <int k, Shape A, int number = -1>
    requires(detail::Along<number, A> && k >= 1 && k <= A[detail::axis_number<number>(A)])
constexpr auto top_k(Tensor<A> x, Axes<number> = {}) {
    constexpr int at = detail::axis_number<number>(A);
    const Variable moved = detail::exchanged(x.variable, at);
    const Variable first = argsort(moved, k, true);
    const Variable values = detail::exchanged(detail::gather_along(moved, first), at);
    return TopK<A.with(at, k)>{{values}, {detail::exchanged(first, at)}};
}
template <int k, Shape A, int number = -1>
    requires(!detail::Along<number, A>)
constexpr detail::AxisMistake<number, A> top_k(Tensor<A>, Axes<number> = {});
template <int k, Shape A, int number = -1>
    requires(detail::Along<number, A> && (k<1 || k> A[detail::axis_number<number>(A)]))
constexpr error_top_k_wants_more_than_there_is<elements_wanted<k>, axis_given<number>, spelled<A>> top_k(
    Tensor<A>, Axes<number> = {});

namespace detail {
template <Shape A, Shape I, int number>
concept Indexes = Along<number, A> && Along<number, I> && A.rank == I.rank &&
                  broadcastable(A.with(axis_number<number>(A), 1), I.with(axis_number<number>(I), 1)) &&
                  one_batch_axis(broadcast(A.with(axis_number<number>(A), I[axis_number<number>(I)]), I));
}  // namespace detail

/// Elements of `x` by their position along one axis: y[…, i, …] = x[…, indices[…, i, …], …]; other axes broadcast.
/// Where there is no such position: NaN.
template <Shape A, Shape I, int number>
    requires detail::Indexes<A, I, number>
constexpr auto gather(Tensor<A> x, Tensor<I> indices, Axes<number>) {
    constexpr int at = detail::axis_number<number>(A);
    constexpr Shape s = detail::broadcast(A.with(at, I[at]), I);
    const Variable from = detail::exchanged(x.variable, at);
    const Variable positions = detail::exchanged(indices.variable, at);
    return detail::tensor<s>(detail::exchanged(detail::gather_along(from, positions), at));
}
template <Shape A, Shape I, int number>
    requires(!detail::Indexes<A, I, number>)
constexpr error_gather_indices_do_not_fit<axis_given<number>, spelled<A>, spelled<I>> gather(Tensor<A>, Tensor<I>,
                                                                                             Axes<number>);

}  // namespace sigma
