// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/number_text.hpp>
#include <sigma/exchange/formula.hpp>
#include <sigma/layer/activation.hpp>
#include <sigma/network/programs.hpp>
#include <sigma/tape/loops.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::detail {
namespace {

enum Binding : int { loosest, sum_like, product_like, power_like, atom };

/// How an operation is written: @0, @1 and @2 are its operands, @x what is said of it beside them. An operand that
/// binds less than its place wants has parentheses, but for a place in braces.
struct Notation {
    std::string_view name, text, latex;
    Binding own = atom;
    std::array<Binding, 3> wanted{};
};
constexpr Notation notations[] = {
    {"same", "@0", "@0"},
    {"chosen", "@0 @1", "@0 \\, @1", product_like, {atom, power_like}},
    {"add", "@0 + @1", "@0 + @1", sum_like, {sum_like, sum_like}},
    {"subtract", "@0 − @1", "@0 - @1", sum_like, {sum_like, product_like}},
    {"negate", "−@0", "-@0", sum_like, {product_like}},
    {"multiply", "@0 ∘ @1", "@0 \\odot @1", product_like, {product_like, product_like}},
    {"scale", "@0 @1", "@0 \\, @1", product_like, {power_like, power_like}},
    {"divide", "@0 / @1", "\\frac{@0}{@1}", product_like, {product_like, power_like}},
    {"over_root", "@0 / sqrt(@1)", "\\frac{@0}{\\sqrt{@1}}", product_like, {product_like}},
    {"rsqrt", "1 / sqrt(@0)", "\\frac{1}{\\sqrt{@0}}", product_like},
    {"sqrt", "sqrt(@0)", "\\sqrt{@0}"},
    {"square", "@0²", "@0^{2}", power_like, {atom}},
    {"power", "@0^@1", "@0^{@1}", power_like, {atom, atom}},
    {"absolute", "abs(@0)", "\\left|@0\\right|"},
    {"exp", "exp(@0)", "e^{@0}", power_like},
    {"maximum", "max(@0, @1)", "\\max(@0, @1)"},
    {"minimum", "min(@0, @1)", "\\min(@0, @1)"},
    {"less", "[@0 < @1]", "[@0 < @1]"},
    {"greater", "[@0 > @1]", "[@0 > @1]"},
    {"greater_equal", "[@0 ≥ @1]", "[@0 \\ge @1]"},
    {"less_equal", "[@0 ≤ @1]", "[@0 \\le @1]"},
    {"equal", "[@0 = @1]", "[@0 = @1]"},
    {"sigmoid", "σ(@0)", "\\sigma(@0)"},
    {"dot", "@0 · @1", "@0 \\cdot @1", product_like, {product_like, power_like}},
    {"transposed_dot", "@0ᵀ · @1", "@0^{\\top} \\cdot @1", product_like, {atom, power_like}},
    {"transpose", "@0ᵀ", "@0^{\\top}", power_like, {atom}},
    {"convolve", "@0 ∗@x @1", "@0 *@x @1", product_like, {product_like, power_like}},
    {"convolve_input", "@0 ∗ᵀ@x @1", "@0 *^{\\top}@x @1", product_like, {product_like, power_like}},
    {"gather", "@0[@1]", "@0[@1]", atom, {atom}},
    {"slice", "@0[@x]", "@0[@x]", atom, {atom}},
    {"at", "@0(@x)", "@0(@x)", atom, {atom}},
    {"concatenate", "[@0, @1]", "[@0, @1]"},
    {"joined", "@0, @1", "@0,\\; @1"},  // inside brackets that are there
    {"sum", "sum@x(@0)", "\\sum@x @0", product_like, {product_like}},
    {"reduce_maximum", "max@x(@0)", "\\max@x @0", product_like, {product_like}},
    {"reduce_minimum", "min@x(@0)", "\\min@x @0", product_like, {product_like}},
};
const Notation* notation(std::string_view name) {
    for (const Notation& n : notations)
        if (n.name == name) return &n;
    return nullptr;
}

/// Functions that the library composes of operations and that have a name in the field. Where a tape has what they
/// trace, of whatever it is, their name is written.
struct Named {
    std::string_view name;
    Tensor (*function)(Tensor);
};
constexpr Named named_functions[] = {{"softmax", [](Tensor x) { return softmax(x); }},
                                     {"log_softmax", [](Tensor x) { return log_softmax(x); }},
                                     {"mish", mish},
                                     {"softplus", softplus},
                                     {"gelu", gelu},
                                     {"hard_swish", hard_swish},
                                     {"silu", silu},
                                     {"selu", selu},
                                     {"elu", [](Tensor x) { return elu(x); }},
                                     {"leaky_relu", [](Tensor x) { return leaky_relu(x); }},
                                     {"hard_sigmoid", hard_sigmoid},
                                     {"relu6", relu6},
                                     {"hard_tanh", hard_tanh},
                                     {"softsign", softsign},
                                     {"relu", relu}};

/// Letters of parameters; others keep their names.
struct Letter {
    std::string_view name, text, latex;
};
constexpr Letter letters[] = {{"weights", "W", "W"},
                              {"biases", "b", "b"},
                              {"recurrent_weights", "U", "U"},
                              {"recurrent_biases", "b'", "b'"},
                              {"scales", "γ", "\\gamma"},
                              {"shifts", "β", "\\beta"},
                              {"running_mean", "μ", "\\mu"},
                              {"running_variance", "v", "v"},
                              {"table", "E", "E"},
                              {"slopes", "a", "a"},
                              {"query_weights", "Wq", "W^{q}"},
                              {"query_biases", "bq", "b^{q}"},
                              {"key_weights", "Wk", "W^{k}"},
                              {"key_biases", "bk", "b^{k}"},
                              {"value_weights", "Wv", "W^{v}"},
                              {"value_biases", "bv", "b^{v}"},
                              {"output_weights", "Wo", "W^{o}"},
                              {"output_biases", "bo", "b^{o}"}};

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}
/// A name as LaTeX has it, in which most marks would do something.
std::string escaped(std::string_view name) {
    std::string text;
    for (const char c : name) {
        if (std::string_view("#%&$_{}").find(c) != std::string_view::npos) text += '\\';
        text += std::string_view("\\^~").find(c) != std::string_view::npos ? '-' : c;
    }
    return text;
}
/// Characters of UTF-8.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

/// A node as it is written: an operation and its operands.
struct Form {
    std::string_view operation;
    std::vector<int> operands{};
    std::string extra{};
};

class Writer {
public:
    Writer(const Layers& layers, bool latex) : latex_(latex) {
        {
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
        }
        members_.emplace(tape());
        name_leaves();
        find_lines();
    }
    std::string text() {
        gather_lines();
        return latex_ ? as_latex() : as_text();
    }

private:
    struct Row {
        std::string layer, formula, facts;
        bool in_loop = false;
    };
    struct Term {
        std::string text;
        Binding binding = atom;
    };

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
    std::map<int, std::string> names_;      // of nodes that are written by a name
    std::map<int, std::string> states_of_;  // of what a step makes of a state: the state's name
    std::map<int, int> becomes_;            // what a step makes of a carry
    std::map<int, std::vector<std::pair<std::string, int>>> starts_;  // of a loop: its states before the first step
    std::map<int, Form> forms_;
    std::map<int, int> uses_;
    std::set<int> lines_;  // nodes whose formula stands in a line of its own
    std::set<int> told_;   // parameters whose shape has been said
    std::map<std::pair<std::size_t, std::string>, std::pair<Tape, int>> patterns_;
    std::vector<Row> rows_;
    int intermediates_ = 0;

    const Tape& tape() const { return program_.tape; }
    const Node& node(int i) const { return tape()[i]; }

    // ---- names ----

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
    /// "1", and of what is inside a layer "2.attention"; the number of a layer that has a name is its place.
    std::string index_of(int layer, std::string_view inside) const {
        std::string text = sentence(layer);
        if (!inside.empty()) text += latex_ ? ",\\," + word(inside) : sentence(".", inside);
        return text;
    }
    /// Of "1-dense.weights": W1.
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
    /// Positions along an axis, `from_end` in what they broadcast to, count from 0.
    void name_positions(int i, int from_end, int count) {
        for (int k = i + 1; k < tape().size(); ++k) {
            const Node& n = node(k);
            if (n.a != i && n.b != i && n.c != i) continue;
            if (n.operation == Operation::reshape) {
                for (int axis = 0; axis < n.shape.rank; ++axis)
                    if (n.shape[axis] == count) name_positions(k, n.shape.rank - axis, count);
            } else if (!names_.contains(i)) {
                int reader = k;  // until there are records, or another shape
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
    /// s and c of the first loop of a layer, others of the next.
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

    /// The layer among whose nodes it is; -1: none, a cost.
    int section(int i) const {
        for (int k = 0; k < layers_.size(); ++k)
            if (i >= layers_[k].first_node && i < layers_[k].end_node) return k;
        return -1;
    }

    // ---- what is written ----

    /// Past what changes no number that a reader would see.
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
            default: return {name(n.operation), operands};
        }
    }
    /// Of what commutes, what has records before what has none: x + b.
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
    /// Positions from 1 on, of the axis that is cut.
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
    /// Zeros before and behind, one axis after the other on the tape.
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

    /// A number that an average is multiplied by, and whether it has 1 / records in it.
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
    /// Sums of sums along other axes are one.
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
    /// What is multiplied by factors that make an average of a sum.
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
        if (all.batch && over_batch && std::abs(all.number - 1) < 1e-9) {  // of the sums of records
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

    // ---- functions that have a name ----

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
    /// Is `i` what the pattern's node would be, of some argument?
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

    // ---- lines ----

    /// Written so shortly that it needs no line.
    bool is_view(int i) {
        const Operation o = node(i).operation;
        return (o == Operation::slice || o == Operation::step || o == Operation::stack || o == Operation::reshape) &&
               names_.contains(form(i).operands[0]);
    }
    void visit(int i) {
        if (uses_[i]++ > 0) return;
        if ((names_.contains(i) && is_leaf(node(i).operation)) || positions_.contains(i)) return;
        if (node(i).operation == Operation::carry) {
            visit(resolved(node(i).a));
            visit(becomes_.at(i));
            return;
        }
        for (const int o : std::vector<int>(form(i).operands)) visit(o);
    }
    void find_lines() {
        std::vector<int> roots;
        for (const auto& all : {predictions_, losses_})
            for (const int i : all) roots.push_back(resolved(i));
        for (const int i : roots) visit(i);
        // Nodes that a line each is wanted for, from the first on, so that the sizes of what they use are known.
        std::map<int, int> size;
        for (const auto& entry : std::map<int, int>(uses_)) {
            const int i = entry.first, count = entry.second;
            if (is_leaf(node(i).operation) || node(i).operation == Operation::carry || positions_.contains(i)) continue;
            int own = 1, greatest = -1;
            const auto add_up = [&] {
                own = 1, greatest = -1;
                for (const int o : form(i).operands) {
                    if (names_.contains(o)) continue;
                    own += size[o];
                    if (greatest < 0 || size[o] > size[greatest]) greatest = o;
                }
            };
            for (add_up(); own > most_operations && greatest >= 0 && size[greatest] > 1; add_up()) make_line(greatest);
            size[i] = own;
            const bool source = std::any_of(tape().begin(), tape().end(), [&](const Node& n) {
                return (n.operation == Operation::stack || n.operation == Operation::step) && resolved(n.a) == i;
            });
            const bool gate = members_->of(i) >= 0 && is_costly(node(i).operation) &&
                              !names_.contains(form(i).operands[0]) && !is_view(form(i).operands[0]);
            if (names_.contains(i)) lines_.insert(i);
            else if ((count > 1 && !is_view(i)) || source || gate) make_line(i);
        }
    }
    static constexpr int most_operations = 7;
    void make_line(int i) {
        lines_.insert(i);
        names_[i] = indexed("z", sentence(++intermediates_)) + (members_->of(i) >= 0 ? "(t)" : "");
    }

    // ---- texts ----

    Term term(int i, bool own_line = false) {
        if (!own_line) {
            const auto found = names_.find(i);
            if (found != names_.end()) {
                const bool compound = positions_.contains(i);
                const bool negative = node(i).operation == Operation::constant && node(i).constant < 0;
                return {found->second, compound || negative ? sum_like : atom};
            }
        }
        const Form& f = form(i);
        if (f.operation == "stack") return {sequence(f.operands[0])};
        const Notation* const known = notation(f.operation);
        if (f.operation == "at") {  // a sequence by its name, at a position
            return {sentence(parenthesized(term(f.operands[0]), atom), "(t)")};
        }
        if (known == nullptr) {
            std::string text =
                latex_ ? sentence("\\operatorname{", escaped(f.operation), "}") : std::string(f.operation);
            const bool after = f.extra.starts_with(",");  // among the arguments
            if (!after) text += f.extra;
            text += "(";
            for (std::size_t k = 0; k < f.operands.size(); ++k) text += (k == 0 ? "" : ", ") + term(f.operands[k]).text;
            return {text + (after ? f.extra : "") + ")"};
        }
        if (f.operation == "concatenate") {
            std::string text;
            for (const int o : joined(i)) text += (text.empty() ? "" : ", ") + term(o).text;
            return {sentence("[", text, "]")};
        }
        const std::string_view pattern = latex_ ? known->latex : known->text;
        std::string text;
        for (std::size_t at = 0; at < pattern.size(); ++at) {
            if (pattern[at] != '@') {
                text += pattern[at];
                continue;
            }
            const char which = pattern[++at];
            if (which == 'x') {
                text += f.extra;
                continue;
            }
            const auto k = static_cast<std::size_t>(which - '0');
            const bool enclosed =
                at >= 2 && pattern[at - 2] == '{' && at + 1 < pattern.size() && pattern[at + 1] == '}';
            text += parenthesized(term(f.operands[k]), enclosed ? loosest : known->wanted[k]);
        }
        if (f.operation == "add") text = replaced(text, "+ -", latex_ ? "- " : "− ");
        return {text, known->own};
    }
    static std::string parenthesized(const Term& t, Binding wanted) {
        return t.binding < wanted ? sentence("(", t.text, ")") : t.text;
    }
    std::vector<int> joined(int i) {
        std::vector<int> all;
        for (const int o : form(i).operands) {
            if (node(o).operation == Operation::concatenate && !names_.contains(o) &&
                axis_of(node(o)) == axis_of(node(i)))
                for (const int inner : joined(o)) all.push_back(inner);
            else all.push_back(o);
        }
        return all;
    }
    /// The sequence of what a loop computes at each position.
    std::string sequence(int i) {
        if (const auto state = states_of_.find(i); state != states_of_.end()) return state->second;
        const std::string name = term(i).text;
        return name.substr(0, name.rfind("(t)"));
    }

    /// "(12), W1 (4, 12)": a shape, and those of parameters that are read for the first time.
    std::string facts(int i, bool says_own) {
        std::string text;
        const auto say = [&](const std::string& name, const Shape& s) {
            const std::string shape = latex_ ? sentence(name, " \\in \\mathbb{R}^{", extents(s), "}")
                                             : sentence(name, name.empty() ? "" : " ", extents(s));
            text += sentence(text.empty() ? "" : latex_ ? ",\\; " : ", ", shape);
        };
        if (says_own) say(latex_ ? names_[i] : "", node(i).shape);
        const auto look = [&](const auto& again, int at) -> void {
            if (node(at).operation == Operation::parameter && node(at).shape.rank > 0 && told_.insert(at).second)
                say(names_[at], node(at).shape);
            if (!names_.contains(at) || at == i)
                for (const int o : form(at).operands) again(again, o);
        };
        look(look, i);
        return text;
    }
    void add(int i, const std::string& left, bool says_shape) {
        const std::string equals = latex_ ? " &= " : " = ";
        rows_.push_back(
            {section_name(i), left + equals + term(i, true).text, facts(i, says_shape), members_->of(i) >= 0});
    }
    void gather_lines() {
        for (int k = 0; k < tape().size(); ++k)
            if (node(k).operation == Operation::input && names_.contains(k) &&
                static_cast<int>(node(k).attribute) < inputs_)
                rows_.push_back({section_name(k), names_[k],
                                 latex_ ? sentence(names_[k], " \\in \\mathbb{R}^{", extents(node(k).shape), "}")
                                        : extents(node(k).shape)});
        std::vector<std::pair<int, int>> order_of;
        for (const int i : lines_) {
            const int loop = members_->of(i);
            order_of.emplace_back(loop < 0 ? i : members_->last(loop), i);
        }
        std::sort(order_of.begin(), order_of.end());
        int in_loop = -1;
        for (const auto& [key, i] : order_of) {
            static_cast<void>(key);
            const int loop = members_->of(i);
            if (loop >= 0 && loop != in_loop) begin_loop(loop, section_name(i));
            in_loop = loop;
            const bool says_shape = loop < 0 || states_of_.contains(i);
            add(i, names_[i], says_shape);
        }
        for (std::size_t c = 0; c < predictions_.size(); ++c)
            add_result(predictions_[c], latex_ ? "\\hat{y}" : "ŷ", c, true);
        for (std::size_t c = 0; c < losses_.size(); ++c)
            if (node(resolved(losses_[c])).operation != Operation::constant)  // of who judges nothing
                add_result(losses_[c], latex_ ? "\\ell" : "loss", c, false);
    }
    std::string section_name(int i) const {
        int k = section(i);
        for (const auto& [variable, layer] : outputs_)
            if (k < 0 && resolved(variable) == i) k = layer;
        return k >= 0 ? std::string(layers_[k].name.view()) : cost_names_.size() == 1 ? cost_names_[0] : "";
    }
    void begin_loop(int loop, const std::string& layer) {
        std::string start;
        for (const auto& [left, from] : starts_[loop])
            start += (start.empty() ? "" : ", ") + left + term(resolved(from)).text;
        const Loop& l = tape().loops()[loop];
        const int first = l.backwards ? l.count : 1, last = l.backwards ? 1 : l.count;
        rows_.push_back({layer,
                         latex_ ? sentence("& \\text{for } t = ", first, ", \\dots, ", last, ":")
                                : sentence("for t = ", first, " … ", last, ":"),
                         start});
    }
    void add_result(int i, const std::string& letter, std::size_t cost, bool says_shape) {
        const int from = resolved(i);
        const std::string left = indexed(letter, predictions_.size() < 2 ? "" : sentence(cost + 1));
        const std::string equals = latex_ ? " &= " : " = ";
        const bool is_line = names_.contains(from);
        rows_.push_back({cost_names_[cost], left + equals + (is_line ? names_[from] : term(from).text),
                         says_shape ? latex_ ? sentence(left, " \\in \\mathbb{R}^{", extents(node(i).shape), "}")
                                             : extents(node(i).shape)
                                    : std::string()});
    }
    std::string as_text() const {
        std::size_t names = 0, formulas = 0;
        for (const Row& r : rows_) {
            names = std::max(names, width(r.layer));
            formulas = std::max(formulas, std::min<std::size_t>(width(r.formula) + (r.in_loop ? 2 : 0), 60));
        }
        std::string text, before;
        for (const Row& r : rows_) {
            const std::string layer = r.layer == before ? "" : r.layer;
            before = r.layer;
            std::string line = layer + std::string(names - width(layer) + 2, ' ') + (r.in_loop ? "  " : "") + r.formula;
            if (!r.facts.empty()) {
                const std::size_t wanted = names + 2 + formulas + 2;
                line += std::string(width(line) + 2 < wanted ? wanted - width(line) : 2, ' ') + r.facts;
            }
            text += line + "\n";
        }
        return text;
    }
    std::string as_latex() const {
        std::string text = "\\begin{align*}\n";
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const Row& r = rows_[i];
            const bool aligned = r.formula.find('&') != std::string::npos;
            text += sentence("  ", aligned ? "" : "& ", r.formula, r.facts.empty() ? "" : " && " + r.facts,
                             i + 1 < rows_.size() ? " \\\\" : "", "\n");
        }
        return text + "\\end{align*}\n";
    }
};

}  // namespace

std::string formula(const Layers& network, Formula how) { return Writer(network, how == Formula::latex).text(); }

}  // namespace sigma::detail
