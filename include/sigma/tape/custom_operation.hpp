// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Operations of your own in plain C++: custom_operation, SIGMA_SOURCE. Included by `<sigma/sigma.hpp>`.
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/custom_functions.hpp>
#include <sigma/tape/movement.hpp>

#include <concepts>
#include <tuple>
#include <type_traits>

namespace sigma {

// clang-format off: a table
inline constexpr Fault
    error_custom_operation_needs_a_name_and_forward_of_its_operands{"custom_operation: the struct needs a `name`, and `forward` for a block of the result and one of each operand, of float and double"},
    error_custom_operation_has_another_gradient{"custom_operation: `gradient` must take the blocks (g, x, y, d); for two operands it is `template <int of, class V>` and takes (g, a, b, y, d)"},
    error_custom_operation_needs_blocks_without_the_batch{"custom_operation: the operand needs a last axis, or two if `axes` is 2, without the batch"},
    error_custom_operation_needs_a_shape_of_its_axes{"custom_operation: `shape` must take the shape of each operand, and return as many positive extents as `axes`"};
// clang-format on

namespace detail {

template <class F>
concept UnaryBlocks = requires(BlockView<float> f, BlockView<double> d) { F::forward(f, f), F::forward(d, d); };
template <class F>
concept BinaryBlocks = requires(BlockView<float> f, BlockView<double> d) { F::forward(f, f, f), F::forward(d, d, d); };
/// The struct of a custom operation of so many operands.
template <class F, std::size_t operands>
concept CustomBlocks = (operands == 1 ? UnaryBlocks<F> && !BinaryBlocks<F> : operands == 2 && BinaryBlocks<F>) &&
                       std::same_as<decltype(F::name), const Text>;
/// A struct with a second `gradient` and `shape`: a name that F has, too, is ambiguous, also if it is a template.
struct OptionalMembers {
    void gradient();
    void shape();
};
template <class F>
struct WithOptionalMembers : F, OptionalMembers {};

/// The parts of a custom operation: what its struct F declares, and its functions on the blocks of a kernel.
template <class F>
struct CustomParts {
    static constexpr int operands = BinaryBlocks<F> ? 2 : 1;
    static constexpr bool numbered = [] {
        using B = BlockView<float>;
        if constexpr (operands == 1) return requires(B b) { F::template gradient<0>(b, b, b, b); };
        else return requires(B b) { F::template gradient<0>(b, b, b, b, b), F::template gradient<1>(b, b, b, b, b); };
    }();
    static constexpr bool has_gradient =
        numbered || (operands == 1 && requires(BlockView<float> b) { F::gradient(b, b, b, b); });
    static constexpr bool has_shape =
        operands == 1 ? requires(Shape s) { F::shape(s); } : requires(Shape s) { F::shape(s, s); };
    // A member of one of these names with other parameters is a mistake.
    static constexpr bool other_gradient = [] {
        if constexpr (has_gradient || std::is_final_v<F>) return false;
        else return !requires { &WithOptionalMembers<F>::gradient; };
    }();
    static constexpr bool other_shape = [] {
        if constexpr (has_shape || std::is_final_v<F>) return false;
        else return !requires { &WithOptionalMembers<F>::shape; };
    }();
    static constexpr Text name = F::name;
    static constexpr std::uint64_t number = custom_number(name.view(), has_gradient);
    static constexpr int axes = [] {
        if constexpr (requires { F::axes; }) return static_cast<int>(F::axes);
        else return 1;
    }();
    static_assert(axes == 1 || axes == 2, "axes of a custom operation: 1 (rows) or 2 (matrices)");

    /// Returns the shape of the result's block for those of the operands.
    static constexpr Shape shape(const Shape* s) {
        if constexpr (!has_shape) return s[0];
        else if constexpr (operands == 1) return F::shape(s[0]);
        else return F::shape(s[0], s[1]);
    }
    template <class V>
    static void forward(const BlockView<V>* b) {
        if constexpr (operands == 1) F::forward(b[0], b[1]);
        else F::forward(b[0], b[1], b[2]);
    }
    template <class V, int of>
    static void gradient(const BlockView<V>* b) {
        if constexpr (operands == 2) {  // the result and its gradient are one block, side by side
            BlockView<V> y = b[3];
            y.columns /= 2;
            BlockView<V> d = y;
            d.data += y.columns * y.column;
            F::template gradient<of>(b[0], b[1], b[2], y, d);
        } else if constexpr (numbered) {
            F::template gradient<of>(b[0], b[1], b[2], b[3]);
        } else {
            F::gradient(b[0], b[1], b[2], b[3]);
        }
    }

    static constexpr CustomFunctions functions() {
        CustomFunctions made{.name = name.view(),
                             .type = __PRETTY_FUNCTION__,
                             .number = number,
                             .axes = axes,
                             .operands = operands,
                             .shape = shape,
                             .numbered = numbered};
        made.in_float[0] = forward<float>, made.in_double[0] = forward<double>;
        if constexpr (has_gradient) {
            made.in_float[1] = gradient<float, 0>, made.in_double[1] = gradient<double, 0>;
            if constexpr (operands == 2) made.in_float[2] = gradient<float, 1>, made.in_double[2] = gradient<double, 1>;
        }
        if constexpr (requires { F::source; }) made.source = F::source;
        return made;
    }
    static inline constinit CustomFunctions all = functions();
    static inline const bool entered = enter(all);
};

}  // namespace detail

/// An operation of your own as a function of tensors: `custom_operation<F>`.
///
/// @tparam F  the struct that defines it
/// @see custom_operation
template <class F>
struct CustomOperation {
    /// Computes the operation for each row, or each matrix.
    /// @param x  as many tensors as `forward` has operands. Axes before the blocks broadcast.
    /// @return the results, with the axes before the blocks of all operands
    template <std::same_as<Tensor>... X>
        requires(sizeof...(X) > 0)
    constexpr Tensor operator()(X... x) const {
        if constexpr (detail::CustomBlocks<F, sizeof...(X)>) return computed(x...);
        else
            return std::get<0>(std::tuple(x...))
                .refused(error_custom_operation_needs_a_name_and_forward_of_its_operands);
    }

private:
    template <class... X>
    static constexpr Tensor computed(X... x) {
        using Parts = detail::CustomParts<F>;
        if (Parts::other_gradient)
            return std::get<0>(std::tuple(x...)).refused(error_custom_operation_has_another_gradient);
        (void)&Parts::entered;  // a program that uses the operation makes it known
        constexpr int own = Parts::axes;
        constexpr detail::Operation o = own == 1 ? detail::Operation::custom_rows : detail::Operation::custom_matrices;
        const Tensor all[] = {x...};
        Shape blocks[sizeof...(X)], before;
        for (std::size_t i = 0; i < sizeof...(X); ++i) {
            const Shape s = all[i].shape(), leading = detail::axes_before(s, own);
            blocks[i] = detail::block_of(s, own);
            if (!detail::is_block_shape(blocks[i], own))
                return all[i].refused(error_custom_operation_needs_blocks_without_the_batch, {shape_of_x, s});
            if (!detail::broadcastable(before, leading) || !detail::one_batch_axis(detail::broadcast(before, leading)))
                return all[0].refused(error_shapes_do_not_broadcast, {shape_of_x, all[0].shape()}, {shape_of_y, s});
            before = detail::broadcast(before, leading);
        }
        const Shape result = Parts::shape(blocks);
        if (Parts::other_shape || !detail::is_block_shape(result, own))
            return all[0].refused(error_custom_operation_needs_a_shape_of_its_axes, {shape_of_x, result});
        if constexpr (sizeof...(X) == 1) return {detail::block(o, result, all[0].variable, {}, {}, Parts::number)};
        else return {detail::block(o, result, all[0].variable, all[1].variable, {}, Parts::number)};
    }
};

/// An operation of your own in plain C++, as a function of tensors.
///
/// Use it for what the tensor language cannot express or computes slowly: loops that depend on the data, tables,
/// functions of other libraries. The operation works on each row, or each matrix, by itself. `F` is a struct with
/// static members:
///
/// - `name`, a `Text`: the name in files. No other operation of the program may have it.
/// - `forward(y, x)` or `forward(y, a, b)`: computes the block y of the result. Blocks are `BlockView<V>`, and V is
///   float or double: write a template.
/// - `gradient(g, x, y, d)`: computes g from d. d is the gradient of the loss with respect to y, and g the gradient
///   with respect to x. For two operands it is `template <int of, class V> gradient(g, a, b, y, d)`, and g the gradient
///   with respect to operand `of`, 0 for a and 1 for b. Without `gradient`, no gradient passes, as with
///   `stop_gradient`.
/// - `axes`: 1 for rows, the default, or 2 for matrices.
/// - `shape(x)` or `shape(a, b)`: returns the shape of y's block for those of the operands. It must be constexpr for
///   networks that are made at compile time. Default: the shape of the first.
///
/// The functions write all of their first argument, whose values are undefined before. Threads call them at the same
/// time for different blocks. They must not throw. For GPUs, write them inside `SIGMA_SOURCE`. The gradient cannot be
/// differentiated.
///
/// @tparam F  the struct
///
/// @par Example
/// @code
/// struct Softsign {
///     static constexpr Text name = "softsign";
///     template <class V>
///     static void forward(BlockView<V> y, BlockView<V> x) {
///         for (long long i = 0; i < y.columns; ++i) y[i] = x[i] / (1 + std::abs(x[i]));
///     }
///     template <class V>
///     static void gradient(BlockView<V> g, BlockView<V> x, BlockView<V>, BlockView<V> d) {
///         for (long long i = 0; i < g.columns; ++i) g[i] = d[i] / ((1 + std::abs(x[i])) * (1 + std::abs(x[i])));
///     }
/// };
/// struct Net : Network<Input(4) + Dense(8) + custom_operation<Softsign> + Dense(2) + SoftmaxCE()> {};
/// @endcode
///
/// @see BlockView, custom_gradient, docs/gradients.md
template <class F>
inline constexpr CustomOperation<F> custom_operation{};

/// Makes functions of a custom operation available to GPUs: they are C++, and their text is kept as `source`.
///
/// The text is compiled for a GPU without the rest of your program, so it may only use itself, `BlockView`, and
/// functions of numbers such as `std::exp`. All arguments of a function must have the type V: `std::pow(x, V(2))`.
///
/// @par Example
/// @code
/// struct Doubled {
///     static constexpr Text name = "doubled";
///     SIGMA_SOURCE(
///         template <class V>
///         static void forward(BlockView<V> y, BlockView<V> x) {
///             for (long long i = 0; i < y.columns; ++i) y[i] = 2 * x[i];
///         })
/// };
/// @endcode
///
/// @see custom_operation
#define SIGMA_SOURCE(...) \
    __VA_ARGS__           \
    static constexpr const char* source = #__VA_ARGS__;

}  // namespace sigma
