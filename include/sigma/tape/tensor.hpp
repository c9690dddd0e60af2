// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Tensors and their elementwise functions, comparisons and reductions: Tensor, where, sum, mean, max, min, argmax.
/// Included by `<sigma/sigma.hpp>`.
#include <sigma/tape/refusal.hpp>
#include <sigma/tape/variable.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

// Functions of tensors are the same at compile time and at run time. Each checks shapes; refusal.hpp explains the
// errors.
namespace sigma {

struct use_slice_x_axis_first_end;
// x[0] in a formula
template <class>
struct error_tensor_has_no_elements;

/// A value in a formula of a layer, a loss or a function. Its shape is known, its elements are not.
///
/// Functions of tensors record operations; they run when the network or the function does. Arithmetic broadcasts as in
/// NumPy. Use `where(x > 0.0, a, b)` instead of `if`, and `slice` instead of an index.
///
/// @par Example
/// @code
/// const auto softened = evaluate([](Tensor x) { return x / (1.0 + abs(x)); });
/// @endcode
///
/// @see Layer, evaluate, gradient, docs/tensor-language.md
struct Tensor {
    /// @cond internal
    Variable variable{};
    /// @endcond

    /// Returns the shape. An extent `batch` stands for the number of records.

    constexpr Shape shape() const { return variable.shape(); }
    /// Reports a mistake, and returns a stand-in for the result.
    ///
    /// In a compile-time network the program does not compile.
    /// @param fault  the mistake: a `constexpr Fault`. The compiler's message contains its name.
    /// @param first   labelled value that explains the mistake. Default: none.
    /// @param second  further value
    /// @param third   further value
    /// @param fourth  further value
    /// @return this tensor
    /// @throws MistakeError  in a run-time network
    /// @par Example
    /// @code{.txt}
    /// if (units < 1) return x.refused(error_Mine_units_must_be_positive, {units_given, units});
    /// @endcode
    constexpr Tensor refused(const Fault& fault, const Given& first = {}, const Given& second = {},
                             const Given& third = {}, const Given& fourth = {}) const {
        detail::refuse(*variable.tape, fault, first, second, third, fourth);
        return *this;
    }
    /// @cond internal
    /// Returns the trace that records this tensor.
    constexpr detail::Trace& trace() const { return static_cast<detail::Trace&>(*variable.tape->tracer); }

    // x[0]: a tensor has no elements yet.
    template <class Index>
    error_tensor_has_no_elements<use_slice_x_axis_first_end> operator[](const Index&) const;
    // `if (x > 0.0)`: a tensor has no numbers yet. A type's name cannot report a conversion, so an attribute does.
    __attribute__((unavailable("error_tensor_is_no_condition, write where(x > 0.0, a, b)"))) explicit constexpr
    operator bool() const;
    /// @endcond
};

namespace detail {

/// The number of tensors that a function returns: one, a std::tuple or a std::array of them. 0 for any other type.
template <class R>
inline constexpr std::size_t tensors_in = 0;
template <>
inline constexpr std::size_t tensors_in<Tensor> = 1;
template <class... R>
inline constexpr std::size_t tensors_in<std::tuple<R...>> = (std::is_same_v<R, Tensor> && ...) ? sizeof...(R) : 0;
template <std::size_t n>
inline constexpr std::size_t tensors_in<std::array<Tensor, n>> = n;

template <class R>
constexpr void each_tensor(const R& results, auto f) {
    if constexpr (std::is_same_v<R, Tensor>) f(results);
    else std::apply([&](const auto&... each) { (f(each), ...); }, results);
}

/// A function over tensors. A captureless one is held by its type, so that it can be part of a constant.
template <class F>
struct Held {
    F function;
    constexpr explicit Held(const F& f) : function(f) {}
    constexpr const F& get() const { return function; }
};
template <class F>
    requires(std::is_empty_v<F> && std::is_default_constructible_v<F>)
struct Held<F> {
    constexpr explicit Held(const F&) {}
    constexpr F get() const { return {}; }
};

}  // namespace detail

/// An axis of a tensor.
///
/// @see axis
struct Axis {
    int number;  ///< Number of the axis, from 0. Negative numbers count from the end: -1 is the last axis.

    /// Constructs an axis.
    /// @param number_  number of the axis, from 0; negative numbers count from the end
    constexpr explicit Axis(int number_) : number(number_) {}
    /// @cond internal
    // softmax(x, 1). A type's name cannot report a conversion, so an attribute does.
    template <std::same_as<int> Number>
    __attribute__((unavailable("error_axis_is_no_number, write axis(1)"))) constexpr Axis(Number);
    /// @endcond
};
/// Several axes of a tensor.
///
/// @see axes
struct Axes {
    int count = 0;                   ///< Number of axes.
    int number[detail::max_rank]{};  ///< Numbers of the axes; negative ones count from the end.

    /// Constructs no axes.
    constexpr Axes() = default;
    /// Constructs one axis.
    /// @param axis  the axis
    constexpr Axes(Axis axis) : count(1), number{axis.number} {}
    /// @cond internal
    template <std::same_as<int> Number>
    __attribute__((unavailable("error_axis_is_no_number, write axis(1)"))) constexpr Axes(Number);
    /// @endcond
    /// Adds an axis.
    /// @param axis  number of the axis
    constexpr void add(int axis) { number[count++] = axis; }
};
/// Returns an axis, as an argument of functions such as `sum` and `softmax`.
/// @param number  number of the axis, from 0; negative numbers count from the end
/// @return the axis
///
/// @par Example
/// @code
/// const auto per_record = [](Tensor x) { return sum(x, axis(-1)); };  // (batch, n) -> (batch)
/// @endcode
///
/// @see axes
constexpr Axis axis(int number) { return Axis(number); }
/// Returns several axes, as an argument of functions such as `sum` and `mean`.
/// @param numbers  numbers of the axes, from 0; negative numbers count from the end
/// @return the axes
///
/// @par Example
/// @code
/// const auto per_channel = [](Tensor images) { return mean(images, axes(1, 2)); };  // (batch, h, w, c) -> (batch, c)
/// @endcode
///
/// @see axis
constexpr Axes axes(auto... numbers) {
    Axes all;
    (all.add(numbers), ...);
    return all;
}
namespace detail {

/// The option of reductions that keeps their axes with extent 1, see `keep`.
struct Keep {
    bool kept = false;
};

}  // namespace detail

/// Makes a reduction keep its axes with extent 1. Without it, the axes are removed.
///
/// @par Example
/// @code
/// const auto centred = [](Tensor x) { return x - mean(x, axis(1), keep); };
/// @endcode
///
/// @see sum, mean
inline constexpr detail::Keep keep{true};

// clang-format off: a table
inline constexpr Given::Label shape_of_x{"shape of x"}, shape_of_y{"shape of y"}, condition_is{"shape of the condition"},
    axis_given{"axis"}, axes_are{"axes"}, columns_of_x{"columns of x"}, rows_of_w{"rows of w"},
    wanted_is{"wanted shape"};
inline constexpr Fault
    error_shapes_do_not_broadcast{"shapes do not broadcast"},
    error_where_shapes_do_not_broadcast{"where: shapes do not broadcast"},
    error_axis_out_of_range{"the axis does not exist"};
// clang-format on

namespace detail {

/// A tensor and the line of its use: an operand is converted there.
struct At : Tensor {
    int line;
    const char* file;
    constexpr At(Tensor t, int l = __builtin_LINE(), const char* f = __builtin_FILE()) : Tensor(t), line(l), file(f) {}

    constexpr Tensor refused(const Fault& fault, const Given& a = {}, const Given& b = {}, const Given& c = {},
                             const Given& d = {}) const {
        // Lines of the library are of no use to a user.
        const bool own = std::string_view(file).find("include/sigma/") != std::string_view::npos;
        refuse(*variable.tape, fault, a, b, c, d, own ? 0 : line);
        return *this;
    }
};

constexpr int normal_axis(int axis, int rank) { return axis < 0 ? axis + rank : axis; }
constexpr bool valid_axis(int axis, int rank) { return axis >= -rank && axis < rank; }

constexpr Tensor constant_beside(Tensor x, double k) { return {constant(x.variable.tape, k)}; }
/// Returns a stand-in of the intended shape after a mistake, so that the rest of the formula can be checked.
constexpr Tensor standing_in(Tensor x, const Shape& s) {
    return {{x.variable.tape, x.variable.tape->leaf(Operation::input, s)}};
}
/// Returns the shape on the tape. The reference becomes invalid when the tape grows.
constexpr const Shape& place(Tensor x) { return x.variable.node().shape; }
/// Returns whether shapes broadcast by NumPy's rule, without copies, which constant evaluation pays for.
constexpr bool broadcasts(const Shape& a, const Shape& b) {
    const int n = a.rank < b.rank ? a.rank : b.rank;
    for (int i = 1; i <= n; ++i) {
        const int x = a.extent[a.rank - i], y = b.extent[b.rank - i];
        if (x != y && x != 1 && y != 1) return false;
    }
    return true;
}
constexpr bool fits(At x, Tensor y) {
    if (broadcasts(place(x), place(y))) return true;
    x.refused(error_shapes_do_not_broadcast, {shape_of_x, x.shape()}, {shape_of_y, y.shape()});
    return false;
}
constexpr bool has(At x, const Axes& over) {
    const int rank = place(x).rank;
    for (int i = 0; i < over.count; ++i)
        if (!valid_axis(over.number[i], rank)) {
            x.refused(error_axis_out_of_range, {axis_given, over.number[i]}, {shape_of_x, x.shape()});
            return false;
        }
    return true;
}
constexpr Shape reduced(const Shape& s, const Axes& over) {
    Shape r = s;
    for (int i = 0; i < over.count; ++i) r.extent[normal_axis(over.number[i], s.rank)] = 1;
    return r;
}
constexpr Shape dropped(const Shape& s, const Axes& over) {
    bool gone[max_rank]{};
    for (int i = 0; i < over.count; ++i) gone[normal_axis(over.number[i], s.rank)] = true;
    Shape r;
    for (int i = 0; i < s.rank; ++i)
        if (!gone[i]) r.extent[r.rank++] = s[i];
    return r;
}
constexpr Shape all_ones(const Shape& s) { return Shape{}.aligned(s.rank); }

}  // namespace detail

// ---- one and two operands, NumPy broadcasting, and all functions that the table of operations makes ----

// clang-format off
#define SIGMA_binary(F)                                                                                              \
    constexpr Tensor F(detail::At x, Tensor y) {                                                                     \
        return detail::fits(x, y) ? Tensor{F(x.variable, y.variable)} : Tensor(x);                                   \
    }                                                                                                                \
    constexpr Tensor F(Tensor x, double k) { return {F(x.variable, constant(x.variable.tape, k))}; }                 \
    constexpr Tensor F(double k, Tensor x) { return {F(constant(x.variable.tape, k), x.variable)}; }
#define SIGMA_unary(F) constexpr Tensor F(Tensor x) { return {F(x.variable)}; }
SIGMA_binary(operator+) SIGMA_binary(operator-) SIGMA_binary(operator*) SIGMA_binary(operator/)
SIGMA_binary(pow) SIGMA_binary(max) SIGMA_binary(min)
SIGMA_binary(less) SIGMA_binary(less_equal) SIGMA_binary(equal)
SIGMA_unary(operator-) SIGMA_unary(abs)
#define SIGMA_row_unary(name) SIGMA_unary(name)
#define SIGMA_row_flat(name) SIGMA_unary(name)
#define SIGMA_row_binary(name) SIGMA_binary(name)
#define SIGMA_FUNCTION(name, kind, ...) SIGMA_row_##kind(name)
SIGMA_OPERATIONS(SIGMA_NO_ROW, SIGMA_NO_ROW, SIGMA_FUNCTION)
#undef SIGMA_FUNCTION
#undef SIGMA_row_binary
#undef SIGMA_row_flat
#undef SIGMA_row_unary
#undef SIGMA_unary
#undef SIGMA_binary

// Comparisons are 1 if they hold, else 0. No gradient passes through them.
#define SIGMA_COMPARISON(OPERATOR, F, X, Y)                                 \
    constexpr Tensor OPERATOR(detail::At x, detail::At y) { return F(X, Y); } \
    constexpr Tensor OPERATOR(Tensor x, double y) { return F(X, Y); }       \
    constexpr Tensor OPERATOR(double x, Tensor y) { return F(X, Y); }
SIGMA_COMPARISON(operator<, less, x, y)
SIGMA_COMPARISON(operator>, less, y, x)
SIGMA_COMPARISON(operator<=, less_equal, x, y)
SIGMA_COMPARISON(operator>=, less_equal, y, x)
#undef SIGMA_COMPARISON
    // clang-format on

    /// Returns 1 for each pair of different elements, else 0. Operands broadcast. No gradient passes.
    /// @param x  a tensor
    /// @param y  a tensor that broadcasts with `x`
    /// @return a tensor of the broadcast shape
    ///
    /// @see equal
    constexpr Tensor not_equal(detail::At x, Tensor y) {
    return 1.0 - equal(x, y);
}

/// Returns the elements of x where the condition is not 0, and those of y elsewhere. All operands broadcast.
///
/// Elements that are not chosen get a gradient of 0.
/// @param condition  a tensor, such as `x > 0.0`
/// @param x  a tensor or a number
/// @param y  a tensor or a number
/// @return a tensor of the broadcast shape
///
/// @par Example
/// @code
/// const auto rectified = [](Tensor x) { return where(x > 0.0, x, 0.01 * x); };
/// @endcode
///
/// @see max, min, equal
constexpr Tensor where(detail::At condition, Tensor x, Tensor y) {
    const Shape c = condition.shape(), a = x.shape(), b = y.shape();
    if (!detail::broadcasts(c, a) || !detail::broadcasts(a, b) || !detail::broadcasts(c, b))
        return condition.refused(error_where_shapes_do_not_broadcast, {condition_is, c}, {shape_of_x, a},
                                 {shape_of_y, b});
    const Shape s = detail::broadcast(c, detail::broadcast(a, b));
    return {detail::expand(where(condition.variable, x.variable, y.variable), s)};
}
/// @copydoc where(detail::At, Tensor, Tensor)
constexpr Tensor where(detail::At condition, Tensor x, double y) {
    return where(condition, x, detail::constant_beside(x, y));
}
/// @copydoc where(detail::At, Tensor, Tensor)
constexpr Tensor where(detail::At condition, double x, Tensor y) {
    return where(condition, detail::constant_beside(y, x), y);
}
/// @copydoc where(detail::At, Tensor, Tensor)
constexpr Tensor where(detail::At condition, double x, double y) {
    const Tensor first = detail::constant_beside(condition, x);  // a statement: operands have no order of evaluation
    return where(condition, first, detail::constant_beside(condition, y));
}

// ---- reductions over any set of axes ----

namespace detail {

constexpr Tensor reduced(Operation operation, At x, const Axes& over, Keep k) {
    if (!has(x, over)) return x;
    const Variable r = reduce(operation, x.variable, reduced(x.shape(), over));
    return {k.kept ? r : sigma::reshape(r, dropped(x.shape(), over))};
}
constexpr Tensor reduced(Operation operation, Tensor x) {
    return {sigma::reshape(reduce(operation, x.variable, all_ones(x.shape())), Shape{})};
}

}  // namespace detail

/// Returns the sums over some axes.
/// @param x  a tensor
/// @param over  `axis(number)` or `axes(numbers…)`
/// @param kept  `keep` to keep these axes with extent 1. Default: they are removed.
/// @return a tensor without these axes, or with extent 1 there
///
/// @par Example
/// @code
/// const auto squares = [](Tensor x) { return sum(square(x), axis(1)); };
/// @endcode
///
/// @see mean, cumsum, keep
constexpr Tensor sum(detail::At x, const Axes& over, detail::Keep kept = {}) {
    return detail::reduced(detail::Operation::sum, x, over, kept);
}
/// Returns the sum of all elements.
/// @param x  a tensor
/// @return a scalar tensor
///
/// @see mean
constexpr Tensor sum(Tensor x) { return detail::reduced(detail::Operation::sum, x); }
/// Returns the greatest elements along some axes. NaN if any element is.
/// @param x  a tensor
/// @param over  `axis(number)` or `axes(numbers…)`
/// @param kept  `keep` to keep these axes with extent 1. Default: they are removed.
/// @return a tensor without these axes, or with extent 1 there
///
/// @par Example
/// @code
/// const auto greatest = [](Tensor x) { return max(x, axis(-1)); };
/// @endcode
///
/// @see min, argmax, top_k, keep
constexpr Tensor max(detail::At x, const Axes& over, detail::Keep kept = {}) {
    return detail::reduced(detail::Operation::reduce_maximum, x, over, kept);
}
/// Returns the greatest of all elements. NaN if any element is.
/// @param x  a tensor
/// @return a scalar tensor
///
/// @see min
constexpr Tensor max(Tensor x) { return detail::reduced(detail::Operation::reduce_maximum, x); }
/// Returns the least elements along some axes. NaN if any element is.
/// @param x  a tensor
/// @param over  `axis(number)` or `axes(numbers…)`
/// @param kept  `keep` to keep these axes with extent 1. Default: they are removed.
/// @return a tensor without these axes, or with extent 1 there
///
/// @par Example
/// @code
/// const auto least = [](Tensor x) { return min(x, axis(-1)); };
/// @endcode
///
/// @see max, argmin, keep
constexpr Tensor min(detail::At x, const Axes& over, detail::Keep kept = {}) {
    return detail::reduced(detail::Operation::reduce_minimum, x, over, kept);
}
/// Returns the least of all elements. NaN if any element is.
/// @param x  a tensor
/// @return a scalar tensor
///
/// @see max
constexpr Tensor min(Tensor x) { return detail::reduced(detail::Operation::reduce_minimum, x); }

namespace detail {

/// Returns `total` divided by the number of elements of `from` in each sum of `to`.
constexpr Variable averaged(const Shape& from, const Shape& to, Variable total) {
    const double ratio = static_cast<double>(to.count()) / static_cast<double>(from.count());
    if (from.batched() && !to.batched()) total = total * reciprocal_batch(total.tape);
    return ratio * total;
}
constexpr Tensor averaged(const Shape& from, Tensor total) { return {averaged(from, total.shape(), total.variable)}; }

}  // namespace detail

/// Returns the means over some axes.
/// @param x  a tensor
/// @param over  `axis(number)` or `axes(numbers…)`
/// @param kept  `keep` to keep these axes with extent 1. Default: they are removed.
/// @return a tensor without these axes, or with extent 1 there
///
/// @par Example
/// @code
/// const auto centred = [](Tensor x) { return x - mean(x, axis(1), keep); };
/// @endcode
///
/// @see sum, variance, keep
constexpr Tensor mean(detail::At x, const Axes& over, detail::Keep kept = {}) {
    return detail::averaged(x.shape(), sum(x, over, kept));
}
/// Returns the mean of all elements.
/// @param x  a tensor
/// @return a scalar tensor
///
/// @see sum, variance
constexpr Tensor mean(Tensor x) { return detail::averaged(x.shape(), sum(x)); }

/// Returns the position of the greatest element along one axis, the first of equal ones. A NaN wins. No gradient
/// passes.
/// @param x  a tensor
/// @param along  the axis. Default: the last.
/// @return a tensor of numbers from 0, without this axis
///
/// @par Example
/// @code
/// const auto predicted_class = [](Tensor scores) { return argmax(scores); };
/// @endcode
///
/// @see argmin, max, top_k
constexpr Tensor argmax(detail::At x, Axis along = axis(-1)) {
    if (!detail::has(x, along)) return x;
    const Shape s = x.shape();
    const int at = detail::normal_axis(along.number, s.rank);
    return {sigma::reshape(argmax(x.variable, at), s.without(at))};
}
/// Returns the position of the least element along one axis, the first of equal ones. A NaN wins. No gradient passes.
/// @param x  a tensor
/// @param along  the axis. Default: the last.
/// @return a tensor of numbers from 0, without this axis
///
/// @see argmax, min
constexpr Tensor argmin(detail::At x, Axis along = axis(-1)) {
    return detail::has(x, along) ? argmax(-x, along) : Tensor(x);
}

}  // namespace sigma
