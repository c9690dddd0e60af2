// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Derivatives at compile time: derivative_of. Include it yourself.
#include <sigma/core/text.hpp>
#include <sigma/core/words.hpp>
#include <sigma/tape/along_axis.hpp>
#include <sigma/tape/compose.hpp>
#include <sigma/tape/constant_math.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/interpreter.hpp>
#include <sigma/tape/traced_function.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

namespace sigma {

inline constexpr Given::Label operation_is{"operation"};
inline constexpr Fault
    // Sorting, random numbers, convolutions and others. `gradient(f)(x)` computes them at run time.
    error_derivative_of_has_an_operation_that_compilers_do_not_evaluate{
        "derivative_of: compilers do not evaluate this operation"},
    error_derivative_of_needs_a_function_with_one_number_as_result_it_returns{
        "derivative_of needs a function with one number as its result"};
template <int>
struct error_derivative_of_function_does_not_take_so_many_arguments;
// derivative_of<[](double x) { return x * x; }>
struct use_auto_x;
template <class Write>
struct error_derivative_of_needs_a_function_of_tensors;

namespace detail {

/// The shape of a number or an array of numbers, and access to its elements in order.
template <class A>
struct ConstantArgument;
template <class A>
    requires std::is_arithmetic_v<A>
struct ConstantArgument<A> {
    using Gradient = double;
    static constexpr Shape shape{};
    static constexpr void append(List<double>& to, A a) { to.push(static_cast<double>(a)); }
    static constexpr void read(const double*& from, double& a) { a = *from++; }
};
template <class E, std::size_t n>
    requires(n > 0 && ConstantArgument<E>::shape.rank < max_rank)
struct ConstantArgument<std::array<E, n>> {
    using Inner = ConstantArgument<E>;
    using Gradient = std::array<typename Inner::Gradient, n>;
    static constexpr Shape shape = Inner::shape.inserted(0, static_cast<int>(n));
    static constexpr void append(List<double>& to, const std::array<E, n>& a) {
        for (const E& e : a) Inner::append(to, e);
    }
    static constexpr void read(const double*& from, Gradient& a) {
        for (auto& e : a) Inner::read(from, e);
    }
};
template <class A>
concept AnyConstantArgument = requires { ConstantArgument<A>::shape; };

/// Traces f and its gradients in all arguments. Throws at a mistake in f.
template <auto f, Shape... S>
constexpr Refusal trace_derivative(Program& p) {
    Tracing tracing(p.tape);
    const std::array<Tensor, sizeof...(S)> x = inputs_of<S...>(p);
    List<Variable> variables;
    for (const Tensor& each : x) variables.push(each.variable);
    const Tensor y = std::apply(f, x);
    if (y.shape().rank > 0)
        tracing.refuse(error_derivative_of_needs_a_function_with_one_number_as_result_it_returns,
                       {it_returns, y.shape()});
    if (!tracing.failed())
        for (const Variable& g : differentiate(y.variable, constant(&p.tape, 1), variables)) p.outputs.push(g);
    return tracing.refusal;
}

/// Returns the nodes of a program's tape that its outputs need.
constexpr List<char> needed_nodes(const Program& p) {
    List<char> needed(p.tape.size(), false);
    for (const Variable& v : p.outputs) needed[v.id] = true;
    for (int i = p.tape.size(); i-- > 0;)
        for (int which = 0; needed[i] && which < 3; ++which)
            if (const int operand = p.tape[i].operand(which); operand >= 0) needed[operand] = true;
    return needed;
}
/// Returns whether the compiler can evaluate such a node.
constexpr bool is_constant_operation(const Node& n) {
    switch (facts(n.operation).kind) {
        case OperationKind::leaf:
            return n.operation == Operation::input || n.operation == Operation::constant ||
                   n.operation == Operation::iota;
        case OperationKind::reduction:
        case OperationKind::view:
        case OperationKind::movement: return true;
        case OperationKind::product: return n.attribute == 0;
        default: return is_map(n.operation);
    }
}
struct ConstantBindings {
    using Number = constant_math::Number;
    std::vector<std::vector<Number>> inputs{}, parameters{}, states{};
    constexpr Number uniform(std::uint64_t, long long, long long) const { return 0; }
};

template <auto f, Shape... S>
constexpr Refusal refused_derivative() {
    Program p;
    Trace found;
    found.refusal = trace_derivative<f, S...>(p);
    const List<char> needed = needed_nodes(p);
    for (int i = 0; i < p.tape.size(); ++i)
        if (needed[i] && !is_constant_operation(p.tape[i]))
            found.refuse(error_derivative_of_has_an_operation_that_compilers_do_not_evaluate,
                         {operation_is, Text().append(name(p.tape[i].operation))});
    return found.refusal;
}
template <auto f, Shape... S>
struct DerivativeOnShapes {
    static constexpr Refusal refusal = refused_derivative<f, S...>();
};
template <auto f, class... A>
struct CheckDerivative {
    static consteval auto examine() {
        using F = decltype(f);
        if constexpr (!std::is_invocable_v<F, typename InPlaceOf<A>::type...>) {
            // Checked for such a function only: a generic one would be instantiated for numbers.
            if constexpr (std::is_invocable_v<F, const A&...>)
                return Mistake<error_derivative_of_needs_a_function_of_tensors<use_auto_x>>{};
            else
                return Mistake<
                    error_derivative_of_function_does_not_take_so_many_arguments<static_cast<int>(sizeof...(A))>>{};
        } else {
            using R = std::invoke_result_t<F, typename InPlaceOf<A>::type...>;
            if constexpr (!std::is_same_v<R, Tensor>)
                return Mistake<
                    sigma::mistake<error_derivative_of_needs_a_function_with_one_number_as_result_it_returns, R>>{};
            else return named_refusal<DerivativeOnShapes<f, ConstantArgument<A>::shape...>>();
        }
    }
    using mistake = MistakeOf<decltype(examine())>;
};

template <auto f, Shape... S>
constexpr List<double> constant_gradients(const List<double>& inputs) {
    Program p;
    trace_derivative<f, S...>(p);
    const Shape shapes[]{S...};
    ConstantBindings bindings;
    const double* next_input = inputs.begin();
    for (const Shape& s : shapes) {
        bindings.inputs.emplace_back(next_input, next_input + s.count());
        next_input += s.count();
    }
    const List<char> needed = needed_nodes(p);
    const auto values =
        debugging::Interpreter<constant_math::Number, ConstantBindings>(p.tape, bindings, 1).run(&needed);
    List<double> all;
    for (int i = 0; i < p.outputs.size(); ++i) {
        // A value that is equal for all elements may be on the tape once.
        const auto& found = values[static_cast<std::size_t>(p.outputs[i].id)];
        for (long long k = 0; k < shapes[i].count(); ++k)
            all.push(found[found.size() == 1 ? 0 : static_cast<std::size_t>(k)].value);
    }
    return all;
}

}  // namespace detail

/// Computes the derivative of a function over tensors in a constant expression, by its tape.
///
/// The function returns one number. It may use elementwise functions, comparisons, `where`, sums, matrix products and
/// views. exp, sin and others are correct to a few units in the last place of double. It also works at run time.
/// @tparam f  a captureless function of tensors
/// @tparam A  types of the arguments
/// @param arguments  numbers, or (nested) std::arrays of numbers
/// @return the gradient in the argument, of its shape; for several arguments a std::tuple of gradients
///
/// @par Example
/// @code
/// #include <sigma/tape/derivative_of.hpp>
/// static_assert(derivative_of<[](auto x) { return x * x; }>(3.0) == 6.0);
/// @endcode
///
/// @see gradient, docs/gradients.md
template <auto f, detail::AnyConstantArgument... A>
    requires(sizeof...(A) > 0 && detail::is_fine<detail::CheckDerivative<f, A...>>)
constexpr auto derivative_of(const A&... arguments) {
    detail::List<double> given;
    (detail::ConstantArgument<A>::append(given, arguments), ...);
    const detail::List<double> found = detail::constant_gradients<f, detail::ConstantArgument<A>::shape...>(given);
    std::tuple<typename detail::ConstantArgument<A>::Gradient...> gradients{};
    const double* next_one = found.begin();
    std::apply([&](auto&... g) { (detail::ConstantArgument<A>::read(next_one, g), ...); }, gradients);
    if constexpr (sizeof...(A) == 1) return std::get<0>(gradients);
    else return gradients;
}
template <auto f, detail::AnyConstantArgument... A>
    requires(sizeof...(A) > 0 && !detail::is_fine<detail::CheckDerivative<f, A...>>)
constexpr auto derivative_of(const A&... arguments)
    -> decltype(detail::plainly(std::type_identity<typename detail::CheckDerivative<f, A...>::mistake>{}));

}  // namespace sigma
