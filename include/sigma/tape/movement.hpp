// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/tensor.hpp>

/// Tensor language, second part: what moves elements, and matrix products.
namespace sigma {

// ---- reshape ----

/// The same elements under another shape: `reshape<batch, 4, 7>(x)`.
template <int... extents, Shape A>
    requires(Shape{extents...}.count() == A.count() && Shape{extents...}.batched() == A.batched())
constexpr auto reshape(Tensor<A> x) {
    return detail::tensor<Shape{extents...}>(reshape(x.variable, Shape{extents...}));
}
template <int... extents, Shape A>
constexpr error_reshape_changes_the_number_of_elements<spelled<A>, shape<extents...>> reshape(Tensor<A>);

/// One record, one row: (batch, a, b, …) becomes (batch, a·b·…).
template <Shape A>
    requires(A.rank >= 2)
constexpr auto flatten(Tensor<A> x) {
    constexpr int columns = static_cast<int>(A.count() / (A[0] < 0 ? -A[0] : A[0]));
    return detail::tensor<Shape{A[0], columns}>(reshape(x.variable, Shape{A[0], columns}));
}

// ---- permute ----

namespace detail {
template <int... order>
constexpr bool each_axis_once(int rank) {
    bool seen[max_rank]{};
    bool good = static_cast<int>(sizeof...(order)) == rank;
    ((good = good && order >= 0 && order < rank && !seen[order < 0 || order >= max_rank ? 0 : order],
      seen[order < 0 || order >= max_rank ? 0 : order] = true),
     ...);
    return good;
}
template <int... order>
constexpr std::uint64_t packed_order() {
    std::uint64_t packed = 0;
    int i = 0;
    ((packed |= static_cast<std::uint64_t>(order) << (4 * i++)), ...);
    return packed;
}
constexpr Shape permuted(const Shape& s, std::uint64_t order) {
    Shape r = s;
    for (int i = 0; i < s.rank; ++i) r.extent[i] = s[static_cast<int>(order >> (4 * i) & 15)];
    return r;
}
constexpr std::uint64_t reversed_order(int rank) {
    std::uint64_t packed = 0;
    for (int i = 0; i < rank; ++i) packed |= static_cast<std::uint64_t>(rank - 1 - i) << (4 * i);
    return packed;
}
}  // namespace detail

/// Axis `i` of the result is axis `order[i]` of `x`.
template <int... order, Shape A>
    requires(detail::each_axis_once<order...>(A.rank))
constexpr auto permute(Tensor<A> x) {
    constexpr std::uint64_t packed = detail::packed_order<order...>();
    return detail::tensor<detail::permuted(A, packed)>(permute(x.variable, packed));
}
template <int... order, Shape A>
constexpr error_permute_needs_each_axis_once<axes_given<order...>, spelled<A>> permute(Tensor<A>);
/// All axes reversed, as in NumPy.
template <Shape A>
constexpr auto transpose(Tensor<A> x) {
    constexpr std::uint64_t packed = detail::reversed_order(A.rank);
    return detail::tensor<detail::permuted(A, packed)>(permute(x.variable, packed));
}

// ---- slice and concatenate ----

/// Elements first … end-1 along one axis: `slice<1, 0, 10>(x)`.
template <int number, int first, int end, Shape A>
    requires(detail::valid_axis(number, A.rank) && first >= 0 && first < end &&
             end <= A[detail::normal_axis(number, A.rank)])
constexpr auto slice(Tensor<A> x) {
    constexpr int at = detail::normal_axis(number, A.rank);
    return detail::tensor<A.with(at, end - first)>(slice(x.variable, at, first, end - first));
}
template <int number, int first, int end, Shape A>
constexpr error_slice_out_of_range<axis_given<number>, first_index<first>, end_index<end>, spelled<A>> slice(Tensor<A>);

namespace detail {
constexpr bool concatenable(const Shape& a, const Shape& b, int number) {
    if (a.rank != b.rank || !valid_axis(number, a.rank)) return false;
    const int at = normal_axis(number, a.rank);
    if (a[at] < 0 || b[at] < 0) return false;
    return a.with(at, 1) == b.with(at, 1);
}
}  // namespace detail

/// Joins along one axis: `concatenate<1>(x, y, z)`.
template <int number, Shape A, Shape B>
    requires(detail::concatenable(A, B, number))
constexpr auto concatenate(Tensor<A> x, Tensor<B> y) {
    constexpr int at = detail::normal_axis(number, A.rank);
    return detail::tensor<A.with(at, A[at] + B[at])>(concatenate(x.variable, y.variable, at));
}
template <int number, Shape A, Shape B>
constexpr error_concatenate_shapes_differ_outside_the_axis<axis_given<number>, spelled<A>, spelled<B>> concatenate(
    Tensor<A>, Tensor<B>);
template <int number, Shape A, Shape B, class... More>
    requires(sizeof...(More) > 0)
constexpr auto concatenate(Tensor<A> x, Tensor<B> y, More... more) {
    return concatenate<number>(concatenate<number>(x, y), more...);
}

/// `x` repeated over the axes that it lacks or has with extent 1.
template <int... extents, Shape A>
    requires(detail::broadcastable(A, Shape{extents...}) &&
             detail::broadcast(A, Shape{extents...}) == Shape{extents...})
constexpr auto broadcast_to(Tensor<A> x) {
    return detail::tensor<Shape{extents...}>(detail::expand(x.variable, Shape{extents...}));
}
template <int... extents, Shape A>
constexpr error_shapes_do_not_broadcast<spelled<A>, shape<extents...>> broadcast_to(Tensor<A>);

/// 0, 1, …, n-1 as a vector on the tape of `x`.
template <int n, Shape A>
constexpr auto iota_beside(Tensor<A> x) {
    return detail::tensor<Shape{n}>(
        Variable{x.variable.tape, x.variable.tape->emit({detail::Operation::iota, -1, -1, -1, Shape{n}})});
}
/// Class numbers of shape (…) as rows of shape (…, classes) that hold 1 at the class and 0 elsewhere.
template <int classes, Shape A>
constexpr auto one_hot(Tensor<A> labels) {
    constexpr Shape column = [] {
        Shape s = A;
        s.extent[s.rank++] = 1;
        return s;
    }();
    const auto numbers = iota_beside<classes>(labels);  // a statement: the order of operands is the compiler's choice
    return equal(detail::tensor<column>(reshape(labels.variable, column)), numbers);
}

// ---- pad ----

/// Beyond the ends of an axis: what stands at the end, or what stands as far before it, which is not repeated itself.
enum class PadMode { edge, reflect };

namespace detail {
constexpr bool paddable(const Shape& s, int number, int before, int after, PadMode mode = PadMode::edge) {
    if (!valid_axis(number, s.rank) || before < 0 || after < 0) return false;
    const int n = s[normal_axis(number, s.rank)];
    return n > 0 && (mode == PadMode::edge || (before < n && after < n));
}
constexpr Variable pad(Variable x, int at, int before, int after, PadMode mode) {
    const int n = x.shape()[at];
    const auto element = [&](int i, int often) { return expand(slice(x, at, i, 1), x.shape().with(at, often)); };
    Variable y = x;
    if (mode == PadMode::edge) {
        if (before > 0) y = concatenate(element(0, before), y, at);
        return after > 0 ? concatenate(y, element(n - 1, after), at) : y;
    }
    for (int i = 1; i <= before; ++i) y = concatenate(element(i, 1), y, at);
    for (int i = 1; i <= after; ++i) y = concatenate(y, element(n - 1 - i, 1), at);
    return y;
}
}  // namespace detail

/// `before` more elements in front of one axis and `after` more behind it, all `value`: pad<1, 2, 0>(x).
template <int number, int before, int after, Shape A>
    requires(detail::paddable(A, number, before, after))
constexpr auto pad(Tensor<A> x, double value = 0) {
    constexpr int at = detail::normal_axis(number, A.rank), n = before + A[at] + after;
    const auto padded = detail::tensor<A.with(at, n)>(pad(x.variable, at, before, n));
    if (value == 0) return padded;
    constexpr Shape axis = detail::all_ones(A).with(at, n);
    const auto numbers = iota_beside<n>(x);
    const auto i = detail::tensor<axis>(reshape(numbers.variable, axis));
    const auto behind = i >= double{before};  // statements: the order of operands is the compiler's choice
    const auto ahead = i < double{before + A[at]};
    return where(behind * ahead, padded, value);
}
template <int number, int before, int after, Shape A>
constexpr error_pad_does_not_fit<axis_given<number>, elements_before<before>, elements_after<after>, spelled<A>> pad(
    Tensor<A>, double = 0);
/// The same with elements of `x`: pad<1, 2, 2, PadMode::edge>(x).
template <int number, int before, int after, PadMode mode, Shape A>
    requires(detail::paddable(A, number, before, after, mode))
constexpr auto pad(Tensor<A> x) {
    constexpr int at = detail::normal_axis(number, A.rank);
    return detail::tensor<A.with(at, before + A[at] + after)>(detail::pad(x.variable, at, before, after, mode));
}
template <int number, int before, int after, PadMode mode, Shape A>
constexpr error_pad_does_not_fit<axis_given<number>, elements_before<before>, elements_after<after>, spelled<A>> pad(
    Tensor<A>);

// ---- matrix product ----

namespace detail {
constexpr int row_axis(const Shape& b) { return b.rank >= 2 ? b.rank - 2 : 0; }
constexpr bool dot_ranks(const Shape& a, const Shape& b) {
    return a.rank >= 1 && b.rank >= 1 && (b.rank <= 2 || (a.rank == b.rank));
}
constexpr bool dot_leading(const Shape& a, const Shape& b) {
    if (b.rank <= 2) return true;
    for (int i = 0; i < a.rank - 2; ++i)
        if (a[i] != b[i]) return false;
    return true;
}
constexpr Shape dot_shape(const Shape& a, const Shape& b) {
    if (a.rank == 1 && b.rank == 1) return {};
    if (b.rank == 1) return a.without(a.rank - 1);
    return a.with(a.rank - 1, b.last());
}
constexpr bool one_batch_axis(const Shape& s) {
    int found = 0;
    for (int i = 0; i < s.rank; ++i) found += s[i] < 0;
    return found <= 1;
}
constexpr Variable dot(Variable x, Variable y) {
    const Shape a = x.shape(), b = y.shape();
    if (a.rank == 1 && b.rank == 1) return reshape(reduce(Operation::sum, x * y, Shape{1}), Shape{});
    const Shape result = dot_shape(a, b);
    if (a.rank == 1) x = reshape(x, Shape{1, a[0]});
    if (b.rank == 1) y = reshape(y, Shape{b[0], 1});
    return reshape(product(Operation::dot, x, y, b.rank > 2), result);
}
}  // namespace detail

/// Matrix product. (…, m, k)·(k, n) -> (…, m, n); with equal leading axes (…, m, k)·(…, k, n) one product each;
/// vectors count as a row on the left and a column on the right, and vanish from the result.
template <Shape A, Shape B>
    requires(detail::dot_ranks(A, B) && A.last() == B[detail::row_axis(B)] && detail::dot_leading(A, B) &&
             detail::one_batch_axis(detail::dot_shape(A, B)))
constexpr auto dot(Tensor<A> x, Tensor<B> y) {
    return detail::tensor<detail::dot_shape(A, B)>(detail::dot(x.variable, y.variable));
}
template <Shape A, Shape B>
    requires(detail::dot_ranks(A, B) && A.last() != B[detail::row_axis(B)])
constexpr error_dot_extents_differ<columns_of_x<A.last()>, rows_of_w<B[detail::row_axis(B)]>> dot(Tensor<A>, Tensor<B>);
template <Shape A, Shape B>
    requires(detail::dot_ranks(A, B) && A.last() == B[detail::row_axis(B)] && !detail::dot_leading(A, B))
constexpr error_dot_leading_axes_differ<spelled<A>, spelled<B>> dot(Tensor<A>, Tensor<B>);
template <Shape A, Shape B>
    requires(detail::dot_ranks(A, B) && A.last() == B[detail::row_axis(B)] && detail::dot_leading(A, B) &&
             !detail::one_batch_axis(detail::dot_shape(A, B)))
constexpr error_dot_result_would_have_two_batch_axes<spelled<A>, spelled<B>> dot(Tensor<A>, Tensor<B>);
template <Shape A, Shape B>
    requires(!detail::dot_ranks(A, B))
constexpr error_dot_needs_a_matrix_or_vector<spelled<A>, spelled<B>> dot(Tensor<A>, Tensor<B>);

}  // namespace sigma
