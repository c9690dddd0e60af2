// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/chosen_gradient.hpp>
#include <sigma/tape/geometry.hpp>
#include <sigma/tape/loops.hpp>

namespace sigma::detail {

/// A node that a rule looks at, with its result and operands; in the loops of a gradient these are read back from where
/// the forward loop has left them.
struct Site {
    Node node{};
    Variable y{}, a{}, b{}, c{};

    constexpr explicit Site(Variable of)
        : node(of.node()), y(of), a(of.operand(0)), b(of.operand(1)), c(of.operand(2)) {}
    constexpr Site(const Node& n, Variable y_, Variable a_, Variable b_, Variable c_)
        : node(n), y(y_), a(a_), b(b_), c(c_) {}
    constexpr Variable operand(int which) const { return which == 0 ? a : which == 1 ? b : c; }
};

/// Emits what flows from a node, given its gradient `d`, to its operands: `give(which, rule)` for each of them, where
/// the rule runs only if somebody needs the gradient of that operand. Rules are written in the language itself, so they
/// can be differentiated again; they may leave the gradient in a broadcast shape.
template <class Give>
constexpr void adjoint(const Site& site, Variable d, Give give) {
    const Node& n = site.node;
    const Variable y = site.y, a = site.a, b = site.b;
    const auto zero = [&] { return constant(y.tape, 0); };
    const bool each = n.attribute != 0, option = each;
    const auto outer = [](Variable u, Variable v) {
        return product(Operation::dot, u, transpose_last(v), u.shape().rank > 2);
    };
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
        case Operation::tan: give(0, [&] { return d * (1.0 + y * y); }); break;
        case Operation::asin: give(0, [&] { return d * rsqrt(1.0 - a * a); }); break;
        case Operation::acos: give(0, [&] { return -(d * rsqrt(1.0 - a * a)); }); break;
        case Operation::atan: give(0, [&] { return d / (1.0 + a * a); }); break;
        case Operation::erf: give(0, [&] { return d * (1.1283791670955126 * exp(-(a * a))); }); break;  // 2/√π
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
        case Operation::power: {
            // 0^0 has gradient 0 in x, and 0^p has no finite gradient in p: 0 is taken. What is not chosen is finite
            // there, in derivatives of these, too.
            give(0, [&] {
                const Variable is_zero = equal(a, zero()), is_flat = where(equal(b, zero()), is_zero, zero());
                const Variable scaled = d * b, less = b - 1.0;
                const Variable exponent = where(is_flat, constant(y.tape, 1), less);
                return where(is_flat, zero(), scaled * pow(a, exponent));
            });
            give(1, [&] {
                const Variable is_zero = equal(a, zero()), scaled = d * y;
                const Variable base = where(is_zero, constant(y.tape, 1), a);
                return where(is_zero, zero(), scaled * log(base));
            });
            break;
        }
        case Operation::mod:  // a/b may be rounded up to a whole number; (a - y)/b is one but for its rounding
            give(0, [&] { return d; });
            give(1, [&] { return -(d * round((a - y) / b)); });
            break;
        case Operation::maximum:
        case Operation::minimum: {
            // The smaller side of the comparison loses, and a number loses against NaN; equal operands share the
            // gradient. Against a constant (relu) the constant wins a tie.
            const bool is_max = n.operation == Operation::maximum;
            const auto wins = [&](Variable x, Variable other) {
                // The result tells as well as the operand, and is in memory anyway.
                if (other.is_constant()) {
                    const Variable lost = is_max ? less_equal(y, other) : less_equal(other, y);
                    return where(lost, zero(), d);
                }
                const Variable strictly = is_max ? less(other, x) : less(x, other);
                const Variable tied = equal(x, other), part = 0.5 * d, is_number = equal(x, x);
                const Variable rest = where(is_number, zero(), d), share = where(tied, part, rest);
                return where(strictly, d, share);
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
                const Variable share = d / reduce(Operation::sum, expand(extreme, a.shape()), n.shape);
                return where(extreme, share, zero());
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
            give(1, [&] { return turned(convolve_weights(d, a, weights().shape(), g), turned_order, g, n.shape[3]); });
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
        case Operation::linear_recurrence: {
            const auto flow = [&] { return linear_recurrence(a, d, !option); };
            give(0, [&] {
                const Variable f = flow();
                return option ? delayed(f) * y : f * delayed(y);
            });
            give(1, flow);
            break;
        }
        case Operation::gather_along: give(0, [&] { return scatter_add_along(d, b, a.shape().last()); }); break;
        case Operation::scatter_add_along: give(0, [&] { return gather_along(d, b); }); break;
        case Operation::solve: {
            const auto flow = [&] { return solve(a, d, site.c, !option); };
            give(0, [&] {
                const Variable f = flow();
                return -(option ? outer(y, f) : outer(f, y));
            });
            give(1, flow);
            break;
        }
        case Operation::determinant: give(0, [&] { return d * cofactors(a, b); }); break;
        case Operation::cofactors:  // C = |A|·A⁻ᵀ; where A is singular its own derivative is not found
            give(0, [&] {
                const int rank = y.shape().rank;
                const Shape one = y.shape().with(rank - 1, 1).with(rank - 2, 1);
                const Variable total = reduce(Operation::sum, d * y, one);
                const Variable unit = identity_matrix(y.tape, y.shape().last());
                const Variable turned = product(Operation::transposed_dot, d, y, rank > 2);
                return solve(a, total * unit - turned, b, true);
            });
            break;
        case Operation::log_determinant:
            if (!option) give(0, [&] { return solve(a, d * identity_matrix(y.tape, a.shape().last()), b, true); });
            break;
        default: break;  // leaves, comparisons, sign, floor, round, argmax, argsort, stop_gradient: none passes
    }
}

/// The rules as they are. A test replaces this to show that a wrong rule does not go unnoticed.
struct Adjoints {
    template <class Give>
    constexpr void operator()(const Site& site, Variable d, Give give) const {
        adjoint(site, d, give);
    }
};

template <class Rules>
class Differentiation {
public:
    constexpr Differentiation(Variable root, const List<Variable>& wrt, Rules rules)
        : tape_(*root.tape), rules_(rules), loops_(tape_), gradient_(tape_.size(), -1), needed_(tape_.size(), 0),
          pieces_(tape_.size(), -1) {
        for (const Variable& w : wrt) needed_[w.id] = 1;
        while (mark()) {}
    }
    constexpr void run(Variable root, Variable upstream) {
        gradient_[root.id] = expand(upstream, root.shape()).id;
        for (int i = root.id; i >= 0; --i) {
            const int loop = loops_.of(i);
            if (loop >= 0) {
                if (loops_.last(loop) == i) backwards(loop);
                continue;
            }
            if (!needed_[i] || !settle(i)) continue;
            const Operation o = tape_[i].operation;
            if (o == Operation::stack || o == Operation::advance) continue;  // taken up with their loop
            flow(Site(Variable{&tape_, i}), at(gradient_[i]));
        }
    }
    /// The gradient of `w`, zeros where none reaches it.
    constexpr Variable of(Variable w) {
        return settle(w.id) ? at(gradient_[w.id]) : expand(constant(&tape_, 0), w.shape());
    }

private:
    Tape& tape_;
    Rules rules_;
    LoopMembers loops_;
    List<int> gradient_;
    List<char> needed_;
    struct Piece {  // of the gradient of a value that is used slice by slice
        int axis, first, extent, value, next;
    };
    List<int> pieces_;  // of each node the latest, or -1
    List<Piece> all_pieces_{};

    constexpr Variable at(int i) { return {&tape_, i}; }

    /// Does it depend on what is asked for? True when a value that goes round a loop was found to, so that what stands
    /// before it must be looked at again.
    constexpr bool mark() {  // the whole tape: how a scan goes on stands after its results
        for (int i = 0; i < needed_.size(); ++i) {
            const Node& n = tape_[i];
            if (n.operation == Operation::stop_gradient || needed_[i]) continue;
            needed_[i] = (n.a >= 0 && needed_[n.a]) || (n.b >= 0 && needed_[n.b]) || (n.c >= 0 && needed_[n.c]);
        }
        bool again = false;
        if (loops_.count() == 0) return false;
        for (int i = 0; i < needed_.size(); ++i) {
            const Node& n = tape_[i];
            if (n.operation != Operation::advance || !needed_[n.b] || needed_[n.a]) continue;
            needed_[n.a] = 1;
            again = true;
        }
        return again;
    }

    // ---- accumulation ----

    constexpr void add(int to, Variable d) {
        int& total = gradient_[to];
        total = total < 0 ? d.id : (at(total) + d).id;
    }
    constexpr Variable fitted(Variable rough, Shape s) { return sum_to(expand(rough, broadcast(rough.shape(), s)), s); }
    constexpr void flow(const Site& site, Variable d) {
        const ChosenGradient chosen(site.node.operation, d);
        rules_(site, chosen.value, [&](int which, auto rule) {
            const Variable x = site.operand(which);
            if (needed_[x.id]) receive(site, x.id, x.shape(), chosen.choose(rule()));
        });
    }
    constexpr void receive(const Site& site, int to, Shape s, Variable rough) {
        const Node n = rough.node();
        if (site.node.operation == Operation::slice && n.operation == Operation::pad)
            pieces_[to] = all_pieces_.push({axis_of(n), first_of(n), tape_[n.a].shape[axis_of(n)], n.a, pieces_[to]});
        else add(to, fitted(rough, s));
    }
    /// Completes the gradient of a node. Slices that do not overlap are put side by side, which costs no addition and
    /// no clearing. False where nothing flows.
    constexpr bool settle(int i) {
        if (pieces_[i] < 0) return gradient_[i] >= 0;
        List<Piece> sorted;
        for (int p = pieces_[i]; p >= 0; p = all_pieces_[p].next) insert(sorted, all_pieces_[p]);
        pieces_[i] = -1;
        const Shape s = tape_[i].shape;
        const int axis = sorted[0].axis;
        bool disjoint = sorted.size() > 1;
        for (int p = 1; p < sorted.size(); ++p)
            disjoint =
                disjoint && sorted[p].axis == axis && sorted[p - 1].first + sorted[p - 1].extent <= sorted[p].first;
        if (!disjoint) {
            for (const Piece& p : sorted) add(i, pad(at(p.value), p.axis, p.first, s[p.axis]));
            return true;
        }
        Variable row = at(sorted[0].value);
        if (sorted[0].first > 0) row = concatenate(zeros(s.with(axis, sorted[0].first)), row, axis);
        int end = sorted[0].first + sorted[0].extent;
        for (int p = 1; p < sorted.size(); ++p) {
            if (sorted[p].first > end) row = concatenate(row, zeros(s.with(axis, sorted[p].first - end)), axis);
            row = concatenate(row, at(sorted[p].value), axis);
            end = sorted[p].first + sorted[p].extent;
        }
        if (end < s[axis]) row = concatenate(row, zeros(s.with(axis, s[axis] - end)), axis);
        add(i, row);
        return true;
    }
    /// In order; what is given for one slice twice is added.
    constexpr void insert(List<Piece>& sorted, Piece p) {
        for (Piece& other : sorted)
            if (other.axis == p.axis && other.first == p.first && other.extent == p.extent) {
                other.value = (at(other.value) + at(p.value)).id;
                return;
            }
        sorted.push(p);
        for (int k = sorted.size() - 1; k > 0 && sorted[k].first < sorted[k - 1].first; --k) {
            const Piece t = sorted[k];
            sorted[k] = sorted[k - 1];
            sorted[k - 1] = t;
        }
    }
    constexpr Variable zeros(const Shape& s) { return expand(constant(&tape_, 0), s); }

    // ---- loops ----

    /// The value of node `i` of a loop at all positions; of a value from outside, the same for all.
    constexpr Variable lifted(int i, int loop) {
        const Node n = tape_[i];
        if (loops_.of(i) == loop) return n.operation == Operation::step ? at(n.a) : stack(at(i), loop);
        return n.shape.batched() ? reshape(at(i), n.shape.inserted(1, 1)) : at(i);
    }
    /// The gradient of a loop is a loop in the other direction, which finds the values of the first where stacks have
    /// kept them. What flows to values from outside, weights above all, is summed afterwards over all positions at
    /// once.
    constexpr void backwards(int loop) {
        const Loop forward = tape_.loops()[loop];
        const int size = gradient_.size(), end = loops_.last(loop) + 1;
        bool reached = false;
        List<int> advances, nodes;
        for (int i = 0; i < size; ++i) {
            if (loops_.of(i) == loop && needed_[i]) nodes.push(i);
            const Node n = tape_[i];
            if (n.operation == Operation::stack && loop_of(n) == loop && needed_[i] && settle(i)) reached = true;
            if (n.operation == Operation::advance && loop_of(n) == loop && needed_[n.a]) advances.push(i);
        }
        if (!reached) return;
        const int back = tape_.add_loop({forward.count, !forward.backwards});
        List<int> proxy(end, -1), carries;
        const auto seen = [&](int i) {  // a value of the forward loop as this one sees it
            if (i < 0 || loops_.of(i) != loop) return at(i);
            if (proxy[i] < 0) proxy[i] = step(lifted(i, loop), back).id;
            return at(proxy[i]);
        };
        for (int k = 0; k < advances.size(); ++k) {
            const Node n = tape_[advances[k]];
            carries.push(carry(zeros(n.shape), back, k).id);
            if (loops_.of(n.b) == loop) add(n.b, at(carries[k]));
            else if (needed_[n.b]) throw "the next state of a scan is a value from outside that is trained";
        }
        for (int i = 0; i < size; ++i)
            if (tape_[i].operation == Operation::stack && loop_of(tape_[i]) == loop && needed_[i] && gradient_[i] >= 0)
                add(tape_[i].a, step(at(gradient_[i]), back));
        struct Outside {
            int node, which;
        };
        List<Outside> outside;
        for (int k = nodes.size() - 1; k >= 0; --k) {
            const int i = nodes[k];
            const Node n = tape_[i];
            if (n.operation == Operation::step || n.operation == Operation::carry || !settle(i)) continue;
            const Variable y = seen(i);
            const Variable a = seen(n.a);
            const Variable b = seen(n.b);
            const Site site(n, y, a, b, seen(n.c));
            const ChosenGradient chosen(n.operation, at(gradient_[i]));
            rules_(site, chosen.value, [&](int which, auto rule) {
                const int x = which == 0 ? n.a : which == 1 ? n.b : n.c;
                if (!needed_[x]) return;
                if (loops_.of(x) == loop) receive(site, x, tape_[x].shape, chosen.choose(rule()));
                else outside.push({i, which});
            });
        }
        for (int k = 0; k < advances.size(); ++k)
            if (settle(tape_[advances[k]].a)) advance(at(carries[k]), copied(gradient_[tape_[advances[k]].a], carries));
        for (int i : nodes) {
            const Node n = tape_[i];
            if (!needed_[n.a] || !settle(i)) continue;
            if (n.operation == Operation::step) add(n.a, stack(at(gradient_[i]), back));
            if (n.operation == Operation::carry) {
                const Variable all = stack(at(gradient_[i]), back);
                add(n.a, reshape(slice(all, 1, forward.backwards ? forward.count - 1 : 0, 1), n.shape));
            }
        }
        for (const Outside& o : outside) {
            Node n = tape_[o.node];
            const Variable y = lifted(o.node, loop);
            const Variable a = lifted_operand(n.a, loop);
            const Variable b = lifted_operand(n.b, loop);
            const Variable c = lifted_operand(n.c, loop);
            n.shape = y.shape();
            if (n.operation == Operation::concatenate && axis_of(n) > 0) n.attribute += 1;
            const Site moved(n, y, a, b, c);
            const int x = o.which == 0 ? n.a : o.which == 1 ? n.b : n.c;
            rules_(moved, stack(at(gradient_[o.node]), back), [&](int which, auto rule) {
                if (which != o.which) return;
                const Shape all = lifted(x, loop).shape(),
                            own = tape_[x].shape;  // by value: the tape moves when it grows
                add(x, reshape(fitted(rule(), all), own));
            });
        }
    }
    constexpr Variable lifted_operand(int i, int loop) { return i < 0 ? at(-1) : lifted(i, loop); }
    /// What a carry becomes must not be another carry, which may have gone on already.
    constexpr Variable copied(int i, const List<int>& carries) { return carries.contains(i) ? copy(at(i)) : at(i); }
};

/// Gradients of `root` with respect to `wrt`, contracted with `upstream` (a value of the root's shape), in one backward
/// loop over the tape. What does not depend on `wrt` is not visited, and no gradient is emitted that nobody needs.
template <class Rules = Adjoints>
constexpr List<Variable> differentiate(Variable root, Variable upstream, const List<Variable>& wrt, Rules rules = {}) {
    detail::Differentiation<Rules> d(root, wrt, rules);
    d.run(root, upstream);
    List<Variable> result;
    for (const Variable& w : wrt) result.push(d.of(w));
    return result;
}

}  // namespace sigma::detail
