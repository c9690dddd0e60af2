// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/loop_gradient.hpp>

namespace sigma::detail {

/// A backward sweep over a tape, from the root.
template <class Rules>
class Differentiation {
public:
    constexpr Differentiation(Variable root, const List<Variable>& wrt, Rules rules)
        : tape_(*root.tape), rules_(rules), loops_(tape_), sums_(tape_), needed_(tape_.size(), 0) {
        for (const Variable& w : wrt) needed_[w.id] = 1;
        while (mark()) {}
    }
    constexpr void run(Variable root, Variable upstream) {
        const Origin outer = tape_.origin;
        tape_.origin.part = StepPart::backward;
        sums_.add(root.id, expand(upstream, root.shape()));
        for (int i = root.id; i >= 0; --i) {
            const int loop = loops_.of(i);
            tape_.origin.layer = tape_[i].origin.layer;
            if (loop >= 0) {
                if (loops_.last(loop) == i) LoopGradient<Rules>(tape_, loops_, loop, needed_, sums_, rules_).put();
                continue;
            }
            if (!needed_[i] || !sums_.complete(i)) continue;
            const Operation o = tape_[i].operation;
            if (o == Operation::stack || o == Operation::advance) continue;  // handled with their loop
            if (const GradientRule* rule = tape_.rule(tape_[i])) flow(*rule, Variable{&tape_, i});
            else flow(Site(Variable{&tape_, i}), sums_.of(i));
        }
        tape_.origin = outer;
    }
    /// Returns the gradient of `w`, zeros if none reaches it.
    constexpr Variable of(Variable w) { return sums_.complete(w.id) ? sums_.of(w.id) : sums_.zeros(w.shape()); }

private:
    Tape& tape_;
    Rules rules_;
    LoopMembers loops_;
    GradientSums sums_;
    List<char> needed_;

    /// Marks the nodes that depend on the requested variables. Returns true if a value that a loop carries was found to
    /// depend on them: then earlier nodes must be visited again.
    constexpr bool mark() {  // the whole tape: the end of a scan comes after its results
        for (int i = 0; i < needed_.size(); ++i) {
            const Node& n = tape_[i];
            if (needed_[i]) continue;
            if (const GradientRule* rule = tape_.rule(n))
                for (int k = 0; k < rule->count; ++k) needed_[i] = needed_[i] || needed_[rule->operands[k]];
            if (n.operation == Operation::stop_gradient) continue;
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
    constexpr void flow(GradientRule rule, Variable y) {  // by value: the tape moves when it grows
        List<Variable> operands;
        for (int k = 0; k < rule.count; ++k) operands.push({&tape_, rule.operands[k]});
        const List<Variable> gradients = rule.gradients(operands, y, sums_.of(y.id));
        for (int k = 0; k < rule.count; ++k)
            if (needed_[rule.operands[k]]) sums_.add(rule.operands[k], gradients[k]);
    }
    constexpr void flow(const Site& site, Variable d) {
        const ChosenGradient chosen(site.node.operation, d);
        for (int which = 0; which < 3; ++which) {
            const int x = site.node.operand(which);
            if (x >= 0 && needed_[x]) sums_.receive(site, x, chosen, rules_(site, chosen.value, which));
        }
    }
};

/// Returns the gradients of `root` with respect to `wrt`, contracted with `upstream` (of the root's shape), in one
/// backward loop over the tape. Nodes that do not depend on `wrt` are not visited, and no unneeded gradient is emitted.
template <class Rules = Adjoints>
constexpr List<Variable> differentiate(Variable root, Variable upstream, const List<Variable>& wrt, Rules rules = {}) {
    detail::Differentiation<Rules> d(root, wrt, rules);
    d.run(root, upstream);
    List<Variable> result;
    for (const Variable& w : wrt) result.push(d.of(w));
    return result;
}

}  // namespace sigma::detail
