// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/refusal.hpp>
#include <sigma/tape/variable.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

/// The tensor language: plain functions over values, the same while a program is compiled and while it runs. Each
/// checks the shapes it is given; see refusal.hpp for what becomes of a mistake.
namespace sigma {

struct write_slice_x_axis_first_end;
/// x[0] in a formula
template <class>
struct error_tensor_has_no_elements;

/// A value of the program that is being traced. Its shape is known, its elements are not.
struct Tensor {
    Variable variable{};

    constexpr Shape shape() const { return variable.shape(); }
    /// Says that something is wrong, with what was given, and stands in for the result:
    /// `if (units < 1) return x.refused(error_Dense_units_must_be_positive, {units_given, units});`
    constexpr Tensor refused(const Fault& fault, const Given& a = {}, const Given& b = {}, const Given& c = {},
                             const Given& d = {}) const {
        detail::refuse(*variable.tape, fault, a, b, c, d);
        return *this;
    }
    /// Who traces.
    constexpr detail::Trace& trace() const { return static_cast<detail::Trace&>(*variable.tape->tracer); }

    /// x[0]: there are no elements yet.
    template <class Index>
    error_tensor_has_no_elements<write_slice_x_axis_first_end> operator[](const Index&) const;
    /// `if (x > 0.0)`: there are no numbers yet. Of a conversion no type can be a name.
    __attribute__((unavailable("error_tensor_is_no_condition, write where(x > 0.0, a, b)"))) explicit constexpr
    operator bool() const;
};

namespace detail {

/// How many tensors a function returns: one, a std::tuple or a std::array of them. 0 of anything else.
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

/// A function over tensors: by its type where it captures nothing, so that it may stand in a constant.
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

/// One axis of a tensor, `axis(0)`; negative ones count from the end.
struct Axis {
    int number;

    constexpr explicit Axis(int n) : number(n) {}
    /// softmax(x, 1). Of a conversion no type can be a name.
    template <std::same_as<int> Number>
    __attribute__((unavailable("error_axis_is_no_number, write axis(1)"))) constexpr Axis(Number);
};
/// Several of them: `sum(x, axis(0))`, `mean(x, axes(1, 2))`.
struct Axes {
    int count = 0;
    int number[detail::max_rank]{};

    constexpr Axes() = default;
    constexpr Axes(Axis a) : count(1), number{a.number} {}
    template <std::same_as<int> Number>
    __attribute__((unavailable("error_axis_is_no_number, write axis(1)"))) constexpr Axes(Number);
    constexpr void add(int axis) { number[count++] = axis; }
};
constexpr Axis axis(int number) { return Axis(number); }
constexpr Axes axes(auto... numbers) {
    Axes all;
    (all.add(numbers), ...);
    return all;
}

namespace detail {

/// `sum(x, axis(1), keep)` leaves extent 1 where it reduces; without it the axes vanish.
struct Keep {
    bool kept = false;
};

}  // namespace detail

inline constexpr detail::Keep keep{true};

// clang-format off: a table
inline constexpr Given::Label shape_of_x{"shape of x"}, shape_of_y{"shape of y"}, condition_is{"shape of the condition"},
    axis_given{"axis"}, axes_are{"axes"}, columns_of_x{"columns of x"}, rows_of_w{"rows of w"},
    wanted_is{"wanted shape"};
inline constexpr Fault
    error_shapes_do_not_broadcast{"shapes do not broadcast"},
    error_where_shapes_do_not_broadcast{"where: shapes do not broadcast"},
    error_axis_out_of_range{"there is no such axis"};
// clang-format on

namespace detail {

/// A tensor and the line where it is handed over: operands are converted there.
struct At : Tensor {
    int line;
    const char* file;
    constexpr At(Tensor t, int l = __builtin_LINE(), const char* f = __builtin_FILE()) : Tensor(t), line(l), file(f) {}

    constexpr Tensor refused(const Fault& fault, const Given& a = {}, const Given& b = {}, const Given& c = {},
                             const Given& d = {}) const {
        // Lines of the library say nothing to a user.
        const bool own = std::string_view(file).find("include/sigma/") != std::string_view::npos;
        refuse(*variable.tape, fault, a, b, c, d, own ? 0 : line);
        return *this;
    }
};

constexpr int normal_axis(int axis, int rank) { return axis < 0 ? axis + rank : axis; }
constexpr bool valid_axis(int axis, int rank) { return axis >= -rank && axis < rank; }

constexpr Tensor constant_beside(Tensor x, double k) { return {constant(x.variable.tape, k)}; }
/// After a mistake: of the shape that was meant, so that the formula can go on.
constexpr Tensor standing_in(Tensor x, const Shape& s) {
    return {{x.variable.tape, x.variable.tape->leaf(Operation::input, s)}};
}
/// The shape where it stands, which moves when the tape grows.
constexpr const Shape& place(Tensor x) { return x.variable.node().shape; }
/// NumPy's rule, without a copy: constant evaluation pays for each.
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

/// Comparisons give 1 where they hold and 0 elsewhere; no gradient passes through them.
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

    constexpr Tensor not_equal(detail::At x, Tensor y) {
    return 1.0 - equal(x, y);
}

/// `x` where the condition is not zero, `y` elsewhere; all three broadcast.
constexpr Tensor where(detail::At condition, Tensor x, Tensor y) {
    const Shape c = condition.shape(), a = x.shape(), b = y.shape();
    if (!detail::broadcasts(c, a) || !detail::broadcasts(a, b) || !detail::broadcasts(c, b))
        return condition.refused(error_where_shapes_do_not_broadcast, {condition_is, c}, {shape_of_x, a},
                                 {shape_of_y, b});
    const Shape s = detail::broadcast(c, detail::broadcast(a, b));
    return {detail::expand(where(condition.variable, x.variable, y.variable), s)};
}
constexpr Tensor where(detail::At condition, Tensor x, double y) {
    return where(condition, x, detail::constant_beside(x, y));
}
constexpr Tensor where(detail::At condition, double x, Tensor y) {
    return where(condition, detail::constant_beside(y, x), y);
}
constexpr Tensor where(detail::At condition, double x, double y) {
    const Tensor first = detail::constant_beside(condition, x);  // the order of operands is the compiler's choice
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

constexpr Tensor sum(detail::At x, const Axes& over, detail::Keep k = {}) {
    return detail::reduced(detail::Operation::sum, x, over, k);
}
constexpr Tensor sum(Tensor x) { return detail::reduced(detail::Operation::sum, x); }
constexpr Tensor max(detail::At x, const Axes& over, detail::Keep k = {}) {
    return detail::reduced(detail::Operation::reduce_maximum, x, over, k);
}
constexpr Tensor max(Tensor x) { return detail::reduced(detail::Operation::reduce_maximum, x); }
constexpr Tensor min(detail::At x, const Axes& over, detail::Keep k = {}) {
    return detail::reduced(detail::Operation::reduce_minimum, x, over, k);
}
constexpr Tensor min(Tensor x) { return detail::reduced(detail::Operation::reduce_minimum, x); }

namespace detail {

/// `total` divided by the number of elements of `from` that were summed into each element of `to`.
constexpr Variable averaged(const Shape& from, const Shape& to, Variable total) {
    const double ratio = static_cast<double>(to.count()) / static_cast<double>(from.count());
    if (from.batched() && !to.batched()) total = total * reciprocal_batch(total.tape);
    return ratio * total;
}
constexpr Tensor averaged(const Shape& from, Tensor total) { return {averaged(from, total.shape(), total.variable)}; }

}  // namespace detail

constexpr Tensor mean(detail::At x, const Axes& over, detail::Keep k = {}) {
    return detail::averaged(x.shape(), sum(x, over, k));
}
constexpr Tensor mean(Tensor x) { return detail::averaged(x.shape(), sum(x)); }

/// Position of the (first) greatest element along one axis, which vanishes: `argmax(x, axis(1))`. No gradient.
constexpr Tensor argmax(detail::At x, Axis along = axis(-1)) {
    if (!detail::has(x, along)) return x;
    const Shape s = x.shape();
    const int at = detail::normal_axis(along.number, s.rank);
    return {sigma::reshape(argmax(x.variable, at), s.without(at))};
}
/// The same of the least. A NaN wins in both.
constexpr Tensor argmin(detail::At x, Axis along = axis(-1)) {
    return detail::has(x, along) ? argmax(-x, along) : Tensor(x);
}

}  // namespace sigma
