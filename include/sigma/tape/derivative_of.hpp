// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/text.hpp>
#include <sigma/tape/along_axis.hpp>
#include <sigma/tape/compose.hpp>
#include <sigma/tape/constant_math.hpp>
#include <sigma/tape/differentiate.hpp>
#include <sigma/tape/ends.hpp>
#include <sigma/tape/mistake.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

/// Derivatives that the compiler computes, for static_assert and constants. Not part of sigma.hpp.
namespace sigma {

template <class Name>
struct operation_is;
/// Sorting, random numbers, convolutions and their like; `gradient(f)(x)` computes them when the program runs.
template <class Operation>
struct error_derivative_of_has_an_operation_that_compilers_do_not_evaluate;
template <class>
struct error_derivative_of_needs_a_function_with_one_number_as_result_it_returns;
template <int>
struct error_derivative_of_function_does_not_take_so_many_arguments;

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

/// Evaluates the nodes of a tape without batches that its outputs need.
class ConstantEvaluation {
public:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    constexpr explicit ConstantEvaluation(const Program& p) : tape_(p.tape), needed_(p.tape.size(), false) {
        for (const Variable& v : p.outputs) needed_[v.id] = true;
        for (int i = tape_.size(); i-- > 0;) {
            if (!needed_[i]) continue;
            for (const int operand : {tape_[i].a, tape_[i].b, tape_[i].c})
                if (operand >= 0) needed_[operand] = true;
        }
    }
    /// The first node that it cannot evaluate, or -1.
    constexpr int refused() const {
        for (int i = 0; i < tape_.size(); ++i)
            if (needed_[i] && !takes(tape_[i])) return i;
        return -1;
    }
    /// `inputs` are one after the other, as their leaves are.
    constexpr void run(const List<double>& inputs) {
        int next_input = 0;
        for (int i = 0; i < tape_.size(); ++i) {
            const Node& n = tape_[i];
            const int count = static_cast<int>(n.shape.count());
            at_.push(values_.size());
            if (n.operation == Operation::input) {
                for (int k = 0; k < count; ++k) values_.push(inputs[next_input++]);
            } else if (needed_[i]) {
                for (int k = 0; k < count; ++k) values_.push(element(n, k));
            }
        }
    }
    constexpr const double* values(Variable v) const { return values_.begin() + at_[v.id]; }

private:
    const Tape& tape_;
    List<char> needed_;
    List<int> at_;
    List<double> values_;

    constexpr bool takes(const Node& n) const {
        switch (n.operation) {
            case Operation::input:
            case Operation::constant:
            case Operation::iota:
            case Operation::copy:
            case Operation::expand:
            case Operation::stop_gradient:
            case Operation::negate:
            case Operation::absolute:
            case Operation::sign:
            case Operation::exp:
            case Operation::log:
            case Operation::log1p:
            case Operation::expm1:
            case Operation::sqrt:
            case Operation::rsqrt:
            case Operation::tanh:
            case Operation::sigmoid:
            case Operation::sin:
            case Operation::cos:
            case Operation::tan:
            case Operation::asin:
            case Operation::acos:
            case Operation::atan:
            case Operation::erf:
            case Operation::floor:
            case Operation::round:
            case Operation::power:
            case Operation::mod:
            case Operation::add:
            case Operation::subtract:
            case Operation::multiply:
            case Operation::divide:
            case Operation::maximum:
            case Operation::minimum:
            case Operation::less:
            case Operation::less_equal:
            case Operation::equal:
            case Operation::where:
            case Operation::sum:
            case Operation::reduce_maximum:
            case Operation::reduce_minimum:
            case Operation::reshape:
            case Operation::permute:
            case Operation::slice:
            case Operation::pad:
            case Operation::concatenate: return true;
            case Operation::dot:
            case Operation::transposed_dot: return n.attribute == 0;
            default: return false;
        }
    }

    struct Index {
        int of[max_rank]{};
    };
    static constexpr Index index_of(int element, const Shape& s) {
        Index index;
        for (int i = s.rank; i-- > 0; element /= s[i]) index.of[i] = element % s[i];
        return index;
    }
    static constexpr int element_at(const Index& index, const Shape& s) {
        int element = 0;
        for (int i = 0; i < s.rank; ++i) element = element * s[i] + index.of[i];
        return element;
    }
    /// Of an operand that broadcasts to the shape `to`.
    constexpr double operand(int which, const Index& index, const Shape& to) const {
        const Shape& s = tape_[which].shape;
        Index own;
        for (int i = 0; i < s.rank; ++i)
            if (s[i] > 1) own.of[i] = index.of[to.rank - s.rank + i];
        return at(which, element_at(own, s));
    }
    constexpr double at(int which, int element) const { return values_[at_[which] + element]; }
    /// A division by 0 is no constant, but has a value.
    static constexpr double quotient(double a, double b) {
        if (b != 0) return a / b;
        return a == 0 || a != a ? nan : a > 0 ? infinity : -infinity;
    }

    constexpr double element(const Node& n, int k) const {
        const Index index = index_of(k, n.shape);
        switch (n.operation) {
            case Operation::constant: return n.constant;
            case Operation::iota: return index.of[static_cast<int>(n.attribute)];
            case Operation::reshape: return at(n.a, k);
            case Operation::sum:
            case Operation::reduce_maximum:
            case Operation::reduce_minimum: return reduced(n, index);
            case Operation::permute: {
                Index from;
                for (int i = 0; i < n.shape.rank; ++i) from.of[source_axis(n, i)] = index.of[i];
                return at(n.a, element_at(from, tape_[n.a].shape));
            }
            case Operation::slice: return at(n.a, element_at(moved(index, n, first_of(n)), tape_[n.a].shape));
            case Operation::pad: {
                const int inside = index.of[axis_of(n)] - first_of(n);
                if (inside < 0 || inside >= tape_[n.a].shape[axis_of(n)]) return 0;
                return at(n.a, element_at(moved(index, n, -first_of(n)), tape_[n.a].shape));
            }
            case Operation::concatenate:
                if (index.of[axis_of(n)] < first_of(n)) return at(n.a, element_at(index, tape_[n.a].shape));
                return at(n.b, element_at(moved(index, n, -first_of(n)), tape_[n.b].shape));
            case Operation::dot: {  // rows of all leading axes by a matrix
                const int inner = tape_[n.a].shape.last(), columns = n.shape.last();
                double total = 0;
                for (int i = 0; i < inner; ++i)
                    total += at(n.a, k / columns * inner + i) * at(n.b, i * columns + k % columns);
                return total;
            }
            case Operation::transposed_dot: {
                const int rows = tape_[n.a].shape.last(), columns = n.shape.last();
                const int inner = static_cast<int>(tape_[n.a].shape.count()) / rows;
                double total = 0;
                for (int i = 0; i < inner; ++i)
                    total += at(n.a, i * rows + k / columns) * at(n.b, i * columns + k % columns);
                return total;
            }
            default: break;
        }
        const double a = operand(n.a, index, n.shape), b = n.b < 0 ? 0 : operand(n.b, index, n.shape);
        switch (n.operation) {
            case Operation::negate: return -a;
            case Operation::absolute: return a < 0 ? -a : a;
            case Operation::sign: return a > 0 ? 1 : a < 0 ? -1 : a;
            case Operation::add: return a + b;
            case Operation::subtract: return a - b;
            case Operation::multiply: return a * b;
            case Operation::divide: return quotient(a, b);
            case Operation::power: return constant_math::pow(a, b);
            case Operation::mod: return constant_math::mod(a, b);
            case Operation::exp: return constant_math::exp(a);
            case Operation::log: return constant_math::log(a);
            case Operation::log1p: return constant_math::log1p(a);
            case Operation::expm1: return constant_math::expm1(a);
            case Operation::sqrt: return constant_math::sqrt(a);
            case Operation::rsqrt: return quotient(1, constant_math::sqrt(a));
            case Operation::tanh: return constant_math::tanh(a);
            case Operation::sigmoid: return constant_math::sigmoid(a);
            case Operation::sin: return constant_math::sin(a);
            case Operation::cos: return constant_math::cos(a);
            case Operation::tan: return constant_math::tan(a);
            case Operation::asin: return constant_math::asin(a);
            case Operation::acos: return constant_math::acos(a);
            case Operation::atan: return constant_math::atan(a);
            case Operation::erf: return constant_math::erf(a);
            case Operation::floor: return constant_math::floor(a);
            case Operation::round: return constant_math::round(a);
            case Operation::maximum: return a != a || a > b ? a : b;
            case Operation::minimum: return a != a || a < b ? a : b;
            case Operation::less: return a < b;
            case Operation::less_equal: return a <= b;
            case Operation::equal: return a == b;
            case Operation::where: return a != 0 ? b : operand(n.c, index, n.shape);
            default: return a;  // copy, expand, stop_gradient
        }
    }
    static constexpr Index moved(Index index, const Node& n, int by) {
        index.of[axis_of(n)] += by;
        return index;
    }
    /// Over the axes in which the operand is longer.
    constexpr double reduced(const Node& n, const Index& index) const {
        const Shape& s = tape_[n.a].shape;
        double result = n.operation == Operation::sum              ? 0
                        : n.operation == Operation::reduce_maximum ? -infinity
                                                                   : infinity;
        for (int k = 0; k < static_cast<int>(s.count()); ++k) {
            const Index from = index_of(k, s);
            bool inside = true;
            for (int i = 0; i < s.rank; ++i) inside = inside && (n.shape[i] != s[i] || from.of[i] == index.of[i]);
            if (!inside) continue;
            const double x = at(n.a, k);
            if (n.operation == Operation::sum) result += x;
            else if (x != x || (n.operation == Operation::reduce_maximum ? x > result : x < result)) result = x;
        }
        return result;
    }
};

template <auto f, Shape... S>
struct CheckDerivative {
    static constexpr auto refused = [] {
        const Program p = DerivativeProgram<f, S...>{}();
        const int node = ConstantEvaluation(p).refused();
        return node < 0 ? Operation::constant : p.tape[node].operation;
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
    ConstantEvaluation evaluation(p);
    evaluation.run(inputs);
    List<double> all;
    const Shape shapes[]{S...};
    for (int i = 0; i < p.outputs.size(); ++i) {
        // What is the same for all elements may stand on the tape once.
        const int given = static_cast<int>(p.tape[p.outputs[i].id].shape.count());
        const int count = static_cast<int>(shapes[i].count());
        for (int k = 0; k < count; ++k) all.push(evaluation.values(p.outputs[i])[given == 1 ? 0 : k]);
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
