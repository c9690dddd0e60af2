// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/plan/draft.hpp>

namespace sigma {

/// Finds tensors that need no copy: slices, permutations, reshapes and steps of loops that their readers can take from
/// the operand's memory, and parts of concatenations and stacks that can be computed where they end up.
class Views {
public:
    constexpr explicit Views(Draft& draft) : d(draft) {}
    constexpr void choose() {
        d.view = List<char>(d.size(), 0);
        d.home = List<int>(d.size(), -1);
        d.padded = List<char>(d.size(), 0);
        for (int i = 0; i < d.size(); ++i) d.padded[i] = always_padded(d.at(i));
        bool any = false, moves = false;
        for (int i = 0; i < d.size(); ++i) {
            const Operation o = d.at(i).operation;
            any = any || (d.live[i] && o == Operation::reshape);
            moves = moves || (d.live[i] && (is_movement(o) || is_loop_value(o)));
        }
        if (moves) list_readers();
        if (moves) choose_homes();
        if (any || moves) choose_views();
    }

private:
    Draft& d;
    List<int> first_reader_{}, next_reader_{}, reader_{};

    constexpr void list_readers() {
        first_reader_ = List<int>(d.size(), -1);
        for (int i = 0; i < d.size(); ++i) {
            if (!d.live[i]) continue;
            Draft::for_each_operand(d.at(i), [&](int o) {
                reader_.push(i);
                first_reader_[o] = next_reader_.push(first_reader_[o]);
            });
        }
    }
    constexpr bool leaves(int i) const {
        for (const Variable& v : d.program.outputs)
            if (v.id == i) return true;
        return false;
    }

    /// Strides that fused kernels can take: single steps along the innermost axis, and a batch that comes first.
    static constexpr bool plain(const Shape& s, const Layout& l) {
        if (!l.exists || s.batch_axis() > 0) return false;
        for (int i = s.rank - 1; i >= 0; --i)
            if (s[i] != 1) return l.strides[i] == 1;
        return true;
    }
    constexpr bool readers_take(int i, const Layout& l) const {
        const Shape& s = d.at(i).shape;
        if (!l.exists || s.batch_axis() > 0) return false;
        const bool steps_by_one = plain(s, l);
        for (int r = first_reader_[i]; r >= 0; r = next_reader_[r]) {
            const Node& n = d.at(reader_[r]);
            const Operation o = n.operation;
            if (is_block(o)) continue;  // takes any strides
            if (!steps_by_one) return false;
            if (is_product(o) ? !product_takes(n, s, l)
                              : !(is_map(o) || is_reduction(o) || is_movement(o) || o == Operation::reshape ||
                                  o == Operation::argmax || is_loop_value(o) || o == Operation::advance ||
                                  o == Operation::assign))
                return false;
        }
        return true;
    }

    constexpr void choose_homes() {
        for (int i = d.size() - 1; i >= 0; --i) {
            const Operation o = d.at(i).operation;
            if (!d.live[i] || (o != Operation::concatenate && o != Operation::stack)) continue;
            if (d.at(i).shape.batch_axis() > 0 || (o == Operation::stack && is_moved_stack(d.at(i)))) continue;
            choose_home(d.at(i).a, i);
            if (d.at(i).b >= 0 && d.at(i).b != d.at(i).a) choose_home(d.at(i).b, i);
        }
    }
    constexpr void choose_home(int part, int whole) {
        const Node& n = d.at(part);
        const Tape& tape = d.program.tape;
        const bool computed = is_map(n.operation) || is_reduction(n.operation) || is_product(n.operation) ||
                              n.operation == Operation::concatenate;
        if (!computed || d.home[part] >= 0 || leaves(part)) return;
        if (d.loops.computed_in(tape, part) != d.loops.computed_in(tape, whole)) return;
        d.home[part] = whole;
        const Layout l = d.layout_of(part);
        if (!readers_take(part, l) || (is_product(n.operation) && !product_takes(n, n.shape, l))) d.home[part] = -1;
        else d.forced[part] = 1;
    }

    constexpr void choose_views() {
        for (int i = 0; i < d.size(); ++i) {
            const Node& n = d.at(i);
            const Operation o = n.operation;
            if (!d.live[i] || leaves(i)) continue;
            if (o == Operation::reshape) {
                const Operation root = d.at(d.root_of(n.a)).operation;
                const bool padded = root == Operation::parameter || root == Operation::state;
                if (padded && n.shape.last() != d.at(n.a).shape.last()) continue;
                if (d.root_of(n.a) == n.a || only_reshaped(n.a)) {
                    d.view[i] = 1;
                    continue;
                }
            } else if (o != Operation::slice && o != Operation::permute && o != Operation::step) {
                continue;
            }
            if (d.at(n.a).shape.batch_axis() > 0) continue;
            const Layout l = d.viewed(n, d.layout_of(n.a));
            d.view[i] = readers_take(i, l);
        }
    }
    constexpr bool only_reshaped(int i) const {
        while (d.home[i] < 0 && d.view[i] && d.at(i).operation == Operation::reshape) i = d.at(i).a;
        return d.home[i] < 0 && !d.view[i];
    }
};

}  // namespace sigma
