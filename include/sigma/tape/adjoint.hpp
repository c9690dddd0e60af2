// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/custom_functions.hpp>
#include <sigma/tape/geometry.hpp>
#include <sigma/tape/refusal.hpp>

#include <limits>

namespace sigma {

inline constexpr Fault error_custom_operation_has_no_gradient_inside_a_layer{
    "a layer or loss contains a gradient of a custom operation, whose gradient would be needed for training"};

}  // namespace sigma

namespace sigma::detail {

/// A node with its result and operands, as a rule sees it. In the loop of a gradient these are read from the stacks of
/// the forward loop.
struct Site {
    Node node{};
    Variable y{}, a{}, b{}, c{};

    constexpr explicit Site(Variable of)
        : node(of.node()), y(of), a(of.operand(0)), b(of.operand(1)), c(of.operand(2)) {}
    constexpr Site(const Node& n, Variable y_, Variable a_, Variable b_, Variable c_)
        : node(n), y(y_), a(a_), b(b_), c(c_) {}
};

/// Returns the part of a node's gradient `d` that flows to one of its operands, or a variable without a tape if none
/// does. With `only_check` it emits nothing and returns `d` if any gradient flows. Rules are written in tensor
/// operations, so they can be differentiated again. They may leave the gradient in a broadcast shape. Rules of
/// elementwise operations are in their rows in tape/operation.hpp.
constexpr Variable adjoint(const Site& site, Variable d, int which, bool only_check = false) {
    const Node& n = site.node;
    const Variable y = site.y, a = site.a, b = site.b;
    const bool each = n.attribute != 0, option = each;
    const auto zero = [&] { return constant(y.tape, 0); };
    const auto outer = [](Variable u, Variable v) {
        return product(Operation::dot, u, transpose_last(v), u.shape().rank > 2);
    };
    // x^0 is 1 for every x, so its gradient is 0 even if 0·x^-1 is no number: at 0, at NaN, and without a reciprocal.
    // 0^p is constant in p from 0 on. Values not chosen are finite there, also in derivatives of these.
    const auto to_base = [&] {
        if (b.is_constant() && b.node().constant == 0) return Variable{};
        const Variable none = zero(), one = constant(y.tape, 1);
        Variable is_flat = none;
        if (!b.is_constant()) {  // statements: operands have no order of evaluation
            const Variable infinity = constant(y.tape, std::numeric_limits<double>::infinity());
            const Variable has_reciprocal = less(abs(1.0 / a), infinity), has_none = where(has_reciprocal, none, one);
            const Variable is_zero = equal(b, none);
            is_flat = where(is_zero, has_none, none);
        }
        const Variable scaled = d * b, less_by_one = b - 1.0;
        const Variable exponent = where(is_flat, one, less_by_one);
        return where(is_flat, none, scaled * pow(a, exponent));
    };
    const auto to_exponent = [&] {
        if (a.is_constant() && a.node().constant != 0) {
            const Variable grown = d * y;
            return grown * log(a);
        }
        const Variable none = zero(), one = constant(y.tape, 1), is_zero = equal(a, none), goes = less_equal(none, b);
        const Variable is_flat = where(is_zero, goes, none), base = where(is_flat, one, a), scaled = d * y;
        return where(is_flat, none, scaled * log(base));
    };
    // The rule of maximum and minimum. Equal operands share the gradient; if one is NaN, both get it, as in libtorch.
    // A constant (relu) wins a tie.
    const auto to_winner = [&](Variable x, Variable other) {
        const bool is_max = n.operation == Operation::maximum;
        if (other.is_constant()) {  // the result shows it as well as the operand, and is in memory anyway
            const Variable lost = is_max ? less_equal(y, other) : less_equal(other, y);
            return where(lost, zero(), d);
        }
        const Variable lost = is_max ? less(x, other) : less(other, x), tied = equal(x, other), part = 0.5 * d;
        const Variable share = where(tied, part, d);
        return where(lost, zero(), share);
    };
#define SIGMA_TO(operand, ...) \
    if (which == operand) return only_check ? d : Variable(__VA_ARGS__)
#define SIGMA_flat()
#define SIGMA_comparison()
#define SIGMA_contraction()
#define SIGMA_unary(to_a) SIGMA_TO(0, to_a);
#define SIGMA_binary(to_a, to_b) \
    SIGMA_TO(0, to_a);           \
    SIGMA_TO(1, to_b);
#define SIGMA_ternary(to_b, to_c) \
    SIGMA_TO(1, to_b);            \
    SIGMA_TO(2, to_c);
#define SIGMA_CASE(name, kind, cost, value, ...) \
    case Operation::name: SIGMA_##kind(__VA_ARGS__) break;
    switch (n.operation) {
        SIGMA_OPERATIONS(SIGMA_NO_ROW, SIGMA_CASE, SIGMA_CASE)
        case Operation::sum: SIGMA_TO(0, expand(d, a.shape())); break;
        case Operation::reduce_maximum:
        case Operation::reduce_minimum: {
            const auto shared = [&] {  // among equal extremes; a row with a NaN has no other gradient
                const Variable lost = n.operation == Operation::reduce_maximum ? less(a, y) : less(y, a);
                const Variable kept = equal(lost, zero()), is_number = equal(y, y), whole = where(is_number, d, y);
                const Variable share = whole / reduce(Operation::sum, expand(kept, a.shape()), n.shape);
                return where(lost, zero(), share);
            };
            SIGMA_TO(0, shared());
            break;
        }
        case Operation::reshape: SIGMA_TO(0, reshape(d, a.shape())); break;
        case Operation::permute: SIGMA_TO(0, permute(d, inverse_order(n))); break;
        case Operation::slice: SIGMA_TO(0, pad(d, axis_of(n), first_of(n), a.shape()[axis_of(n)])); break;
        case Operation::pad: SIGMA_TO(0, slice(d, axis_of(n), first_of(n), a.shape()[axis_of(n)])); break;
        case Operation::concatenate:
            SIGMA_TO(0, slice(d, axis_of(n), 0, first_of(n)));
            SIGMA_TO(1, slice(d, axis_of(n), first_of(n), b.shape()[axis_of(n)]));
            break;
        case Operation::dot:
            SIGMA_TO(0, product(Operation::dot, d, transpose_last(b), each));
            SIGMA_TO(1, product(Operation::transposed_dot, a, d, each));
            break;
        case Operation::transposed_dot:
            SIGMA_TO(0, product(Operation::dot, b, transpose_last(d), each));
            SIGMA_TO(1, product(Operation::dot, a, d, each));
            break;
        case Operation::convolve: {
            const Convolution g = Convolution::unpacked(n.attribute);
            SIGMA_TO(0, convolve_input(d, turned(b, turned_order, g, a.shape()[3]), a.shape(), g));
            SIGMA_TO(1, convolve_weights(a, d, b.shape(), g));
            break;
        }
        case Operation::convolve_input: {
            const Convolution g = Convolution::unpacked(n.attribute);
            const auto weights = [&] { return turned(b, unturned_order, g, n.shape[3]); };
            SIGMA_TO(0, convolve(d, weights(), g));
            SIGMA_TO(1, turned(convolve_weights(d, a, weights().shape(), g), turned_order, g, n.shape[3]));
            break;
        }
        case Operation::convolve_weights: {
            const Convolution g = Convolution::unpacked(n.attribute);
            SIGMA_TO(0, convolve_input(b, turned(d, turned_order, g, a.shape()[3]), a.shape(), g));
            SIGMA_TO(1, convolve(a, d, g));
            break;
        }
        case Operation::pool_max: SIGMA_TO(0, unpool(a, y, d, n.attribute)); break;
        case Operation::unpool: SIGMA_TO(2, pool_select(a, b, d, n.attribute)); break;
        case Operation::pool_select: SIGMA_TO(2, unpool(a, b, d, n.attribute)); break;
        case Operation::gather: SIGMA_TO(0, scatter_add(d, b, a.shape()[0])); break;
        case Operation::scatter_add: SIGMA_TO(0, gather(d, b)); break;
        case Operation::linear_recurrence: {
            const auto flow = [&] { return linear_recurrence(a, d, !option); };
            const auto to_factors = [&] {
                const Variable f = flow();
                return option ? delayed(f) * y : f * delayed(y);
            };
            SIGMA_TO(0, to_factors());
            SIGMA_TO(1, flow());
            break;
        }
        case Operation::gather_along: SIGMA_TO(0, scatter_add_along(d, b, a.shape().last())); break;
        case Operation::scatter_add_along: SIGMA_TO(0, gather_along(d, b)); break;
        case Operation::solve: {
            const auto flow = [&] { return solve(a, d, site.c, !option); };
            const auto to_matrix = [&] {
                const Variable f = flow();
                return -(option ? outer(y, f) : outer(f, y));
            };
            SIGMA_TO(0, to_matrix());
            SIGMA_TO(1, flow());
            break;
        }
        case Operation::determinant: SIGMA_TO(0, d * cofactors(a, b)); break;
        case Operation::cofactors: {  // C = |A|·A⁻ᵀ; for a singular A, this derivative is not available
            const auto to_matrix = [&] {
                const int rank = y.shape().rank;
                const Shape one = y.shape().with(rank - 1, 1).with(rank - 2, 1);
                const Variable total = reduce(Operation::sum, d * y, one);
                const Variable unit = identity_matrix(y.tape, y.shape().last());
                const Variable turned = product(Operation::transposed_dot, d, y, rank > 2);
                return solve(a, total * unit - turned, b, true);
            };
            SIGMA_TO(0, to_matrix());
            break;
        }
        case Operation::log_determinant:
            if (!option) SIGMA_TO(0, solve(a, d * identity_matrix(y.tape, a.shape().last()), b, true));
            break;
        case Operation::custom_rows:
        case Operation::custom_matrices: {
            const auto gradient_of = [&](Variable x, std::uint64_t part) {
                if (const auto* const trace = static_cast<const Trace*>(y.tape->tracer.tracer);
                    trace != nullptr && trace->kind != nullptr)  // within a layer
                    refuse(*y.tape, error_custom_operation_has_no_gradient_inside_a_layer, {}, {}, {}, {});
                if ((n.attribute & 3) != 0) error_custom_operation_has_first_derivatives_only(n.attribute);
                const Variable whole = expand(d, n.shape);
                const bool unary = b.id < 0;  // with two operands, y and d are one block, side by side
                const Variable second = unary ? y : b, third = unary ? whole : concatenate(y, whole, n.shape.rank - 1);
                return block(n.operation, block_of(x.shape(), block_rank(n.operation)), a, second, third,
                             n.attribute + part);
            };
            if ((n.attribute & has_custom_gradient) == 0) break;
            SIGMA_TO(0, gradient_of(a, 1));
            SIGMA_TO(1, gradient_of(b, 2));
            SIGMA_TO(2, gradient_of(site.c, 3));
            break;
        }
        default: break;  // leaves, argmax, argsort, factors: no gradient flows
    }
#undef SIGMA_CASE
#undef SIGMA_ternary
#undef SIGMA_binary
#undef SIGMA_unary
#undef SIGMA_contraction
#undef SIGMA_comparison
#undef SIGMA_flat
#undef SIGMA_TO
    return {};
}

/// The rules. A test replaces this class to show that a wrong rule is detected.
struct Adjoints {
    constexpr Variable operator()(const Site& site, Variable d, int which) const { return adjoint(site, d, which); }
};

}  // namespace sigma::detail
