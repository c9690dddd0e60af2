// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/tape/along_axis.hpp>
#include <sigma/tape/compose.hpp>
#include <sigma/tape/constant_math.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/interpreter.hpp>
#include <sigma/tape/mistake.hpp>
#include <sigma/tape/program.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Derivatives that the compiler computes, for static_assert and constants. Not part of sigma.hpp.
namespace sigma {

// clang-format off: a table
template <class Name> struct operation_is;
/// Sorting, random numbers, convolutions and their like; `gradient(f)(x)` computes them when the program runs.
template <class Operation> struct error_derivative_of_has_an_operation_that_compilers_do_not_evaluate;
template <class> struct error_derivative_of_needs_a_function_with_one_number_as_result_it_returns;
template <int> struct error_derivative_of_function_does_not_take_so_many_arguments;
// clang-format on

namespace detail {

/// Which shape a number, or an array of them, stands for, and how its elements are read and written in order.
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

/// The function and its gradients in all arguments, on one tape.
template <auto f, Shape... S>
struct DerivativeProgram {
    constexpr Program operator()() const {
        Program p;
        const auto x = [&]<int... i>(std::integer_sequence<int, i...>) {
            return std::tuple<Tensor<S>...>{input<S>(p, i)...};
        }(std::make_integer_sequence<int, static_cast<int>(sizeof...(S))>{});
        List<Variable> variables;
        std::apply([&](auto... each) { (variables.push(each.variable), ...); }, x);
        const auto y = std::apply(f, x);
        for (const Variable& g : differentiate(y.variable, constant(&p.tape, 1), variables)) p.outputs.push(g);
        return p;
    }
};

/// Which nodes of a program's tape its outputs need.
constexpr List<char> needed_nodes(const Program& p) {
    List<char> needed(p.tape.size(), false);
    for (const Variable& v : p.outputs) needed[v.id] = true;
    for (int i = p.tape.size(); i-- > 0;)
        for (int which = 0; needed[i] && which < 3; ++which)
            if (const int operand = p.tape[i].operand(which); operand >= 0) needed[operand] = true;
    return needed;
}
/// Does the compiler evaluate such a node?
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
struct CheckDerivative {
    static constexpr auto refused = [] {
        const Program p = DerivativeProgram<f, S...>{}();
        const List<char> needed = needed_nodes(p);
        for (int i = 0; i < p.tape.size(); ++i)
            if (needed[i] && !is_constant_operation(p.tape[i])) return p.tape[i].operation;
        return Operation::constant;
    };
    static consteval auto check() {
        if constexpr (!std::is_invocable_v<decltype(f), Tensor<S>...>) {
            return Mistake<
                error_derivative_of_function_does_not_take_so_many_arguments<static_cast<int>(sizeof...(S))>>{};
        } else {
            using R = std::invoke_result_t<decltype(f), Tensor<S>...>;
            if constexpr (!is_tensor<R>) {
                return Mistake<error_derivative_of_needs_a_function_with_one_number_as_result_it_returns<R>>{};
            } else if constexpr (R::shape.rank > 0) {
                return Mistake<error_derivative_of_needs_a_function_with_one_number_as_result_it_returns<
                    typename Spelled<R::shape, R::shape.rank>::type>>{};
            } else {
                constexpr Operation o = refused();
                return MistakeIf<o != Operation::constant,
                                 error_derivative_of_has_an_operation_that_compilers_do_not_evaluate<
                                     operation_is<typename SpelledText<Text().append(name(o))>::type>>>{};
            }
        }
    }
    using mistake = MistakeOf<decltype(check())>;
};

template <auto f, Shape... S>
constexpr List<double> constant_gradients(const List<double>& inputs) {
    const Program p = DerivativeProgram<f, S...>{}();
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
        // What is the same for all elements may stand on the tape once.
        const auto& found = values[static_cast<std::size_t>(p.outputs[i].id)];
        for (long long k = 0; k < shapes[i].count(); ++k)
            all.push(found[found.size() == 1 ? 0 : static_cast<std::size_t>(k)].value);
    }
    return all;
}

}  // namespace detail

/// The derivative of a function over tensors, by its tape, while the program is compiled:
/// `static_assert(derivative_of<[](auto x) { return x * x; }>(3.0) == 6.0)`. Arguments are numbers and (nested)
/// std::arrays of them; of several, the gradients are a std::tuple. The function has one number as its result, and what
/// the derivative needs are functions of each element, comparisons, `where`, sums, products of matrices and views. exp,
/// sin and their like are correct to a few units in the last place of double. It runs when the program runs, too.
template <auto f, detail::AnyConstantArgument... A>
    requires(sizeof...(A) > 0 && detail::is_fine<detail::CheckDerivative<f, detail::ConstantArgument<A>::shape...>>)
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
    requires(sizeof...(A) > 0 && !detail::is_fine<detail::CheckDerivative<f, detail::ConstantArgument<A>::shape...>>)
constexpr typename detail::CheckDerivative<f, detail::ConstantArgument<A>::shape...>::mistake derivative_of(
    const A&... arguments);

}  // namespace sigma
