// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/gradient_sums.hpp>
#include <sigma/tape/loops.hpp>

namespace sigma::detail {

/// The gradient of a loop: a loop in the other direction, which reads the values of the first from stacks. Gradients of
/// values from outside, such as weights, are summed afterwards over all positions at once.
template <class Rules>
class LoopGradient {
public:
    constexpr LoopGradient(Tape& tape, const LoopMembers& loops, int loop, const List<char>& needed, GradientSums& sums,
                           Rules rules)
        : tape_(tape), loops_(loops), loop_(loop), needed_(needed), sums_(sums), rules_(rules),
          proxy_(loops.last(loop) + 1, -1) {}

    constexpr void put() {
        const Loop forward = tape_.loops()[loop_];
        List<int> advances, nodes;
        if (!reached(advances, nodes)) return;
        back_ = tape_.add_loop({forward.count, !forward.backwards});
        List<int> carries;
        for (int k = 0; k < advances.size(); ++k) {
            const Node n = tape_[advances[k]];
            carries.push(carry(sums_.zeros(n.shape), back_, k).id);
            if (inside(n.b)) sums_.add(n.b, sums_.at(carries[k]));
            else if (needed_[n.b]) throw "the next state of a scan is a value from outside that is trained";
        }
        for (int i = 0; i < sums_.size(); ++i)
            if (is_own_stack(i) && sums_.reaches(i)) sums_.add(tape_[i].a, step(sums_.of(i), back_));
        List<Outside> outside;
        for (int k = nodes.size() - 1; k >= 0; --k) flow(nodes[k], outside);
        for (int k = 0; k < advances.size(); ++k) {
            const int state = tape_[advances[k]].a;
            if (sums_.complete(state)) advance(sums_.at(carries[k]), copied(sums_.of(state), carries));
        }
        for (int i : nodes) {
            const Node n = tape_[i];
            if (!needed_[n.a] || !sums_.complete(i)) continue;
            if (n.operation == Operation::step) sums_.add(n.a, stack(sums_.of(i), back_));
            if (n.operation == Operation::carry) {
                const Variable all = stack(sums_.of(i), back_);
                sums_.add(n.a, reshape(slice(all, 1, forward.backwards ? forward.count - 1 : 0, 1), n.shape));
            }
        }
        for (const Outside& o : outside) flow_outside(o);
    }

private:
    struct Outside {
        int node, which;
    };
    Tape& tape_;
    const LoopMembers& loops_;
    int loop_;
    const List<char>& needed_;
    GradientSums& sums_;
    Rules rules_;
    int back_ = -1;    // the backward loop
    List<int> proxy_;  // for each value of the forward loop, its stand-in in the backward loop

    constexpr bool inside(int i) const { return loops_.of(i) == loop_; }
    constexpr bool is_own_stack(int i) const {
        const Node& n = tape_[i];
        return n.operation == Operation::stack && loop_of(n) == loop_ && needed_[i];
    }
    /// Returns whether a gradient flows into the loop, and lists its advances and the nodes that may pass the gradient
    /// on.
    constexpr bool reached(List<int>& advances, List<int>& nodes) {
        bool found = false;
        for (int i = 0; i < sums_.size(); ++i) {
            if (inside(i) && needed_[i]) nodes.push(i);
            const Node n = tape_[i];
            if (is_own_stack(i) && sums_.complete(i)) found = true;
            if (n.operation == Operation::advance && loop_of(n) == loop_ && needed_[n.a]) advances.push(i);
        }
        return found;
    }
    constexpr Variable seen(int i) {
        if (i < 0 || !inside(i)) return sums_.at(i);
        if (proxy_[i] < 0) proxy_[i] = step(lifted(i), back_).id;
        return sums_.at(proxy_[i]);
    }
    constexpr void flow(int i, List<Outside>& outside) {
        const Node n = tape_[i];
        if (n.operation == Operation::step || n.operation == Operation::carry || !sums_.complete(i)) return;
        tape_.origin.layer = n.origin.layer;
        const Variable y = seen(i);
        if (const GradientRule* rule = tape_.rule(n)) return flow(*rule, y, sums_.of(i));
        const Variable a = seen(n.a);
        const Variable b = seen(n.b);
        const Site site(n, y, a, b, seen(n.c));
        const ChosenGradient chosen(n.operation, sums_.of(i));
        for (int which = 0; which < 3; ++which) {
            const int x = n.operand(which);
            if (x < 0 || !needed_[x]) continue;
            if (inside(x)) sums_.receive(site, x, chosen, rules_(site, chosen.value, which));
            else if (adjoint(site, chosen.value, which, true).tape != nullptr) outside.push({i, which});
        }
    }
    constexpr void flow(GradientRule rule, Variable y, Variable d) {
        List<Variable> operands;
        for (int k = 0; k < rule.count; ++k) operands.push(seen(rule.operands[k]));
        const List<Variable> gradients = rule.gradients(operands, y, d);
        for (int k = 0; k < rule.count; ++k)
            if (const int x = rule.operands[k]; needed_[x]) {
                if (!inside(x)) throw "custom_gradient in a scan reads a value from outside that is trained";
                sums_.add(x, gradients[k]);
            }
    }
    constexpr void flow_outside(const Outside& o) {
        Node n = tape_[o.node];
        tape_.origin.layer = n.origin.layer;
        const Variable y = lifted(o.node);
        const Variable a = lifted(n.a);
        const Variable b = lifted(n.b);
        const Variable c = lifted(n.c);
        n.shape = y.shape();
        if (n.operation == Operation::concatenate && axis_of(n) > 0) n.attribute += 1;
        const Site moved(n, y, a, b, c);
        const int x = n.operand(o.which);
        const Variable d = stack(sums_.of(o.node), back_);
        const Shape all = lifted(x).shape(), own = tape_[x].shape;  // by value: the tape moves when it grows
        const Variable made = rules_(moved, d, o.which);
        if (made.tape != nullptr) sums_.add(x, reshape(GradientSums::fitted(made, all), own));
    }
    /// Returns the value of node `i` of the loop at all positions. A value from outside is equal at all.
    constexpr Variable lifted(int i) {
        if (i < 0) return sums_.at(i);
        const Node n = tape_[i];
        if (inside(i)) return n.operation == Operation::step ? sums_.at(n.a) : stack(sums_.at(i), loop_);
        return n.shape.batched() ? reshape(sums_.at(i), n.shape.inserted(1, 1)) : sums_.at(i);
    }
    /// Returns a copy of a carry: the next value of a carry must not be another carry, which may have advanced already.
    constexpr Variable copied(Variable v, const List<int>& carries) { return carries.contains(v.id) ? copy(v) : v; }
};

}  // namespace sigma::detail
