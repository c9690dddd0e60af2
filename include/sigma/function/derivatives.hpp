// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Derivatives of functions on arrays beyond the gradient: jvp, vjp, hvp, jacobian, hessian, vmap. Included by
/// `<sigma/derivatives.hpp>`.
#include <sigma/function/function.hpp>
#include <sigma/tape/vectorize.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sigma {

// clang-format off: a table
inline constexpr Given::Label shape_of_vector{"shape of the vector"}, shape_of_argument{"shape of the argument"},
    shape_of_result{"shape of the result"}, rows_given{"rows"}, rows_before{"rows of the arguments before"},
    argument_given{"argument"}, operation_mapped{"operation"};
inline constexpr Fault
    error_tangent_must_have_the_shape_of_its_argument{"a tangent must have the shape of its argument"},
    error_factor_must_have_the_shape_of_its_result{"a factor must have the shape of its result"},
    error_jacobian_needs_known_extents{"a Jacobian needs known extents: take vmap(jacobian(f)) for one of each record"},
    error_jacobian_has_too_many_axes{"a Jacobian has the axes of the result and of the argument, at most 6"},
    error_vmap_needs_rows{"vmap needs arguments with at least one axis"},
    error_vmap_needs_equal_numbers_of_rows{"vmap needs as many rows of each mapped argument"},
    error_vmap_has_too_many_axes{"vmap adds an axis to each result, which has then at most 6, and one batch"},
    error_vmap_cannot_map_over_the_batch{"vmap cannot map this operation over the batch"};
// clang-format on

template <class>
struct error_jvp_and_hvp_take_the_arguments_then_a_tangent_for_each;
template <class>
struct error_vjp_takes_the_arguments_then_a_factor_for_each_result;
template <class>
struct error_jacobian_needs_a_function_of_one_result_it_returns;

namespace detail {

/// The arguments over whose rows a function is mapped, by their numbers.
template <int... numbers>
struct Mapped {};

}  // namespace detail

/// The arguments over whose rows `vmap` maps a function, by their numbers from 0. Without `over_rows_of`, it maps over
/// all.
/// @tparam numbers  numbers of arguments
/// @par Example
/// @code
/// const auto error = [](auto x, auto w) { return square(sum(x * w)); };
/// const auto of_each = vmap(gradient(error, wrt<1>), over_rows_of<0>);  // a gradient for each row of x
/// const auto d = of_each(xt::xtensor<double, 2>{{1, 2}, {3, 4}}, xt::xtensor<double, 1>{1, 1});
/// @endcode
///
/// @see vmap
template <int... numbers>
inline constexpr detail::Mapped<numbers...> over_rows_of{};

namespace detail {

enum class Product { jvp, vjp, hvp };

/// Calls f with tensors first … first + n - 1.
template <class F, std::size_t total, std::size_t... i>
constexpr auto call_with(const F& f, const std::array<Tensor, total>& x, std::index_sequence<i...>) {
    return f(x[i]...);
}
template <class F, std::size_t n>
using ResultOf = decltype(call_with(std::declval<const F&>(), std::declval<const std::array<Tensor, n>&>(),
                                    std::make_index_sequence<n>{}));
template <class F, class Numbers>
inline constexpr bool takes_tensors = false;
template <class F, std::size_t... i>
inline constexpr bool takes_tensors<F, std::index_sequence<i...>> =
    std::is_invocable_v<const F&, decltype(static_cast<void>(i), Tensor{})...>;

/// Returns how many of `total` tensors are arguments of F; 0 if no number fits. The others are a tangent for each
/// argument, or for each of `chosen`, or for `vjp` a factor for each result.
template <class F, Product product, int chosen, std::size_t total>
consteval int argument_count() {
    if constexpr (product != Product::vjp) {
        constexpr int rest = chosen > 0 ? chosen : static_cast<int>(total) / 2, n = static_cast<int>(total) - rest;
        if constexpr (n < 1 || (chosen == 0 && total % 2 != 0)) return 0;
        else return takes_tensors<F, std::make_index_sequence<static_cast<std::size_t>(n)>> ? n : 0;
    } else {
        const auto fits = []<std::size_t n>(std::integral_constant<std::size_t, n>) {
            if constexpr (takes_tensors<F, std::make_index_sequence<n>>) return n + tensors_in<ResultOf<F, n>> == total;
            else return false;
        };
        int found = 0;
        [&]<std::size_t... i>(std::index_sequence<i...>) {
            ((found = fits(std::integral_constant<std::size_t, i + 1>{}) ? static_cast<int>(i) + 1 : found), ...);
        }(std::make_index_sequence<total - 1>{});
        return found;
    }
}

/// Returns the gradients of a number with respect to nodes.
constexpr List<Variable> gradients_of(Variable number, const List<Variable>& wrt) {
    if (std::is_constant_evaluated()) return differentiate(number, constant(number.tape, 1), wrt);
    return differentiate_now(number, wrt);
}
/// Adds the sum of x·y to a number. `total` has no tape at first.
constexpr void add_product(Variable& total, Variable x, Variable y) {
    const Variable one = sum(Tensor{x * y}).variable;
    total = total.tape == nullptr ? one : total + one;
}
/// Returns a leaf of this shape, which stands for any value.
constexpr Variable placeholder(Tape* tape, const Shape& shape) { return copy(expand(constant(tape, 0), shape)); }

/// Makes a tensor, or a tuple of so many.
template <std::size_t n>
constexpr auto tensors_of(const List<Variable>& of) {
    if constexpr (n == 1) return Tensor{of[0]};
    else
        return [&]<std::size_t... i>(std::index_sequence<i...>) {
            return std::tuple{Tensor{of[static_cast<int>(i)]}...};
        }(std::make_index_sequence<n>{});
}
/// Fresh nodes of tensors: a captured value can be the same node as an argument, but does not count as the argument.
template <std::size_t n>
constexpr std::array<Tensor, n> fresh_nodes(const auto& of) {
    std::array<Tensor, n> own{};
    for (std::size_t i = 0; i < n; ++i) own[i] = {copy(of[i].variable)};
    return own;
}
/// The chosen ones of some tensors, or all.
template <int... which>
constexpr List<Variable> chosen_of(const auto& tensors) {
    List<Variable> chosen;
    if constexpr (sizeof...(which) == 0)
        for (const Tensor& t : tensors) chosen.push(t.variable);
    else (chosen.push(tensors[static_cast<std::size_t>(which)].variable), ...);
    return chosen;
}

/// A function over tensors made of F. `Self::of<derives>(f, tensors)` computes it, without its derivatives for the
/// shapes of its results.
template <class Self, class F>
struct OverTensors : Held<F> {
    constexpr OverTensors()
        requires std::is_empty_v<F>
        : Held<F>(F{}) {}
    constexpr explicit OverTensors(const F& f) : Held<F>(f) {}

    template <std::same_as<Tensor>... X>
    constexpr auto operator()(X... x) const {
        return Self::template of<true>(this->get(), std::array<Tensor, sizeof...(X)>{x...});
    }
    struct Outline {
        template <std::same_as<Tensor>... X>
        constexpr auto operator()(X... x) const {
            return Self::template of<false>(F{}, std::array<Tensor, sizeof...(X)>{x...});
        }
    };
};

/// A product of derivatives with vectors, as a function over tensors: the arguments, then the vectors.
template <class F, Product product, class Which>
struct VectorProduct;
template <class F, Product product, int... which>
struct VectorProduct<F, product, Wrt<which...>> : OverTensors<VectorProduct<F, product, Wrt<which...>>, F> {
    using OverTensors<VectorProduct, F>::OverTensors;

    template <bool derives, std::size_t total>
    static constexpr auto of(const F& f, const std::array<Tensor, total>& all) {
        constexpr auto n =
            static_cast<std::size_t>(argument_count<F, product, static_cast<int>(sizeof...(which)), total>());
        constexpr std::size_t count = sizeof...(which) > 0 ? sizeof...(which) : n;
        const std::array<Tensor, n> own = fresh_nodes<n>(all);
        const auto y = call_with(f, own, std::make_index_sequence<n>{});
        const List<Variable> x = chosen_of<which...>(own);
        const Tape& tape = *all[0].variable.tape;
        if constexpr (product == Product::vjp) {
            Variable total_of{};
            std::size_t next = n;
            each_tensor(y, [&](Tensor result) {
                const Tensor factor = all[next++];
                if (!(factor.shape() == result.shape()))
                    factor.refused(error_factor_must_have_the_shape_of_its_result, {shape_of_vector, factor.shape()},
                                   {shape_of_result, result.shape()});
                else add_product(total_of, result.variable, factor.variable);
            });
            if (!derives || failed(tape)) return tensors_of<count>(x);
            return tensors_of<count>(gradients_of(total_of, x));
        } else {
            for (int i = 0; i < x.size(); ++i) {
                const Tensor tangent = all[n + static_cast<std::size_t>(i)];
                if (!(tangent.shape() == x[i].shape()))
                    tangent.refused(error_tangent_must_have_the_shape_of_its_argument,
                                    {shape_of_vector, tangent.shape()}, {shape_of_argument, x[i].shape()});
            }
            const auto along = [&](Variable number) {
                const List<Variable> slopes = gradients_of(number, x);
                Variable total_of{};
                for (int i = 0; i < x.size(); ++i)
                    add_product(total_of, slopes[i], all[n + static_cast<std::size_t>(i)].variable);
                return total_of;
            };
            if constexpr (product == Product::hvp) {
                if (!y.shape().scalar())
                    y.refused(error_gradient_needs_a_scalar_function_it_returns, {it_returns, y.shape()});
                if (!derives || failed(tape)) return tensors_of<count>(x);
                return tensors_of<count>(gradients_of(along(y.variable), x));
            } else {
                // The gradients are linear in factors of the results. Their gradient in these factors is the derivative
                // along the tangents.
                if (!derives || failed(tape)) return y;
                List<Variable> factors;
                Variable total_of{};
                each_tensor(y, [&](Tensor result) {
                    factors.push(placeholder(result.variable.tape, result.shape()));
                    add_product(total_of, result.variable, factors[factors.size() - 1]);
                });
                return tensors_of<tensors_in<std::remove_const_t<decltype(y)>>>(gradients_of(along(total_of), factors));
            }
        }
    }

private:
    static constexpr bool failed(const Tape& tape) { return static_cast<Trace&>(*tape.tracer).failed(); }
};

/// Calls `body` for each row of some values, all rows at once if the tape can express it, and returns its results with
/// the axis of the rows in front. `body` returns a list of variables for a list of rows. `cases` is the extent of the
/// first axis.
template <class Body>
constexpr List<Variable> map_rows(Trace& trace, Tape& tape, const List<Variable>& rows, int cases, Body body) {
    const auto row = [&](Variable x, int i) {
        const Shape own = x.shape().without(0);
        return copy(cases < 0 ? expand(constant(&tape, 0), own) : reshape(slice(x, 0, i, 1), own));
    };
    List<Variable> first;
    for (const Variable& x : rows) first.push(row(x, 0));
    const List<Variable> one = body(first);
    List<Variable> results;
    for (const Variable& y : one)
        if (y.shape().rank == max_rank || (cases < 0 && y.shape().batched())) {
            trace.refuse(error_vmap_has_too_many_axes, {shape_of_result, y.shape()});
            return one;
        }
    if (trace.failed()) return one;
    Vectorization all(tape, first[0].id, cases);
    for (int i = 0; i < rows.size(); ++i) all.replace(first[i], rows[i]);
    const int obstacle = all.obstacle();
    if (obstacle < 0) {
        all.run();
        for (const Variable& y : one) results.push(all.of(y));
        return results;
    }
    if (cases < 0) {
        Text operation;
        operation.append(std::string_view(name(tape[obstacle].operation)));
        trace.refuse(error_vmap_cannot_map_over_the_batch, {operation_mapped, operation});
        return one;
    }
    for (const Variable& y : one) results.push(reshape(y, y.shape().inserted(0, 1)));
    for (int i = 1; i < cases; ++i) {
        List<Variable> next;
        for (const Variable& x : rows) next.push(row(x, i));
        const List<Variable> ys = body(next);
        for (int k = 0; k < ys.size(); ++k)
            results[k] = concatenate(results[k], reshape(ys[k], ys[k].shape().inserted(0, 1)), 0);
    }
    return results;
}

/// The derivatives of all elements of the result of F with respect to all elements of arguments.
template <class F, class Which>
struct JacobianOf;
template <class F, int... which>
struct JacobianOf<F, Wrt<which...>> : OverTensors<JacobianOf<F, Wrt<which...>>, F> {
    static constexpr bool needs_extents = true;

    using OverTensors<JacobianOf, F>::OverTensors;

    template <bool derives, std::size_t n>
    static constexpr auto of(const F& f, const std::array<Tensor, n>& all) {
        constexpr std::size_t count = sizeof...(which) > 0 ? sizeof...(which) : n;
        const std::array<Tensor, n> own = fresh_nodes<n>(all);
        const Tensor y = call_with(f, own, std::make_index_sequence<n>{});
        Trace& trace = y.trace();
        List<Variable> results;
        for (const Variable& x : chosen_of<which...>(own)) {
            const Shape s = y.shape(), t = x.shape();
            if (s.batched() || t.batched())
                y.refused(error_jacobian_needs_known_extents, {shape_of_result, s}, {shape_of_argument, t});
            else if (s.rank + t.rank > max_rank)
                y.refused(error_jacobian_has_too_many_axes, {shape_of_result, s}, {shape_of_argument, t});
            if (trace.failed()) {
                results.push(x);
                continue;
            }
            Shape both = s;
            for (int i = 0; i < t.rank; ++i) both.extent[both.rank++] = t[i];
            if (!derives) results.push(expand(constant(x.tape, 0), both));
            else results.push(reshape(matrix(trace, y.variable, x), both));
        }
        return tensors_of<count>(results);
    }

private:
    /// Returns the derivatives (elements of y, elements of x): a sweep backwards for each element of y, or one forwards
    /// for each element of x if these are fewer.
    static constexpr Variable matrix(Trace& trace, Variable y, Variable x) {
        Tape& tape = *y.tape;
        const int rows = static_cast<int>(y.shape().count()), columns = static_cast<int>(x.shape().count());
        if (rows == 1) return reshape(gradients_of(reshape(y, Shape{}), {1, x})[0], Shape{1, columns});
        const bool forwards = columns < rows;
        const auto basis = [&](int n, const Shape& s) { return reshape(identity_matrix(&tape, n), s.inserted(0, n)); };
        if (!forwards) {
            const List<Variable> found =
                map_rows(trace, tape, {1, basis(rows, y.shape())}, rows, [&](const List<Variable>& row) {
                    Variable along{};
                    add_product(along, y, row[0]);
                    return gradients_of(along, {1, x});
                });
            return reshape(found[0], Shape{rows, columns});
        }
        const Variable factor = placeholder(&tape, y.shape());
        Variable total{};
        add_product(total, y, factor);
        const Variable slope = gradients_of(total, {1, x})[0];
        const List<Variable> found =
            map_rows(trace, tape, {1, basis(columns, x.shape())}, columns, [&](const List<Variable>& column) {
                Variable along{};
                add_product(along, slope, column[0]);
                return gradients_of(along, {1, factor});
            });
        return transpose_last(reshape(found[0], Shape{columns, rows}));
    }
};

/// A function over tensors for each row of arguments.
template <class F, class Which>
struct MapOf;
template <class F, int... which>
struct MapOf<F, Mapped<which...>> : Held<F> {
    constexpr MapOf()
        requires std::is_empty_v<F>
        : Held<F>(F{}) {}
    constexpr explicit MapOf(const F& f) : Held<F>(f) {}

    template <std::same_as<Tensor>... X>
    constexpr auto operator()(X... x) const {
        using R = std::invoke_result_t<const F&, X...>;
        constexpr std::size_t n = sizeof...(X);
        const std::array<Tensor, n> all{x...};
        constexpr auto maps = [](std::size_t i) {
            return sizeof...(which) == 0 || ((static_cast<std::size_t>(which) == i) || ...);
        };
        Trace& trace = all[0].trace();
        Tape& tape = *all[0].variable.tape;
        List<Variable> rows;
        for (std::size_t i = 0; i < n; ++i) {
            if (!maps(i)) continue;
            const Shape s = all[i].shape();
            if (s.rank == 0) all[i].refused(error_vmap_needs_rows, {argument_given, static_cast<int>(i)});
            else if (rows.size() > 0 && rows[0].shape()[0] != s[0])
                all[i].refused(error_vmap_needs_equal_numbers_of_rows, {rows_given, s[0]},
                               {rows_before, rows[0].shape()[0]});
            rows.push(all[i].variable);
        }
        const auto body = [&](const List<Variable>& row) {
            std::array<Tensor, n> own = all;
            int next = 0;
            for (std::size_t i = 0; i < n; ++i)
                if (maps(i)) own[i] = {row[next++]};
            List<Variable> results;
            each_tensor(call_with(this->get(), own, std::make_index_sequence<n>{}),
                        [&](Tensor t) { results.push(t.variable); });
            return results;
        };
        List<Variable> found;
        if (trace.failed()) found = body(rows);
        else found = map_rows(trace, tape, rows, rows[0].shape()[0], body);
        if constexpr (std::is_same_v<R, Tensor>) return tensors_of<1>(found);
        else
            return [&]<std::size_t... i>(std::index_sequence<i...>) {
                return std::tuple{Tensor{found[static_cast<int>(i)]}...};
            }(std::make_index_sequence<tensors_in<R>>{});
    }
};

// ---- mistakes in types ----

template <class F, Product product, int... which, class... T>
struct CheckFunction<VectorProduct<F, product, Wrt<which...>>, T...> {
    static constexpr int n = argument_count<F, product, static_cast<int>(sizeof...(which)), sizeof...(T)>();
    static consteval auto examine() {
        constexpr int given = static_cast<int>(sizeof...(T));
        if constexpr (n == 0 && product == Product::vjp)
            return Mistake<error_vjp_takes_the_arguments_then_a_factor_for_each_result<arguments_given<given>>>{};
        else if constexpr (n == 0)
            return Mistake<error_jvp_and_hvp_take_the_arguments_then_a_tangent_for_each<arguments_given<given>>>{};
        else {
            using R = ResultOf<F, static_cast<std::size_t>(n)>;
            return FirstMistake<
                AbsentArgument<which, n>...,
                MistakeIf<tensors_in<R> == 0, error_function_must_return_a_tensor_or_a_tuple_of_tensors_it_returns<R>>,
                MistakeIf<product == Product::hvp && !std::is_same_v<R, Tensor>,
                          sigma::mistake<error_gradient_needs_a_scalar_function_it_returns, R>>>{};
        }
    }
    using mistake = MistakeOf<decltype(examine())>;
};
template <class F, int... which, class... T>
struct CheckFunction<JacobianOf<F, Wrt<which...>>, T...> {
    static constexpr int n = static_cast<int>(sizeof...(T));
    static consteval auto examine() {
        using Inner = FirstMistake<CheckFunction<F, T...>, AbsentArgument<which, n>...>;
        if constexpr (!is_fine<Inner>) return Inner{};
        else {
            using R = std::invoke_result_t<const F&, T...>;
            return MistakeIf<!std::is_same_v<R, Tensor>, error_jacobian_needs_a_function_of_one_result_it_returns<R>>{};
        }
    }
    using mistake = MistakeOf<decltype(examine())>;
};
template <class F, int... which, class... T>
struct CheckFunction<MapOf<F, Mapped<which...>>, T...> {
    static constexpr int n = static_cast<int>(sizeof...(T));
    using mistake = MistakeOf<FirstMistake<CheckFunction<F, T...>, AbsentArgument<which, n>...>>;
};

}  // namespace detail

/// Returns a function that computes the derivative of `function` along tangents: J·v, a Jacobian-vector product.
///
/// It is called with the arguments of the function, then a tangent for each of them: `jvp(f)(x, w, dx, dw)`. It costs
/// two to three evaluations of the function, however many arguments and results there are.
/// @tparam F  type of the function
/// @tparam numbers  numbers of arguments, from 0
/// @param function  a function object of tensors that returns a tensor or a tuple of tensors
/// @param which  `wrt<…>` with the numbers of the arguments that have tangents. Others are constants. Default: all.
/// @return a function of arrays and numbers. Its results have the shapes of those of `function`.
/// @throws MistakeError  if a tangent has another shape than its argument, and shapes are known only at run time
/// @par Example
/// @code
/// const auto along = jvp([](auto x) { return square(x); });
/// const auto d = along(xt::xtensor<double, 1>{1, 2}, xt::xtensor<double, 1>{1, 10});  // {2, 40}
/// @endcode
///
/// @see vjp, jacobian, docs/gradients.md
template <class F, int... numbers>
constexpr auto jvp(F function, [[maybe_unused]] detail::Wrt<numbers...> which = {}) {
    return detail::evaluated(detail::VectorProduct<F, detail::Product::jvp, detail::Wrt<numbers...>>(function));
}

/// Returns a function that computes the gradients of Σ u · result: uᵀ·J, a vector-Jacobian product.
///
/// It is called with the arguments of the function, then a factor for each result, of the shape of the result:
/// `vjp(f)(x, w, factor)`. A `gradient` is the case of one scalar result with the factor 1.
/// @tparam F  type of the function
/// @tparam numbers  numbers of arguments, from 0
/// @param function  a function object of tensors that returns a tensor or a tuple of tensors
/// @param which  `wrt<…>` with the numbers of the arguments. Default: all.
/// @return a function of arrays and numbers that returns an array like the argument, or a tuple of arrays
/// @throws MistakeError  if a factor has another shape than its result, and shapes are known only at run time
/// @par Example
/// @code
/// const auto back = vjp([](auto x) { return square(x); });
/// const auto d = back(xt::xtensor<double, 1>{1, 2}, xt::xtensor<double, 1>{1, 10});  // {2, 40}
/// @endcode
///
/// @see gradient, jvp, jacobian
template <class F, int... numbers>
constexpr auto vjp(F function, [[maybe_unused]] detail::Wrt<numbers...> which = {}) {
    return detail::evaluated(detail::VectorProduct<F, detail::Product::vjp, detail::Wrt<numbers...>>(function));
}

/// Returns a function that computes the derivative of the gradient along tangents: H·v, a Hessian-vector product.
///
/// It is called with the arguments of the function, then a tangent for each of them: `hvp(f)(x, v)`. It costs a few
/// evaluations of the function, and never holds the Hessian (Pearlmutter 1994).
/// @tparam F  type of the function
/// @tparam numbers  numbers of arguments, from 0
/// @param function  a function object of tensors that returns a scalar tensor
/// @param which  `wrt<…>` with the numbers of the arguments that have tangents. Others are constants. Default: all.
/// @return a function of arrays and numbers that returns an array like the argument, or a tuple of arrays
/// @throws MistakeError  if a tangent has another shape than its argument, and shapes are known only at run time
/// @par Example
/// @code
/// const auto curvature = hvp([](auto x) { return sum(x * x * x); });
/// const auto d = curvature(xt::xtensor<double, 1>{1, 2}, xt::xtensor<double, 1>{1, 1});  // {6, 12}
/// @endcode
///
/// @see hessian, gradient
template <class F, int... numbers>
constexpr auto hvp(F function, [[maybe_unused]] detail::Wrt<numbers...> which = {}) {
    return detail::evaluated(detail::VectorProduct<F, detail::Product::hvp, detail::Wrt<numbers...>>(function));
}

/// Returns a function that computes the derivatives of all elements of the result with respect to all elements of an
/// argument.
///
/// All rows of the Jacobian are computed together, or all columns if these are fewer. Functions with loops compute one
/// after the other.
/// @tparam F  type of the function
/// @tparam numbers  numbers of arguments, from 0
/// @param function  a function object of tensors that returns one tensor. Extents must not be `batch`: for a Jacobian
/// of each record use `vmap(jacobian(f))`.
/// @param which  `wrt<…>` with the numbers of the arguments. Default: all.
/// @return a function of arrays and numbers. Its result has the axes of the result of `function`, then the axes of the
/// argument, together at most 6. For several arguments it is a tuple.
/// @throws MistakeError  if there are more axes or a batch, and shapes are known only at run time
/// @par Example
/// @code
/// const auto slopes = jacobian([](auto x) { return x * sum(x); });
/// const auto j = slopes(xt::xtensor<double, 1>{1, 2});  // known when it is called: {{4, 1}, {2, 5}}
/// @endcode
///
/// @see jvp, vjp, hessian, vmap
template <class F, int... numbers>
constexpr auto jacobian(F function, [[maybe_unused]] detail::Wrt<numbers...> which = {}) {
    return detail::evaluated(detail::JacobianOf<F, detail::Wrt<numbers...>>(function));
}

/// Returns a function that computes all second derivatives of a scalar function with respect to one argument.
///
/// It is the Jacobian of the gradient. For second derivatives with respect to two arguments use `jacobian(gradient(f,
/// wrt<0>), wrt<1>)`, and for large arguments `hvp`.
/// @tparam F  type of the function
/// @tparam number  number of the argument, from 0
/// @param function  a function object of tensors that returns a scalar tensor
/// @param which  `wrt<…>` with the number of the argument. Default: the first.
/// @return a function of arrays and numbers. Its result has the axes of the argument twice.
/// @throws MistakeError  if there are more than 6 axes or a batch, and shapes are known only at run time
/// @par Example
/// @code
/// const auto curvature = hessian([](auto x) { return sum(x * x * x); });
/// const auto h = curvature(xt::xtensor<double, 1>{1, 2});  // {{6, 0}, {0, 12}}
/// @endcode
///
/// @see hvp, jacobian
template <class F, int number = 0>
constexpr auto hessian(F function, [[maybe_unused]] detail::Wrt<number> which = {}) {
    using Gradient = detail::Derivative<F, false, detail::Wrt<number>>;
    return detail::evaluated(detail::JacobianOf<Gradient, detail::Wrt<number>>(Gradient(function)));
}

/// Returns a function that applies `function` to each row of its arguments, along their first axis.
///
/// `function` gets one row, without the first axis. Results have the rows as their first axis. Rows are computed
/// together, not one after the other. With `shaped<batch, …>` the rows are records. Functions with loops, convolutions
/// with weights of each row, gradients with respect to weights of convolutions, and lookups in tables of each row map
/// over a known number of rows only, one after the other.
/// @tparam F  type of the function
/// @tparam numbers  numbers of arguments, from 0
/// @param function  a function object of tensors that returns a tensor or a tuple of tensors
/// @param which  `over_rows_of<…>` with the numbers of the arguments that have rows. Others are the same for each.
/// Default: all.
/// @return a function of arrays and numbers. Its results have one axis more than those of `function`, at most 6.
/// @throws MistakeError  if arguments have no or different numbers of rows, and shapes are known only at run time
/// @par Example
/// @code
/// const auto lengths = vmap([](auto x) { return norm(x); });
/// const auto y = lengths(xt::xtensor<double, 2>{{3, 4}, {6, 8}});  // {5, 10}
/// @endcode
///
/// @see jacobian, over_rows_of
template <class F, int... numbers>
constexpr auto vmap(F function, [[maybe_unused]] detail::Mapped<numbers...> which = {}) {
    return detail::evaluated(detail::MapOf<F, detail::Mapped<numbers...>>(function));
}

}  // namespace sigma
