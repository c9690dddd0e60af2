// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/adjoint.hpp>
#include <sigma/tape/chosen_gradient.hpp>

namespace sigma::detail {

/// The gradients of a tape's nodes, which add up during the backward sweep. Gradients of a value that is used slice by
/// slice are kept apart until the value is complete.
class GradientSums {
public:
    constexpr explicit GradientSums(Tape& tape) : tape_(tape), gradient_(tape.size(), -1), pieces_(tape.size(), -1) {}

    /// Returns how many nodes the tape had when the sweep began.
    constexpr int size() const { return gradient_.size(); }
    constexpr Variable at(int i) { return {&tape_, i}; }
    constexpr bool reaches(int i) const { return gradient_[i] >= 0; }
    /// Returns the gradient so far of node i.
    constexpr Variable of(int i) { return at(gradient_[i]); }
    constexpr Variable zeros(const Shape& s) { return expand(constant(&tape_, 0), s); }

    constexpr void add(int to, Variable d) {
        int& total = gradient_[to];
        total = total < 0 ? d.id : (at(total) + d).id;
    }
    static constexpr Variable fitted(Variable rough, Shape s) {
        return sum_to(expand(rough, broadcast(rough.shape(), s)), s);
    }
    /// Adds the result of a rule to the gradient of node `to`, if there is a result.
    constexpr void receive(const Site& site, int to, const ChosenGradient& chosen, Variable made) {
        if (made.tape == nullptr) return;
        const Variable rough = chosen.choose(made);
        const Node n = rough.node();
        if (site.node.operation == Operation::slice && n.operation == Operation::pad)
            pieces_[to] = all_pieces_.push({axis_of(n), first_of(n), tape_[n.a].shape[axis_of(n)], n.a, pieces_[to]});
        else add(to, fitted(rough, tape_[to].shape));
    }
    /// Completes the gradient of a node. Slices that do not overlap are joined, without additions and clearing. Returns
    /// false if no gradient flows.
    constexpr bool complete(int i) {
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

private:
    struct Piece {  // a part of the gradient of a value that is used slice by slice
        int axis, first, extent, value, next;
    };
    Tape& tape_;
    List<int> gradient_, pieces_;  // for each node the sum, and the latest piece; or -1
    List<Piece> all_pieces_{};

    /// Inserts a piece in order. Pieces of the same slice are added.
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
};

}  // namespace sigma::detail
