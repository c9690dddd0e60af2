// SPDX-License-Identifier: BSL-1.0
#include "tape_check.hpp"

#include <sigma/core/error.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/custom_functions.hpp>
#include <sigma/tape/geometry.hpp>
#include <sigma/tape/loops.hpp>
#include <sigma/tape/print.hpp>

#include <utility>
#include <vector>

namespace sigma::detail {

namespace {

bool is_shape(const Shape& s) {
    int batches = 0;
    for (int i = 0; i < s.rank; ++i) {
        if (s[i] == 0) return false;
        batches += s[i] < 0;
    }
    return batches <= 1 && countable(s);
}
bool is_square(const Shape& s) { return s.rank >= 2 && s.last() == s[s.rank - 2] && s.last() > 0; }
bool are_factors(const Shape& f, const Shape& of) {
    return f.rank >= 2 && f[f.rank - 2] == of.last() && f.last() == of.last() + 1;
}
bool same_but(const Shape& a, const Shape& b, int axis) {
    return a.rank == b.rank && a.with(axis, 1) == b.with(axis, 1);
}

bool fits_reduction(const Shape& y, const Shape& a) {
    if (y.rank != a.rank) return false;
    for (int i = 0; i < y.rank; ++i)
        if (y[i] != a[i] && y[i] != 1) return false;
    return true;
}
bool fits_product(const Node& n, const Shape& a, const Shape& b) {
    const Shape& y = n.shape;
    if (a.rank < 2 || b.rank < 2 || n.attribute > 1) return false;
    if (n.attribute == 1) {
        if (a.rank != b.rank || y.rank != a.rank || axes_before(a, 2) != axes_before(b, 2) ||
            axes_before(a, 2) != axes_before(y, 2))
            return false;
        const int rows = a.rank - 2;
        return n.operation == Operation::dot ? a.last() == b[rows] && y[rows] == a[rows] && y.last() == b.last()
                                             : a[rows] == b[rows] && y[rows] == a.last() && y.last() == b.last();
    }
    if (n.operation == Operation::dot) return b.rank == 2 && a.last() == b[0] && y == a.with(a.rank - 1, b[1]);
    return axes_before(a, 1) == axes_before(b, 1) && y == Shape{a.last(), b.last()} && !y.batched();
}
bool fits_convolution(const Node& n, const Shape& a, const Shape& b) {
    const Convolution g = Convolution::unpacked(n.attribute);
    if (a.rank != 4 || b.rank != 4 || n.shape.rank != 4 || b.batched() || g.groups < 1) return false;
    const bool backwards = n.operation == Operation::convolve_input;
    const Shape &image = backwards ? n.shape : a, &result = backwards ? a : n.shape;
    const bool turned = backwards && !Convolution::by_channel(g.groups, image[3]);
    const Shape w = turned ? Shape{b[0], b[2], b[3], b[1]} : b;
    if (image[0] != result[0] || w[3] != result[3] || w[2] * g.groups != image[3] || w[3] % g.groups != 0) return false;
    for (int i = 0; i < 2; ++i) {
        if (g.stride[i] < 1 || g.dilation[i] < 1 || image[i + 1] < 1 || result[i + 1] < 1 || w[i] < 1) return false;
        const long long end = static_cast<long long>(result[i + 1] - 1) * g.stride[i] +
                              static_cast<long long>(w[i] - 1) * g.dilation[i] + 1;
        if (end > image[i + 1]) return false;
        if (!backwards && result[i + 1] != g.positions(i, image[i + 1], w[i])) return false;
    }
    return true;
}
bool fits_pooling(const Node& n, const Shape& a) {
    const Pooling p = Pooling::unpacked(n.attribute);
    if (a.rank != 4 || n.shape.rank != 4 || n.shape[0] != a[0] || n.shape[3] != a[3]) return false;
    for (int i = 0; i < 2; ++i) {
        if (p.window[i] < 1 || p.stride[i] < 1 || p.before[i] >= p.window[i] || a[i + 1] < 1 || n.shape[i + 1] < 1)
            return false;
        if (static_cast<long long>(n.shape[i + 1] - 1) * p.stride[i] - p.before[i] >= a[i + 1]) return false;
    }
    return true;
}
/// Files contain part 0 of custom operations: a network has no gradients.
bool fits_custom(const Node& n, const Shape& a, const Shape& b) {
    const CustomFunctions& f = custom_functions(n.attribute);
    const int own = block_rank(n.operation);
    const Shape blocks[] = {block_of(a, own), block_of(b, own)};
    if (n.attribute != f.number || own != f.axes || !is_block_shape(blocks[0], own)) return false;
    if (f.operands == 2 && !is_block_shape(blocks[1], own)) return false;
    const Shape y = f.shape(blocks);
    return is_block_shape(y, own) && y == block_of(n.shape, own);
}
bool fits_block(const Node& n, const Shape& a, const Shape& b, const Shape& c) {
    const int own = block_rank(n.operation);
    Shape all = axes_before(a, own);
    for (const auto& [number, s] : {std::pair(n.b, &b), std::pair(n.c, &c)}) {
        if (number < 0) continue;
        if (!broadcastable(all, axes_before(*s, own))) return false;
        all = broadcast(all, axes_before(*s, own));
    }
    if (n.shape.rank < own || axes_before(n.shape, own) != all) return false;
    if (is_custom(n.operation)) return fits_custom(n, a, b);
    if (n.attribute > 1) return false;
    const int last = n.shape.last(), rows = own == 2 ? n.shape[n.shape.rank - 2] : 1;
    switch (n.operation) {
        case Operation::linear_recurrence: return last > 0 && last == broadcast(a.last(), b.last());
        case Operation::argsort: return a.last() > 0 && last >= 1 && last <= a.last();
        case Operation::gather_along: return a.last() > 0 && last == b.last();
        case Operation::scatter_add_along: return last > 0 && a.last() == b.last();
        case Operation::lu: return is_square(a) && are_factors(n.shape, a);
        case Operation::solve:
            return is_square(a) && are_factors(c, a) && b.rank >= 2 && b[b.rank - 2] == a.last() && rows == a.last() &&
                   last == b.last();
        case Operation::determinant:
        case Operation::log_determinant: return is_square(a) && are_factors(b, a) && rows == 1 && last == 1;
        case Operation::cofactors: return is_square(a) && are_factors(b, a) && rows == a.last() && last == a.last();
        default: return false;
    }
}
/// Checks a value of a loop, (batch, time, …).
bool fits_loop(const Tape& tape, const Node& n, const Shape& a) {
    if (loop_of(n) >= tape.loops().size()) return false;
    const int count = tape.loops()[loop_of(n)].count;
    switch (n.operation) {
        case Operation::step: return a.rank >= 2 && a[1] == count && n.shape == a.without(1);
        case Operation::carry: return n.shape == a;
        case Operation::stack: return a.rank < max_rank && a.rank >= 1 && n.shape == a.inserted(1, count);
        default: {
            const Node& carry = tape[n.a];
            return carry.operation == Operation::carry && carry.attribute == n.attribute && n.shape == a &&
                   tape[n.b].shape == a;
        }
    }
}

/// The least and the greatest number of operands of an operation.
struct Operands {
    int least, most;
};
Operands operands_of(const Node& n) {
    const auto exactly = [](int count) { return Operands{count, count}; };
    if (is_map(n.operation)) return exactly(operand_count(n.operation));
    if (is_custom(n.operation)) return exactly(custom_functions(n.attribute).operands);
    switch (facts(n.operation).kind) {
        case OperationKind::leaf: return {0, 0};
        case OperationKind::product:
        case OperationKind::convolution:
        case OperationKind::effect: return {2, 2};
        case OperationKind::lookup: return {2, 2};
        case OperationKind::row: return n.operation == Operation::argsort ? Operands{1, 1} : Operands{2, 2};
        case OperationKind::matrix:
            return n.operation == Operation::lu      ? Operands{1, 1}
                   : n.operation == Operation::solve ? Operands{3, 3}
                                                     : Operands{2, 2};
        default: return n.operation == Operation::concatenate ? Operands{2, 2} : Operands{1, 1};
    }
}

bool fits(const Tape& tape, const Node& n, const Shape& a, const Shape& b, const Shape& c) {
    const Shape& y = n.shape;
    const int axis = axis_of(n), first = first_of(n);
    const bool has_axis = axis < y.rank && y[axis] > 0 && axis < a.rank && a[axis] > 0 && first >= 0;
    switch (n.operation) {
        case Operation::state:
        case Operation::assign:
        case Operation::multiply_add:
        case Operation::multiply_subtract:
        case Operation::subtract_product:
        case Operation::unpool:
        case Operation::pool_select:
        case Operation::convolve_weights:
        case Operation::scatter_add: return false;  // only in training programs and in plans
        case Operation::iota: return n.attribute < static_cast<std::uint64_t>(y.rank) && !y.batched();
        case Operation::constant:
        case Operation::reciprocal_batch: return y.rank == 0;
        case Operation::expand: return equivalent(a, y) || (broadcastable(a, y) && broadcast(a, y) == y);
        case Operation::reshape: return y.count() == a.count() && y.batched() == a.batched();
        case Operation::argmax:
            return n.attribute < static_cast<std::uint64_t>(a.rank) && a[static_cast<int>(n.attribute)] > 0 &&
                   y == a.with(static_cast<int>(n.attribute), 1);
        case Operation::permute: {
            unsigned seen = 0;
            if (y.rank != a.rank) return false;
            for (int i = 0; i < y.rank; ++i) {
                const int from = source_axis(n, i);
                if (from >= a.rank || (seen >> from & 1u) != 0 || a[from] != y[i]) return false;
                seen |= 1u << from;
            }
            return true;
        }
        case Operation::slice: return has_axis && same_but(y, a, axis) && first <= a[axis] - y[axis];
        case Operation::pad: return has_axis && same_but(y, a, axis) && first <= y[axis] - a[axis];
        case Operation::concatenate:
            return has_axis && same_but(y, a, axis) && same_but(y, b, axis) && b[axis] > 0 && first == a[axis] &&
                   static_cast<long long>(a[axis]) + b[axis] == y[axis];
        case Operation::gather: {
            Shape s = b;
            if (a.rank != 2 || a.batched() || s.rank >= max_rank) return false;
            s.extent[s.rank++] = a.last();
            return y == s;
        }
        case Operation::pool_max: return fits_pooling(n, a);
        case Operation::step:
        case Operation::carry:
        case Operation::stack:
        case Operation::advance: return fits_loop(tape, n, a);
        default: break;
    }
    if (is_leaf(n.operation)) return true;
    if (is_map(n.operation)) {
        return broadcastable(a, b) && broadcastable(broadcast(a, b), c) && broadcast(broadcast(a, b), c) == y;
    }
    if (is_reduction(n.operation)) return fits_reduction(y, a);
    if (is_product(n.operation)) return fits_product(n, a, b);
    if (is_convolution(n.operation)) return fits_convolution(n, a, b);
    return is_block(n.operation) && fits_block(n, a, b, c);
}

}  // namespace

std::string wrong_node(const Tape& tape, const Node& n) {
    const Operands wanted = operands_of(n);
    int given = 0;
    for (int i = 0; i < 3; ++i) {
        const int o = n.operand(i);
        if (o < -1 || o >= tape.size()) return sentence("operand ", o, " of ", tape.size(), " nodes");
        if (o >= 0 && i != given) return "an operand behind none";
        given += o >= 0;
    }
    if (given < wanted.least || given > wanted.most) return sentence(given, " operands of ", name(n.operation));
    if (!is_shape(n.shape)) return to_text(n.shape);
    const auto shape = [&](int o) { return o >= 0 ? tape[o].shape : Shape{}; };
    if (fits(tape, n, shape(n.a), shape(n.b), shape(n.c))) return {};
    std::string text = sentence(to_text(n.shape), " as the ", name(n.operation));
    for (int i = 0; i < given; ++i) text += sentence(i == 0 ? " of " : " and ", to_text(shape(n.operand(i))));
    return text;
}

std::string wrong_loops(const Tape& tape) {
    try {
        const LoopMembers members(tape);
        std::vector<int> carried(static_cast<std::size_t>(tape.size()));
        for (int i = 0; i < tape.size(); ++i) {
            const Node& n = tape[i];
            if (n.operation == Operation::stack && members.of(n.a) != loop_of(n))
                return "a stack of no value of its loop";
            if (n.operation == Operation::advance) {
                if (members.of(n.b) >= 0 && members.of(n.b) != loop_of(n))
                    return "a step that ends with another loop's value";
                ++carried[static_cast<std::size_t>(n.a)];
            }
        }
        for (int i = 0; i < tape.size(); ++i)
            if (tape[i].operation == Operation::carry && carried[static_cast<std::size_t>(i)] != 1)
                return "a carry that is not advanced once";
    } catch (const char* wrong) { return wrong; }
    return {};
}

}  // namespace sigma::detail
