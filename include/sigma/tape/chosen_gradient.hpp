// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/tape/geometry.hpp>

namespace sigma::detail {

/// A gradient that is 0 unless conditions hold. Rules of elementwise operations get its value from before the choice,
/// and their result is chosen again: 0 times the slope of a value that was not chosen, which may be infinite or NaN, is
/// not 0.
struct ChosenGradient {
    struct Choice {
        Variable condition{};
        bool holds = true;  ///< False if the condition must not hold.
        constexpr bool same(const Choice& other) const {
            return condition.same(other.condition) && holds == other.holds;
        }
    };
    Variable value{};
    List<Choice> choices{};  ///< the last is the outermost

    /// Constructs the gradient d for the rule of an operation: split if it multiplies d with a slope, element by
    /// element.
    constexpr ChosenGradient(Operation rule, Variable d) : value(d) {
        const bool has_slope =
            (is_map(rule) && rule != Operation::copy && rule != Operation::expand && rule != Operation::add) ||
            rule == Operation::reduce_maximum || rule == Operation::reduce_minimum;
        if (!has_slope) return;
        ChosenGradient found(d);
        if (found.choices.empty() || (rule == Operation::multiply && found.of_extremes())) return;
        *this = found;
    }
    /// Applies the choices to the result of a rule.
    constexpr Variable choose(Variable made) const {
        for (const Choice& c : choices) {
            const bool has_zero = made.operation() == Operation::where && is_zero(made.operand(c.holds ? 2 : 1));
            if (is_zero(made) || (has_zero && made.operand(0).same(c.condition))) continue;
            const Variable zero = constant(made.tape, 0);
            made = c.holds ? where(c.condition, made, zero) : where(c.condition, zero, made);
        }
        return made;
    }

private:
    constexpr explicit ChosenGradient(Variable d) : value(d) {
        const Node n = d.node();
        if (n.operation == Operation::where && (is_zero(d.operand(1)) || is_zero(d.operand(2)))) {
            const bool holds = is_zero(d.operand(2));
            *this = ChosenGradient(d.operand(holds ? 1 : 2));
            choices.push({d.operand(0), holds});
        } else if (n.operation == Operation::add) {
            const ChosenGradient x(d.operand(0));
            if (x.choices.size() != 1) return;
            const ChosenGradient y(d.operand(1));
            if (y.choices.size() != 1) return;
            const Choice u = x.choices[0], v = y.choices[0];
            if (u.same(v)) {
                choices.push(u);
                value = x.value + y.value;
            } else if (!u.condition.same(v.condition)) {
                choices.push({either(u, v), true});
            }
        } else if (n.operation == Operation::expand || n.operation == Operation::reshape ||
                   n.operation == Operation::permute || n.operation == Operation::slice) {
            const ChosenGradient x(d.operand(0));
            for (const Choice& c : x.choices) choices.push({moved(n, d.operand(0).shape(), c.condition), c.holds});
            if (!choices.empty()) value = moved(n, d.operand(0).shape(), x.value);
        }
    }
    /// Returns whether all choices come from `max` or `min` with a number. Such choices are frequent (each relu makes
    /// one), and a slope that is a factor is finite there, unless a factor was infinite.
    constexpr bool of_extremes() const {
        for (const Choice& c : choices) {
            bool found = false;
            for (const Variable v : {c.condition.operand(0), c.condition.operand(1)})
                found = found || (c.condition.operation() == Operation::less_equal &&
                                  (v.operation() == Operation::maximum || v.operation() == Operation::minimum));
            if (!found) return false;
        }
        return true;
    }
    /// Moves a variable as node n moves an operand of shape `full`.
    static constexpr Variable moved(const Node& n, Shape full, Variable v) {
        if (n.operation == Operation::expand) return expand(v, n.shape);
        v = expand(v, full);
        if (n.operation == Operation::reshape) return reshape(v, n.shape);
        if (n.operation == Operation::permute) return permute(v, n.attribute);
        return slice(v, axis_of(n), first_of(n), n.shape[axis_of(n)]);
    }
    static constexpr bool is_zero(Variable v) {
        if (v.operation() == Operation::expand) v = v.operand(0);
        return v.is_constant() && v.node().constant == 0;
    }
    static constexpr Variable either(const Choice& u, const Choice& v) {
        const Variable one = constant(u.condition.tape, 1), zero = constant(u.condition.tape, 0);
        const Variable other = v.holds ? v.condition : equal(v.condition, zero);
        return u.holds ? where(u.condition, one, other) : where(u.condition, other, one);
    }
};

}  // namespace sigma::detail
