// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "notation.hpp"

#include <sigma/core/number_text.hpp>
#include <sigma/network/layers.hpp>
#include <sigma/network/programs.hpp>
#include <sigma/tape/loops.hpp>

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::detail::formulas {

/// A network's tape with the names of parameters, inputs, constants, states and outputs of layers.
class NamedTape {
protected:
    NamedTape(const Layers& layers, bool latex) : latex_(latex) {
        Context context(program_.tape, false, true);
        trace_network(layers, context);
        each_prediction(layers, context, [&](Tensor t, int) { predictions_.push_back(t.variable.id); });
        for (const Variable& part : trace_losses(program_, layers, context).parts) losses_.push_back(part.id);
        layers_ = context.layers;
        parameters_ = context.parameters;
        states_ = context.carried;
        hyperparameters_ = context.hyperparameters;
        inputs_ = context.inputs.size();
        for (const LayerOutput& o : context.outputs) outputs_.emplace_back(o.variable, o.layer);
        for (const LossRecord& l : context.losses)
            cost_names_.push_back(
                l.named ? std::string(l.name.view())
                        : sentence(layers_.size() + static_cast<int>(cost_names_.size()), "-", l.name.view()));
        members_.emplace(tape());
        name_leaves();
    }

    bool latex_;
    Program program_;
    List<LayerRecord> layers_;
    List<ParameterRecord> parameters_;
    List<CarriedState> states_;
    List<HyperparameterRecord> hyperparameters_;
    int inputs_ = 0;
    std::vector<int> predictions_, losses_;
    std::vector<std::pair<int, int>> outputs_;
    std::vector<std::string> cost_names_;
    std::optional<LoopMembers> members_;
    std::set<int> positions_;
    std::map<int, std::string> names_;                                // names of nodes
    std::map<int, std::string> states_of_;                            // for the new value of a state: the state's name
    std::map<int, int> becomes_;                                      // the new value of a carry
    std::map<int, std::vector<std::pair<std::string, int>>> starts_;  // the states of a loop before the first step

    const Tape& tape() const { return program_.tape; }
    const Node& node(int i) const { return tape()[i]; }

    std::string indexed(std::string_view letter, const std::string& index) const {
        if (index.empty()) return std::string(letter);
        return latex_ ? sentence(letter, "_{", index, "}") : sentence(letter, index);
    }
    std::string word(std::string_view name) const {
        return latex_ ? sentence("\\mathrm{", escaped(name), "}") : std::string(name);
    }
    std::string number(double x) const {
        if (std::isinf(x)) return sentence(x < 0 ? "-" : "", latex_ ? "\\infty" : "∞");
        std::string text = x == std::floor(x) && std::abs(x) < 1e15 ? sentence(x) : rounded_text(x);
        if (const std::size_t e = text.find('e'); latex_ && e != text.npos) {
            double exponent = 0;
            const std::string_view after = std::string_view(text).substr(text[e + 1] == '+' ? e + 2 : e + 1);
            read_number(after, exponent);
            const std::string mantissa = text.substr(0, e);
            text = sentence(mantissa == "1" ? "" : mantissa + " \\cdot ", "10^{", exponent, "}");
        }
        return text;
    }
    /// Returns the index of a layer: "1", or "2.attention" inside a layer. A named layer is indexed by its position.
    std::string index_of(int layer, std::string_view inside) const {
        std::string text = sentence(layer);
        if (!inside.empty()) text += latex_ ? ",\\," + word(inside) : sentence(".", inside);
        return text;
    }
    /// Returns the letter of a parameter: W1 for "1-dense.weights".
    std::string leaf_name(std::string_view full) const {
        const std::string_view own = full.substr(full.rfind('.') + 1),
                               owner = full.substr(0, full.size() - own.size() - 1);
        const std::string_view layer = owner.substr(0, owner.find('.'));
        int index = 0;
        while (index < layers_.size() && layers_[index].name.view() != layer) ++index;
        const std::string at = index_of(index, owner.size() > layer.size() ? owner.substr(layer.size() + 1) : "");
        for (const Letter& l : letters)
            if (l.name == own) return indexed(latex_ ? l.latex : l.text, at);
        return latex_ ? indexed(word(own), at) : sentence(own, "_", at);
    }
    void name_leaves() {
        for (const ParameterRecord& r : parameters_) names_[r.variable] = leaf_name(r.name.view());
        for (const HyperparameterRecord& h : hyperparameters_) names_[h.variable] = number(h.value);
        for (int i = 0; i < tape().size(); ++i) {
            const Node& n = node(i);
            const auto at = static_cast<int>(n.attribute);
            if (n.operation == Operation::input) {
                const bool target = at >= inputs_;
                const int many = target ? static_cast<int>(losses_.size()) : inputs_;
                names_[i] = indexed(target ? "y" : "x", many > 1 ? sentence((target ? at - inputs_ : at) + 1) : "");
            }
            if (n.operation == Operation::constant) names_[i] = number(n.constant);
            if (n.operation == Operation::reciprocal_batch) names_[i] = latex_ ? "\\frac{1}{N}" : "1/N";
            if (n.operation == Operation::iota) name_positions(i, n.shape.rank - at, n.shape[at]);
            if (n.operation == Operation::parameter && at >= Context::recorded_states && !names_.contains(i))
                names_[i] = leaf_name(states_[at - Context::recorded_states].name.view());
        }
        for (const auto& [variable, layer] : outputs_) {
            const int from = resolved(variable);
            if (!names_.contains(from)) names_[variable] = indexed("h", sentence(layer));
        }
        name_states();
    }
    /// Names positions along an axis, which count from 0. `from_end` is the axis in the shape to which they broadcast.
    void name_positions(int i, int from_end, int count) {
        for (int k = i + 1; k < tape().size(); ++k) {
            const Node& n = node(k);
            if (n.a != i && n.b != i && n.c != i) continue;
            if (n.operation == Operation::reshape) {
                for (int axis = 0; axis < n.shape.rank; ++axis)
                    if (n.shape[axis] == count) name_positions(k, n.shape.rank - axis, count);
            } else if (!names_.contains(i)) {
                int reader = k;  // until a node has records, or another shape
                for (int r = k + 1; r < tape().size() && !node(reader).shape.batched(); ++r) {
                    if (node(r).a != reader && node(r).b != reader && node(r).c != reader) continue;
                    if (node(r).operation == Operation::reshape) break;
                    reader = r;
                }
                const Shape& s = node(reader).shape;
                names_[i] = axis_letter(s, s.rank - from_end) + (latex_ ? " - 1" : " − 1");
                positions_.insert(i);
            }
        }
    }
    static std::string axis_letter(const Shape& s, int axis) {
        const int own = s.batched() ? axis - s.batch_axis() : axis + 1;
        return own == 0 ? "n" : std::string(1, static_cast<char>('h' + own));
    }
    /// Names states: s and c in the first loop of a layer, other letters in later ones.
    void name_states() {
        constexpr std::string_view all = "scuvpqrw";
        std::map<int, std::size_t> taken;
        for (int i = 0; i < tape().size(); ++i) {
            if (node(i).operation != Operation::advance) continue;
            const int layer = section(i), loop = loop_of(node(i));
            const std::string state =
                indexed(std::string(1, all[taken[layer]++ % all.size()]), layer < 0 ? "" : sentence(layer));
            const bool backwards = tape().loops()[loop].backwards;
            const std::string before = backwards ? "(t+1)" : latex_ ? "(t-1)" : "(t−1)";
            const int carry = node(i).a, next = node(i).b;
            names_[carry] = state + before;
            if (!names_.contains(next)) names_[next] = state + "(t)";
            states_of_[next] = state;
            becomes_[carry] = next;
            const std::string first = backwards ? sentence(tape().loops()[loop].count + 1) : "0";
            starts_[loop].emplace_back(sentence(state, "(", first, ") = "), node(carry).a);
        }
    }

    /// Returns the layer of a node; -1 for a cost.
    int section(int i) const {
        for (int k = 0; k < layers_.size(); ++k)
            if (i >= layers_[k].first_node && i < layers_[k].end_node) return k;
        return -1;
    }

    /// Returns the node behind operations that change no numbers.
    int resolved(int i) const {
        while (!names_.contains(i) && is_passed_on(i)) i = node(i).a;
        return i;
    }
    bool is_passed_on(int i) const {
        const Node& n = node(i);
        const bool again = n.a >= 0 && node(n.a).shape.count() != n.shape.count() && !node(n.a).shape.scalar();
        return n.operation == Operation::copy || n.operation == Operation::stop_gradient ||
               (n.operation == Operation::expand && !again) ||
               (n.operation == Operation::reshape && without_ones(n.shape) == without_ones(node(n.a).shape));
    }
    static Shape without_ones(const Shape& s) {
        Shape r;
        for (int i = 0; i < s.rank; ++i)
            if (s[i] != 1) r.extent[r.rank++] = s[i];
        return r;
    }
};

}  // namespace sigma::detail::formulas
