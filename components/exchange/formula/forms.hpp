// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "names.hpp"

#include <sigma/tape/custom_functions.hpp>
#include <sigma/tape/geometry.hpp>

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::detail::formulas {

/// The written form of a node: an operation and its operands.
struct Form {
    std::string_view operation;
    std::vector<int> operands{};
    std::string extra{};
};

/// Finds the written form of each node. Averages, functions and reductions of several operations become one form.
class Forms : protected NamedTape {
protected:
    using NamedTape::NamedTape;

    const Form& form(int i) {
        const auto found = forms_.find(i);
        if (found != forms_.end()) return found->second;
        const int from = is_passed_on(i) ? resolved(node(i).a) : i;  // the output of a layer is a copy
        Form made = from != i && names_.contains(from) ? Form{"same", {from}} : written(from);
        for (int& o : made.operands) o = resolved(o);
        return forms_.emplace(i, std::move(made)).first->second;
    }
    Form written(int i) {
        const Node& n = node(i);
        if (const auto f = named_function(i)) return *f;
        std::vector<int> operands;
        for (const int o : {n.a, n.b, n.c})
            if (o >= 0) operands.push_back(o);
        switch (n.operation) {
            case Operation::multiply: return product(n);
            case Operation::sum:
            case Operation::reduce_maximum:
            case Operation::reduce_minimum: return reduction(i);
            case Operation::permute:
                if (is_transpose(n)) return {"transpose", operands};
                return {"permute", operands, order(n)};
            case Operation::reshape: {
                const bool flat = n.shape.rank == 2 && n.shape.batched() && node(n.a).shape.rank > 2;
                return flat ? Form{"vec", operands} : Form{"reshape", operands, ", " + extents(n.shape)};
            }
            case Operation::expand: return {"repeat", operands, ", " + extents(n.shape)};
            case Operation::slice: return {"slice", operands, range(n)};
            case Operation::step: return {"at", operands, "t"};
            case Operation::stack: return {"stack", operands};
            case Operation::convolve:
            case Operation::convolve_input: return {name(n.operation), operands, geometry(n)};
            case Operation::pool_max: {
                const Pooling p = Pooling::unpacked(n.attribute);
                return {"maxpool", operands, subscript(sentence(p.window[0], "×", p.window[1]))};
            }
            case Operation::pad: return padding(i);
            case Operation::argmax:
                return {"argmax", operands, subscript(axis_letter(n.shape, static_cast<int>(n.attribute)))};
            case Operation::where:
                if (node(resolved(n.c)).operation == Operation::constant && node(resolved(n.c)).constant == 0 &&
                    is_comparison(node(n.a).operation))
                    return factor(n.b) && factor(n.b)->number == 1 && !factor(n.b)->batch ? Form{"same", {n.a}}
                                                                                          : Form{"chosen", {n.a, n.b}};
                return {"where", operands};
            case Operation::less:
            case Operation::less_equal:
                if (node(n.a).shape.batched() || !node(n.b).shape.batched()) return {name(n.operation), operands};
                return {n.operation == Operation::less ? "greater" : "greater_equal", {n.b, n.a}};
            case Operation::add:
            case Operation::equal: in_order(operands[0], operands[1]); return {name(n.operation), operands};
            case Operation::custom_rows:
            case Operation::custom_matrices: return {custom_functions(n.attribute).name, operands};
            default: return {name(n.operation), operands};
        }
    }
    /// Orders operands of a commutative operation: those with records first, as in x + b.
    void in_order(int& a, int& b) const {
        if (!node(a).shape.batched() && node(b).shape.batched()) std::swap(a, b);
    }
    std::string subscript(const std::string& text) const {
        return latex_ ? sentence("_{", replaced(text, "×", " \\times "), "}") : "_" + text;
    }
    std::string extents(const Shape& s) const {
        std::string text;
        for (int i = 0; i < s.rank; ++i)
            if (s[i] != batch)
                text += sentence(text.empty() ? "" : latex_ ? " \\times " : ", ", s[i] < 0 ? -s[i] : s[i]);
        return latex_ ? (text.empty() ? "1" : text) : sentence("(", text, ")");
    }
    static bool is_transpose(const Node& n) {
        for (int i = 0; i < n.shape.rank; ++i) {
            const int last = n.shape.rank - 1;
            if (source_axis(n, i) != (i == last ? last - 1 : i == last - 1 ? last : i)) return false;
        }
        return true;
    }
    std::string order(const Node& n) const {
        std::string letters_of;
        for (int i = 0; i < n.shape.rank; ++i)
            if (!n.shape.batched() || i > 0) letters_of += axis_letter(node(n.a).shape, source_axis(n, i));
        return subscript(letters_of);
    }
    /// Returns the positions of a slice along its axis, from 1.
    std::string range(const Node& n) const {
        const int axis = axis_of(n), first = first_of(n) + 1, last = first_of(n) + n.shape[axis];
        std::string text = first == last ? sentence(first) : sentence(first, latex_ ? "{:}" : "…", last);
        const int end = n.shape.rank - 1;
        for (int i = axis - (n.shape.batched() ? 1 : 0); i-- > 0;) text = ":, " + text;
        for (int i = axis; i < end; ++i) text += ", :";
        return text;
    }
    std::string geometry(const Node& n) const {
        const Convolution g = Convolution::unpacked(n.attribute);
        std::string text;
        const auto say = [&](const char* what, int a, int b) {
            if (a == 1 && b == 1) return;
            text += sentence(text.empty() ? "" : ", ", what, " ", a);
            if (a != b) text += sentence("×", b);
        };
        say("stride", g.stride[0], g.stride[1]);
        say("dilation", g.dilation[0], g.dilation[1]);
        say("groups", g.groups, g.groups);
        if (text.empty()) return text;
        return latex_ ? sentence("_{\\text{", replaced(text, "×", "$\\times$"), "}}") : sentence("[", text, "]");
    }
    /// Returns the form of a padding. The tape pads one axis after another.
    Form padding(int i) const {
        int inner = i;
        std::array<int, max_rank> before{};
        for (; node(inner).operation == Operation::pad && (inner == i || !names_.contains(inner));
             inner = node(inner).a)
            before[static_cast<std::size_t>(axis_of(node(inner)))] += first_of(node(inner));
        const Shape from = node(inner).shape;
        std::string text;
        for (int axis = from.batched() ? 1 : 0; axis < from.rank; ++axis) {
            const int first = before[static_cast<std::size_t>(axis)], behind = node(i).shape[axis] - from[axis] - first;
            text += first == 0 && behind == 0 ? ", 0" : sentence(", ", first, "+", behind);
        }
        return {"pad", {inner}, text};
    }

    /// A factor of an average, and whether it contains 1 / records.
    struct Factor {
        double number = 1;
        bool batch = false;
    };
    std::optional<Factor> factor(int i) const {
        const Node& n = node(i);
        if (n.operation == Operation::constant) return Factor{n.constant};
        if (n.operation == Operation::reciprocal_batch) return Factor{1, true};
        if (n.operation == Operation::expand) return factor(n.a);
        if (n.operation != Operation::multiply) return {};
        const auto a = factor(n.a), b = factor(n.b);
        if (!a || !b || (a->batch && b->batch)) return {};
        return Factor{a->number * b->number, a->batch || b->batch};
    }
    /// Returns the operand of a sum, through sums along other axes.
    int reduced_from(int i) const {
        const Operation o = node(i).operation;
        while (node(i).operation == o) i = node(i).a;
        return i;
    }
    std::string axes_reduced(const Shape& from, const Shape& to) const {
        std::string axes;
        for (int axis = 0; axis < from.rank; ++axis)
            if (from[axis] != to[axis]) axes += sentence(axes.empty() || !latex_ ? "" : ",", axis_letter(from, axis));
        return subscript(axes);
    }
    Form reduction(int i) const {
        const int from = reduced_from(i);
        return {name(node(i).operation), {from}, axes_reduced(node(from).shape, node(i).shape)};
    }
    /// Returns the form of an average: a sum with a factor.
    std::optional<Form> mean(const Node& n) const {
        Factor all;
        int sum = -1;
        for (const Node* at = &n; at->operation == Operation::multiply; at = &node(sum)) {
            const auto a = factor(at->a), b = a ? std::nullopt : factor(at->b);
            if (!a && !b) return {};
            const Factor& f = a ? *a : *b;
            all = {all.number * f.number, all.batch || f.batch};
            sum = resolved(a ? at->b : at->a);
            if (names_.contains(sum)) return {};
        }
        if (node(sum).operation != Operation::sum) return {};
        const int inner = reduced_from(sum);
        const Shape from = node(inner).shape, to = node(sum).shape;
        double count = all.number;
        bool over_batch = false;
        for (int axis = 0; axis < from.rank; ++axis) {
            if (from[axis] == to[axis]) continue;
            count *= std::abs(from[axis]);
            over_batch = over_batch || from[axis] < 0;
        }
        const std::string axes = axes_reduced(from, to);
        if (all.batch == over_batch && std::abs(count - 1) < 1e-9) return Form{"mean", {inner}, axes};
        if (all.batch && over_batch && std::abs(all.number - 1) < 1e-9) {  // sums over records
            const std::string sums = axes_reduced(from, to.with(from.batch_axis(), from[from.batch_axis()]));
            return Form{"mean", {inner}, subscript("n") + (latex_ ? "\\sum" : " sum") + sums};
        }
        return {};
    }
    Form product(const Node& n) const {
        if (resolved(n.a) == resolved(n.b)) return {"square", {n.a}};
        if (const auto average = mean(n)) return *average;
        for (const auto& [x, y] : {std::pair(n.a, n.b), std::pair(n.b, n.a)}) {
            const int root = resolved(y);
            if (node(root).operation == Operation::rsqrt && !names_.contains(root))
                return {"over_root", {x, node(root).a}};
            if (factor(x) || node(x).shape.rank == 0) return {"scale", {x, y}};
        }
        int a = n.a, b = n.b;
        in_order(a, b);
        return {"multiply", {a, b}};
    }

    // ---- named functions ----

    std::optional<Form> named_function(int i) {
        const Shape& s = node(i).shape;
        if (is_leaf(node(i).operation)) return {};
        for (std::size_t k = 0; k < std::size(named_functions); ++k) {
            auto& [pattern, root] = patterns_[{k, shape_key(s)}];
            if (pattern.size() == 0) {
                const Variable x{&pattern, pattern.leaf(Operation::input, s)};
                root = s.rank == 0 ? x.id : named_functions[k].function(Tensor{x}).variable.id;
            }
            int argument = -1;
            if (root != 0 && matches(pattern, root, i, argument)) return Form{named_functions[k].name, {argument}};
        }
        return {};
    }
    static std::string shape_key(const Shape& s) {
        std::string key;
        for (int i = 0; i < s.rank; ++i) key += sentence(s[i], " ");
        return key;
    }
    /// Returns whether node `i` equals the node of a pattern, for any argument.
    bool matches(const Tape& pattern, int p, int i, int& argument) const {
        if (p < 0 || i < 0) return p == i;
        const Node& m = pattern[p];
        if (m.operation == Operation::input) {
            if (!(m.shape == node(i).shape) || (argument >= 0 && argument != i)) return false;
            argument = i;
            return true;
        }
        const Node& n = node(i);
        if (m.operation != n.operation || m.attribute != n.attribute || !(m.shape == n.shape) ||
            m.constant != n.constant)
            return false;
        const int before = argument;
        if (matches(pattern, m.a, n.a, argument) && matches(pattern, m.b, n.b, argument) &&
            matches(pattern, m.c, n.c, argument))
            return true;
        argument = before;
        if (is_commutative(m.operation) && matches(pattern, m.a, n.b, argument) && matches(pattern, m.b, n.a, argument))
            return true;
        argument = before;
        return false;
    }

private:
    std::map<int, Form> forms_;
    std::map<std::pair<std::size_t, std::string>, std::pair<Tape, int>> patterns_;
};

}  // namespace sigma::detail::formulas
