// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/geometry.hpp>

namespace sigma {

/// Emits what flows from `y`, given its gradient `d`, to its operands: `give(which, rule)` for each of them, where the
/// rule runs only if somebody needs the gradient of that operand. Rules are written in the language itself, so they can
/// be differentiated again; they may leave the gradient in a broadcast shape.
template <class Give>
constexpr void adjoint(Variable y, Variable d, Give give) {
    const Node n = y.node();
    const Variable a{y.tape, n.a}, b{y.tape, n.b};
    const auto zero = [&] { return constant(y.tape, 0); };
    const bool each = n.attribute != 0;
    switch (n.operation) {
        case Operation::copy: give(0, [&] { return d; }); break;
        case Operation::expand: give(0, [&] { return d; }); break;
        case Operation::negate: give(0, [&] { return -d; }); break;
        case Operation::absolute: give(0, [&] { return d * sign(a); }); break;
        case Operation::exp: give(0, [&] { return d * y; }); break;
        case Operation::log: give(0, [&] { return d / a; }); break;
        case Operation::log1p: give(0, [&] { return d / (1.0 + a); }); break;
        case Operation::expm1: give(0, [&] { return d * (1.0 + y); }); break;
        case Operation::sqrt: give(0, [&] { return 0.5 * (d / y); }); break;
        case Operation::rsqrt: give(0, [&] { return -0.5 * (d * (y * y * y)); }); break;
        case Operation::tanh: give(0, [&] { return d * (1.0 - y * y); }); break;
        case Operation::sigmoid: give(0, [&] { return d * (y * (1.0 - y)); }); break;
        case Operation::sin: give(0, [&] { return d * cos(a); }); break;
        case Operation::cos: give(0, [&] { return -(d * sin(a)); }); break;
        case Operation::add:
            give(0, [&] { return d; });
            give(1, [&] { return d; });
            break;
        case Operation::subtract:
            give(0, [&] { return d; });
            give(1, [&] { return -d; });
            break;
        case Operation::multiply:
            give(0, [&] { return d * b; });
            give(1, [&] { return d * a; });
            break;
        case Operation::divide:
            give(0, [&] { return d / b; });
            give(1, [&] { return -(d * y / b); });
            break;
        case Operation::power:  // x^0 has gradient 0 even at x = 0, and 0^p has no finite gradient in p: 0 is taken
            give(0, [&] { return where(equal(b, zero()), zero(), d * b * pow(a, b - 1.0)); });
            give(1, [&] { return where(equal(a, zero()), zero(), d * y * log(a)); });
            break;
        case Operation::maximum:
        case Operation::minimum: {
            // The smaller side of the comparison loses; equal operands share the gradient. Against a constant (relu)
            // the constant wins a tie.
            const bool is_max = n.operation == Operation::maximum;
            const auto wins = [&](Variable x, Variable other) {
                // The result tells as well as the operand, and is in memory anyway.
                if (other.is_constant()) return where(is_max ? less(other, y) : less(y, other), d, zero());
                const Variable strictly = is_max ? less(other, x) : less(x, other);
                return where(strictly, d, where(equal(x, other), 0.5 * d, zero()));
            };
            give(0, [&] { return wins(a, b); });
            give(1, [&] { return wins(b, a); });
            break;
        }
        case Operation::where:
            give(1, [&] { return where(a, d, zero()); });
            give(2, [&] { return where(a, zero(), d); });
            break;
        case Operation::sum: give(0, [&] { return expand(d, a.shape()); }); break;
        case Operation::reduce_maximum:
        case Operation::reduce_minimum:
            give(0, [&] {  // equal extremes share the gradient
                const Variable extreme = equal(a, y);
                return where(extreme, d / reduce(Operation::sum, expand(extreme, a.shape()), n.shape), zero());
            });
            break;
        case Operation::reshape: give(0, [&] { return reshape(d, a.shape()); }); break;
        case Operation::permute: give(0, [&] { return permute(d, inverse_order(n)); }); break;
        case Operation::slice: give(0, [&] { return pad(d, axis_of(n), first_of(n), a.shape()[axis_of(n)]); }); break;
        case Operation::pad: give(0, [&] { return slice(d, axis_of(n), first_of(n), a.shape()[axis_of(n)]); }); break;
        case Operation::concatenate:
            give(0, [&] { return slice(d, axis_of(n), 0, first_of(n)); });
            give(1, [&] { return slice(d, axis_of(n), first_of(n), b.shape()[axis_of(n)]); });
            break;
        case Operation::dot:
            give(0, [&] { return product(Operation::dot, d, transpose_last(b), each); });
            give(1, [&] { return product(Operation::transposed_dot, a, d, each); });
            break;
        case Operation::transposed_dot:
            give(0, [&] { return product(Operation::dot, b, transpose_last(d), each); });
            give(1, [&] { return product(Operation::dot, a, d, each); });
            break;
        case Operation::convolve: {
            const Convolution g = Convolution::unpacked(n.attribute);
            give(0, [&] { return convolve_input(d, turned(b, turned_order, g, a.shape()[3]), a.shape(), g); });
            give(1, [&] { return convolve_weights(a, d, b.shape(), g); });
            break;
        }
        case Operation::convolve_input: {
            const Convolution g = Convolution::unpacked(n.attribute);
            const auto weights = [&] { return turned(b, unturned_order, g, n.shape[3]); };
            give(0, [&] { return convolve(d, weights(), g); });
            give(1, [&] {
                return turned(convolve_weights(d, a, weights().shape(), g), turned_order, g, n.shape[3]);
            });
            break;
        }
        case Operation::convolve_weights: {
            const Convolution g = Convolution::unpacked(n.attribute);
            give(0, [&] { return convolve_input(b, turned(d, turned_order, g, a.shape()[3]), a.shape(), g); });
            give(1, [&] { return convolve(a, d, g); });
            break;
        }
        case Operation::pool_max: give(0, [&] { return unpool(a, y, d, n.attribute); }); break;
        case Operation::unpool: give(2, [&] { return pool_select(a, b, d, n.attribute); }); break;
        case Operation::pool_select: give(2, [&] { return unpool(a, b, d, n.attribute); }); break;
        case Operation::gather: give(0, [&] { return scatter_add(d, b, a.shape()[0]); }); break;
        case Operation::scatter_add: give(0, [&] { return gather(d, b); }); break;
        default: break;  // leaves, comparisons, sign, argmax and stop_gradient let nothing through
    }
}

/// The rules as they are. A test replaces this to show that a wrong rule does not go unnoticed.
struct Adjoints {
    template <class Give>
    constexpr void operator()(Variable y, Variable d, Give give) const {
        adjoint(y, d, give);
    }
};

/// Gradients of `root` with respect to `wrt`, contracted with `upstream` (a value of the root's shape), in one backward
/// loop over the tape. What does not depend on `wrt` is not visited, and no gradient is emitted that nobody needs.
template <class Rules = Adjoints>
constexpr List<Variable> differentiate(Variable root, Variable upstream, const List<Variable>& wrt, Rules rules = {}) {
    Tape& tape = *root.tape;
    List<int> gradient(tape.size(), -1);
    List<char> needed(tape.size(), 0);
    for (const Variable& w : wrt) needed[w.id] = 1;
    for (int i = 0; i <= root.id; ++i) {
        const Node& n = tape[i];
        if (n.operation == Operation::stop_gradient || needed[i]) continue;
        needed[i] = (n.a >= 0 && needed[n.a]) || (n.b >= 0 && needed[n.b]) || (n.c >= 0 && needed[n.c]);
    }
    gradient[root.id] = expand(upstream, root.shape()).id;
    for (int i = root.id; i >= 0; --i) {
        if (gradient[i] < 0 || !needed[i]) continue;
        const Variable y{&tape, i};
        rules(y, Variable{&tape, gradient[i]}, [&](int which, auto rule) {
            const Variable x = y.operand(which);
            if (!needed[x.id]) return;
            const Variable rough = rule();
            const Variable d = sum_to(expand(rough, broadcast(rough.shape(), x.shape())), x.shape());
            int& total = gradient[x.id];
            total = total < 0 ? d.id : (Variable{&tape, total} + d).id;
        });
    }
    List<Variable> result;
    for (const Variable& w : wrt)
        result.push(gradient[w.id] < 0 ? expand(constant(&tape, 0), w.shape()) : Variable{&tape, gradient[w.id]});
    return result;
}

}  // namespace sigma
