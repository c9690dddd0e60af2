// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/blocks.hpp>
#include <sigma/tape/geometry.hpp>

// A formula is emitted again with one more axis in front, so that it computes many cases at once.
namespace sigma::detail {

/// Emits nodes of a tape again for many cases: each placeholder is replaced by a value with one more axis in front. All
/// values that depend on a placeholder get this axis. Others are used as they are.
class Vectorization {
public:
    /// Prepares the nodes from `first` to the end of the tape for so many cases (`batch` for one of each record).
    constexpr Vectorization(Tape& tape, int first, int cases)
        : tape_(tape), first_(first), end_(tape.size()), cases_(cases), again_(end_ - first, -1),
          depends_(end_ - first, 0) {}

    /// Replaces a node, not before the first, by its values in all cases: (cases, shape of the node).
    constexpr void replace(Variable placeholder, Variable values) { again_[placeholder.id - first_] = values.id; }
    /// Returns the number of a node that cannot be emitted again, or -1. Call it once, after `replace`.
    constexpr int obstacle() {
        for (int i = first_; i < end_; ++i) {
            char& depends = depends_[i - first_];
            if (again_[i - first_] >= 0) depends = 1;
            for (int k = 0; k < 3 && !depends; ++k) depends = varies(tape_[i].operand(k));
            if (depends && again_[i - first_] < 0 && !possible(tape_[i])) return i;
        }
        return -1;
    }
    /// Emits the nodes that depend on placeholders. `obstacle` must have found none.
    constexpr void run() {
        for (int i = first_; i < end_; ++i)
            if (depends_[i - first_] && again_[i - first_] < 0) {
                const Node n = tape_[i];  // by value: the tape moves when it grows
                again_[i - first_] = emitted(n).id;
            }
    }
    /// Returns a value in all cases: (cases, shape of x).
    constexpr Variable of(Variable x) { return whole(x.id); }

private:
    Tape& tape_;
    int first_, end_, cases_;
    List<int> again_;  // for each node from the first: its values in all cases, or -1
    List<char> depends_;

    constexpr bool varies(int i) const { return i >= first_ && depends_[i - first_] != 0; }
    constexpr Shape with_cases(const Shape& s) const { return s.inserted(0, cases_); }
    constexpr bool possible(const Node& n) const {
        const auto fits = [&](const Shape& s) { return s.rank < max_rank && !(cases_ < 0 && s.batched()); };
        if (!fits(n.shape) || (tape_.rule(n) && cases_ > 0)) return false;
        for (int k = 0; k < 3; ++k)
            if (n.operand(k) >= 0 && !fits(tape_[n.operand(k)].shape)) return false;
        switch (facts(n.operation).kind) {
            case OperationKind::loop_value:
            case OperationKind::effect: return false;
            // One product for each case: a tape has no such convolution.
            case OperationKind::convolution: return !varies(n.b) && n.operation != Operation::convolve_weights;
            case OperationKind::lookup:
                return n.operation == Operation::gather && !varies(n.a) ? true : !varies(n.b) && cases_ > 0;
            default: return true;
        }
    }

    constexpr Variable plain(int i) { return {&tape_, i}; }
    /// Returns operand `i` in all cases, also if it is the same in all.
    constexpr Variable whole(int i) {
        if (varies(i)) return plain(again_[i - first_]);
        return expand(plain(i), with_cases(tape_[i].shape));
    }
    /// Returns operand `i` so that it broadcasts against values of so many axes.
    constexpr Variable beside(int i, int rank) {
        if (!varies(i)) return plain(i);
        const Shape own = tape_[i].shape;
        return reshape(plain(again_[i - first_]), with_cases(own.aligned(rank)));
    }
    constexpr Variable put(const Node& n, Variable a, Variable b, Variable c) {
        return {&tape_, tape_.put({n.operation, a.id, b.id, c.id, with_cases(n.shape), n.constant, n.attribute})};
    }
    /// Returns the number of elements of leading axes; negative if the batch is one of them.
    static constexpr int leading(const Shape& s, int axes) {
        long long count = 1;
        for (int i = 0; i < axes; ++i) count *= s[i];
        return static_cast<int>(count);
    }
    /// Moves axis `from` to the front.
    static constexpr Variable to_front(Variable x, int from) {
        std::uint64_t order = static_cast<std::uint64_t>(from);
        for (int i = 1; i < x.shape().rank; ++i) order |= static_cast<std::uint64_t>(i <= from ? i - 1 : i) << (4 * i);
        return permute(x, order);
    }
    /// Moves the first axis to position `to`.
    static constexpr Variable from_front(Variable x, int to) {
        std::uint64_t order = 0;
        for (int i = 0; i < x.shape().rank; ++i)
            order |= static_cast<std::uint64_t>(i < to ? i + 1 : i == to ? 0 : i) << (4 * i);
        return permute(x, order);
    }

    constexpr Variable emitted(const Node& n) {
        const int rank = n.shape.rank;
        const OperationKind kind = facts(n.operation).kind;
        if (const GradientRule* rule = tape_.rule(n)) return without_gradient(*rule, whole(n.a));
        if (n.operation == Operation::expand) return expand(beside(n.a, rank), with_cases(n.shape));
        if (is_map(n.operation) || is_block(n.operation)) {
            const auto operand = [&](int i) { return i < 0 ? Variable{&tape_, -1} : beside(i, rank); };
            const Variable a = operand(n.a), b = operand(n.b), c = operand(n.c);
            return put(n, a, b, c);
        }
        if (kind == OperationKind::convolution || kind == OperationKind::pooling) return on_images(n);
        switch (n.operation) {
            case Operation::argmax: return argmax(whole(n.a), static_cast<int>(n.attribute) + 1);
            case Operation::reshape: return reshape(whole(n.a), with_cases(n.shape));
            case Operation::permute: {
                std::uint64_t order = 0;
                for (int i = 0; i < rank; ++i)
                    order |= static_cast<std::uint64_t>(source_axis(n, i) + 1) << (4 * (i + 1));
                return permute(whole(n.a), order);
            }
            case Operation::slice: return slice(whole(n.a), axis_of(n) + 1, first_of(n), n.shape[axis_of(n)]);
            case Operation::pad: return pad(whole(n.a), axis_of(n) + 1, first_of(n), n.shape[axis_of(n)]);
            case Operation::concatenate: {
                const Variable a = whole(n.a), b = whole(n.b);
                return concatenate(a, b, axis_of(n) + 1);
            }
            case Operation::dot:
            case Operation::transposed_dot: return product_of(n);
            case Operation::gather:
            case Operation::scatter_add: return looked_up(n);
            default: return reduce(n.operation, whole(n.a), with_cases(n.shape));
        }
    }

    /// Emits a value whose gradient a user has written for one case. A gradient of all cases is a mistake.
    constexpr Variable without_gradient(GradientRule rule, Variable value) {
        rule.gradients = [](const List<Variable>&, Variable, Variable) -> List<Variable> {
            throw "custom_gradient in a vmap over the batch has no gradient: call gradient inside of vmap";
        };
        for (int k = 0; k < rule.count; ++k) rule.operands[k] = whole(rule.operands[k]).id;
        return {&tape_, tape_.add_rule(rule, value.id)};
    }
    /// Emits a product as one product of a wider matrix, or as one for each case.
    constexpr Variable product_of(const Node& n) {
        const Shape a = tape_[n.a].shape, b = tape_[n.b].shape;
        const bool by_rows = n.operation == Operation::dot;
        const int k = a.last(), columns = b.last(), rows = leading(a, a.rank - 1);
        if (n.attribute != 0) {
            const Variable x = whole(n.a), y = whole(n.b);
            return product(n.operation, x, y, true);
        }
        if (by_rows && !varies(n.b)) return product(n.operation, whole(n.a), plain(n.b), false);
        if (cases_ > 0 && !varies(n.a)) {  // (rows of b, cases · columns)
            const Shape right = by_rows ? b : Shape{rows, columns};
            const Variable moved = from_front(reshape(whole(n.b), with_cases(right)), 1);
            const Variable wide = reshape(moved, Shape{right[0], cases_ * columns});
            const Variable left = by_rows ? plain(n.a) : reshape(plain(n.a), Shape{rows, k});
            const Variable made = product(n.operation, left, wide, false);
            const int own = n.shape.rank - 1;
            return to_front(reshape(made, n.shape.inserted(own, cases_)), own);
        }
        if (cases_ > 0 && !varies(n.b)) {  // transposed: (rows, cases · k)
            const Variable moved = from_front(reshape(whole(n.a), Shape{cases_, rows, k}), 1);
            const Variable wide = reshape(moved, Shape{rows, cases_ * k});
            const Variable made = product(n.operation, wide, reshape(plain(n.b), Shape{rows, columns}), false);
            return reshape(made, with_cases(n.shape));
        }
        const Variable x = reshape(whole(n.a), Shape{cases_, rows, k});
        const Variable y = reshape(whole(n.b), Shape{cases_, by_rows ? b[0] : rows, columns});
        return reshape(product(n.operation, x, y, true), with_cases(n.shape));
    }
    /// Emits an operation on images with the cases as further images.
    constexpr Variable on_images(const Node& n) {
        const auto images = [&](int i) {
            if (i < 0) return Variable{&tape_, -1};
            const Shape own = tape_[i].shape;
            return reshape(whole(i), own.with(0, cases_ * own[0]));
        };
        Node many = n;
        many.a = images(n.a).id;
        if (is_pooling(n.operation)) {
            many.b = images(n.b).id;
            many.c = images(n.c).id;
        }
        many.shape = n.shape.with(0, cases_ * n.shape[0]);
        return reshape({&tape_, tape_.put(many)}, with_cases(n.shape));
    }
    /// Emits rows of a table, or their adjoint: with other ids, or with a wider table.
    constexpr Variable looked_up(const Node& n) {
        const bool gathers = n.operation == Operation::gather;
        if (gathers && !varies(n.a)) return gather(plain(n.a), plain(again_[n.b - first_]));
        const Shape own = tape_[n.a].shape;
        const int width = own.last(), axes = own.rank - 1;
        const Variable moved = from_front(whole(n.a), axes);
        const Variable wide = reshape(moved, own.with(axes, cases_ * width));
        const Variable made = gathers ? gather(wide, plain(n.b)) : scatter_add(wide, plain(n.b), n.shape[0]);
        const int last = n.shape.rank - 1;
        return to_front(reshape(made, n.shape.inserted(last, cases_)), last);
    }
};

}  // namespace sigma::detail
