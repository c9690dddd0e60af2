// SPDX-License-Identifier: BSL-1.0
#include "layout.hpp"

#include <sigma/core/pattern.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace sigma::detail {
namespace {

/// Names of parameters with the same layout in all frameworks, or with a layout that follows from their use.
struct Words {
    std::string_view own, torch, keras;
};
constexpr Words parameter_words[] = {{"weights", "weight", "kernel"},
                                     {"table", "weight", "embeddings"},
                                     {"scales", "weight", "gamma"},
                                     {"slopes", "weight", "alpha"},
                                     {"biases", "bias", "bias"},
                                     {"shifts", "bias", "beta"},
                                     {"running_mean", "running_mean", "moving_mean"},
                                     {"running_variance", "running_var", "moving_variance"}};
/// Parts of a TransformerBlock, and of nn.TransformerEncoderLayer.
constexpr std::pair<std::string_view, std::string_view> block_words[] = {{"attention", "self_attn"},
                                                                         {"hidden", "linear1"},
                                                                         {"output", "linear2"},
                                                                         {"attention_norm", "norm1"},
                                                                         {"output_norm", "norm2"}};

std::vector<std::uint64_t> extents_of(const Shape& s) {
    std::vector<std::uint64_t> extents;
    for (int i = 0; i < s.rank; ++i) extents.push_back(static_cast<std::uint64_t>(s[i]));
    return extents;
}

/// The uses of a network's parameters, found on its tape.
class Uses {
public:
    enum class Kind { other, product, convolution, transposed_convolution };

    explicit Uses(const PortableModel& model)
        : model_(model), tape_(model.prediction.tape), kinds_(at(model.network.parameters.size())),
          pixels_(kinds_.size()), pixels_made_(kinds_.size(), 1), heads_(kinds_.size()) {
        List<int> root(tape_.size(), -1);  // the parameter of which a node holds the elements, or functions of them
        for (int i = 0; i < tape_.size(); ++i) {
            const Node& n = tape_[i];
            const auto parameter_of = [&](int operand) { return operand < 0 ? -1 : root[operand]; };
            const int a = parameter_of(n.a), b = parameter_of(n.b);
            if (n.operation == Operation::parameter && n.attribute < kinds_.size())
                root[i] = static_cast<int>(n.attribute);
            else if (is_movement(n.operation) || n.operation == Operation::reshape || n.operation == Operation::expand)
                root[i] = n.operation == Operation::concatenate ? -1 : a;
            else if (is_product(n.operation)) used(b, Kind::product, n.a, i);
            else if (n.operation == Operation::convolve) used(b, Kind::convolution, -1, i);
            else if (n.operation == Operation::convolve_input) used(b, Kind::transposed_convolution, -1, i);
            else if (is_map(n.operation) && (a < 0) != (b < 0)) {
                if (n.shape.batched()) used(a < 0 ? b : a, Kind::other, a < 0 ? n.a : n.b, i);
                else root[i] = a < 0 ? b : a;  // 1 / √(variance + ε) has the layout of the variance
            }
        }
    }
    Kind kind(int parameter) const { return kinds_[at(parameter)]; }
    /// Returns the number of positions of the images that were flattened before this parameter; 1 if there were none.
    std::size_t pixels(int parameter) const { return pixels_[at(parameter)]; }
    /// Returns the number of positions of the images that are made of the features of this parameter.
    std::size_t pixels_made(int parameter) const { return pixels_made_[at(parameter)]; }
    /// Returns into how many heads the result of this parameter was split; 0 if it was not.
    std::uint64_t heads(int parameter) const { return heads_[at(parameter)]; }

private:
    const PortableModel& model_;
    const Tape& tape_;
    std::vector<Kind> kinds_;
    std::vector<std::size_t> pixels_, pixels_made_;
    std::vector<std::uint64_t> heads_;

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    void used(int parameter, Kind kind, int beside, int node) {
        if (parameter < 0) return;
        if (kind != Kind::other) kinds_[at(parameter)] = kind;
        if (beside >= 0 && pixels_[at(parameter)] == 0) pixels_[at(parameter)] = pixels_before(beside, node);
        pixels_made_[at(parameter)] = std::max(pixels_made_[at(parameter)], pixels_after(node));
        const int width = tape_[node].shape.last();
        for (int i = node + 1; kind == Kind::product && heads_[at(parameter)] == 0 && i < tape_.size(); ++i) {
            const Shape& s = tape_[i].shape;
            if (tape_[i].operation == Operation::reshape && s.rank == 4 && s[2] * s[3] == width)
                heads_[at(parameter)] = static_cast<std::uint64_t>(s[2]);
        }
    }
    int behind_reshapes(int i) const {
        while (tape_[i].operation == Operation::reshape || tape_[i].operation == Operation::copy) i = tape_[i].a;
        return i;
    }
    /// Returns the operand of an elementwise operation with the same elements of a record as the result.
    int whole_operand(int i) const {
        const Node& n = tape_[i];
        for (const int o : {n.a, n.b, n.c})
            if (o >= 0 && tape_[o].shape.batched() && tape_[o].shape.count() == n.shape.count()) return o;
        return -1;
    }
    /// Returns whether a sequence comes from a convolution. PyTorch has the channels first there.
    bool is_convolved(int i) const {
        while (i >= 0) {
            const Operation o = tape_[i].operation;
            if (is_convolution(o) || is_pooling(o)) return true;
            if (is_product(o) || is_leaf(o) || is_loop_value(o) || is_lookup(o)) return false;
            i = is_map(o) ? whole_operand(i) : tape_[i].a;
        }
        return false;
    }
    /// Returns the positions of a value that a layer reads as images. Values that no layer reads so are not reordered.
    std::size_t pixels_after(int i) const {
        if (tape_[i].shape.rank != 2) return 1;
        for (int k = i + 1; k < tape_.size(); ++k) {
            const Node& n = tape_[k];
            if (is_map(n.operation) && whole_operand(k) == i)
                if (const std::size_t found = pixels_after(k); found > 1) return found;
            if (n.operation != Operation::reshape || n.a != i || n.shape.rank < 4) continue;
            const bool read =
                std::any_of(tape_.begin(), tape_.end(), [&](const Node& m) { return m.a == k || m.b == k; });
            for (const LayerRecord& layer : model_.layers)
                if (read && layer.variable == k && layer.kind.view() == "reshape")
                    return static_cast<std::size_t>(n.shape.count() / n.shape.last());
        }
        return 1;
    }
    std::size_t pixels_before(int i, int reader) const {
        while (i >= 0 && is_map(tape_[i].operation)) i = whole_operand(i);
        if (i < 0 || tape_[i].shape.rank != 2 || tape_[i].operation != Operation::reshape) return 1;
        // The output of a layer shows its shape: the tape merges a reshape of a reshape.
        const int from = behind_reshapes(i);
        if (tape_[from].shape.rank < 3) return 1;
        for (int k = model_.layers.size(); k-- > 0;) {
            const LayerRecord& layer = model_.layers[k];
            const Shape& s = layer.output;
            if (layer.variable > reader || s.rank < 3 || behind_reshapes(layer.variable) != from) continue;
            if (s.count() != tape_[i].shape.count() || (s.rank == 3 && !is_convolved(from))) return 1;
            return static_cast<std::size_t>(s.count() / s.last());
        }
        return 1;
    }
};

class UnitMaker {
public:
    UnitMaker(const PortableModel& model, const ForeignNames& names)
        : model_(model), uses_(model), torch_(names.framework == Framework::torch),
          channels_first_(names.options.channels_first.value_or(torch_)), pattern_(names.options.layers) {}

    std::vector<ForeignUnit> units() {
        std::vector<ForeignUnit> all;
        for (int p = 0; p < model_.network.parameters.size();) {
            const std::string_view full = model_.network.parameters[p].name.view();
            const std::string_view name = full.substr(0, full.rfind('.'));
            parts_.clear();
            for (; p < model_.network.parameters.size(); ++p) {
                const std::string_view other = model_.network.parameters[p].name.view();
                if (other.substr(0, other.rfind('.')) != name) break;
                parts_.emplace_back(other.substr(name.size() + 1), p);
            }
            unit_ = {};
            unit_.name = name;
            unit_.layer = name.substr(0, name.find('.'));
            if (!matches(pattern_, unit_.layer)) continue;
            describe();
            all.push_back(std::move(unit_));
        }
        return all;
    }

private:
    using Strides = std::vector<Link::Axis>;

    const PortableModel& model_;
    Uses uses_;
    bool torch_, channels_first_;
    std::string pattern_;
    std::vector<std::pair<std::string_view, int>> parts_;  // names within the unit, and parameters
    ForeignUnit unit_;

    int find(std::string_view name) const {
        for (const auto& [part, p] : parts_)
            if (part == name) return p;
        return -1;
    }
    const Shape& shape(int p) const { return model_.network.parameters[p].shape; }
    static std::uint64_t number(long long n) { return static_cast<std::uint64_t>(n); }
    static std::size_t at(long long n) { return static_cast<std::size_t>(n); }

    ForeignTensor& add(std::string_view name, std::vector<std::uint64_t> extents, std::vector<Link> links) {
        unit_.tensors.push_back({std::string(name), std::move(extents), std::move(links)});
        return unit_.tensors.back();
    }
    void as_it_is(std::string_view name, int p) {
        add(name, extents_of(shape(p)), {{p, 0, 0, {{at(shape(p).count()), 1, 1}}}});
    }

    void describe() {
        unit_.parameters = static_cast<int>(parts_.size());
        const int layer = model_.network.find_layer(unit_.layer);
        const std::string_view kind = layer < 0 ? std::string_view() : model_.network.layers[layer].kind.view();
        if (unit_.name.size() > unit_.layer.size()) unit_.module = unit_.name.substr(unit_.layer.size() + 1);
        if (kind == "bidirectional") {
            unit_.backwards = unit_.module == "backwards";
            if (torch_) unit_.module.clear();
        }
        if (kind == "transformer_block" && torch_)
            for (const auto& [own, torch] : block_words)
                if (unit_.module == own) unit_.module = torch;
        if (find("recurrent_weights") >= 0) return recurrent();
        if (find("query_weights") >= 0) return attention();
        for (const Words& words : parameter_words)
            if (const int p = find(words.own); p >= 0) known(torch_ ? words.torch : words.keras, words.own, p, kind);
        for (const auto& part : parts_)
            if (std::none_of(std::begin(parameter_words), std::end(parameter_words),
                             [&](const Words& w) { return w.own == part.first; }))
                as_it_is(part.first, part.second);
    }

    void known(std::string_view name, std::string_view own, int p, std::string_view kind) {
        const Shape& s = shape(p);
        const Uses::Kind use = uses_.kind(p);
        std::size_t pixels = channels_first_ && uses_.pixels(p) > 1 ? uses_.pixels(p) : 1;
        if (s.rank == 1 && channels_first_) pixels = std::max(pixels, uses_.pixels_made(p));
        if (own == "weights" && use == Uses::Kind::product && s.rank == 2) return linear(name, p, pixels);
        if (own == "weights" && use != Uses::Kind::product && use != Uses::Kind::other)
            return convolution(name, p, use == Uses::Kind::transposed_convolution, kind == "depthwise_conv2d");
        if (own != "slopes" && own != "table" && channels_first_ && (pixels > 1 || s.rank > 2)) {
            // A parameter for each element of an image, flattened or not.
            const std::size_t all = at(s.count()), positions = s.rank > 2 ? all / at(s.last()) : pixels;
            std::vector<std::uint64_t> extents = extents_of(s);
            std::rotate(extents.begin(), extents.end() - 1, extents.end());
            add(name, std::move(extents),
                {{p, 0, 0, {{positions, all / positions, 1}, {all / positions, 1, positions}}}});
            return;
        }
        as_it_is(name, p);
    }
    /// Links a matrix (inputs, units). PyTorch has (units, inputs), and orders features of an image by channels first.
    void linear(std::string_view name, int p, std::size_t pixels) {
        const std::size_t in = at(shape(p)[0]), out = at(shape(p)[1]), channels = in / pixels, unit = torch_ ? 1 : out;
        const std::size_t made = channels_first_ ? uses_.pixels_made(p) : 1, filters = out / made,
                          column = torch_ ? in : 1;
        add(name, torch_ ? std::vector{number(shape(p)[1]), number(shape(p)[0])} : extents_of(shape(p)),
            {{p,
              0,
              0,
              {{pixels, channels * out, unit},
               {channels, out, pixels * unit},
               {made, filters, column},
               {filters, 1, made * column}}}});
    }
    /// Links a kernel (kernel…, inputs, filters). PyTorch has (filters, inputs, kernel…), or (inputs, filters, kernel…)
    /// for transposed convolutions. Keras has the same order as Sigma, or (kernel…, filters, inputs) for transposed
    /// ones.
    void convolution(std::string_view name, int p, bool transposed, bool depthwise) {
        const Shape& s = shape(p);
        const std::size_t in = at(s[s.rank - 2]), out = at(s.last()), taps = at(s.count()) / (in * out);
        std::vector<std::uint64_t> extents = extents_of(s);
        const auto last_two = extents.end() - 2;
        std::size_t tap = in * out, input = out, filter = 1;
        if (torch_) {
            tap = 1, input = transposed ? out * taps : taps, filter = transposed ? taps : in * taps;
            if (!transposed) std::iter_swap(last_two, last_two + 1);
            std::rotate(extents.begin(), last_two, extents.end());
        } else if (transposed || depthwise) {  // one input each: no reordering
            input = 1, filter = in;
            std::iter_swap(last_two, last_two + 1);
        }
        add(name, std::move(extents), {{p, 0, 0, {{taps, in * out, tap}, {in, out, input}, {out, 1, filter}}}});
    }

    /// Links recurrent layers. The gates have the same order everywhere, except in Keras' GRU: the update gate is
    /// first.
    void recurrent() {
        unit_.recurrent = true;
        const int w = find("weights"), u = find("recurrent_weights"), b = find("biases"),
                  own = find("recurrent_biases");
        const std::size_t units = at(shape(u)[0]), all = at(shape(u)[1]), gates = all / units;
        const auto gate_there = [&](std::size_t g) { return !torch_ && gates == 3 && g < 2 ? 1 - g : g; };
        const auto matrix = [&](std::string_view name, int p) {
            const std::size_t in = at(shape(p)[0]);
            std::vector<Link> links;
            for (std::size_t g = 0; g < gates; ++g) {
                const std::size_t first = gate_there(g) * units;
                if (torch_) links.push_back({p, g * units, first * in, {{in, all, 1}, {units, 1, in}}});
                else links.push_back({p, g * units, first, {{in, all, all}, {units, 1, 1}}});
            }
            add(name, torch_ ? std::vector{number(shape(p)[1]), number(shape(p)[0])} : extents_of(shape(p)),
                std::move(links));
        };
        matrix(torch_ ? "weight_ih" : "kernel", w);
        matrix(torch_ ? "weight_hh" : "recurrent_kernel", u);
        if (b < 0) return;
        const bool two = torch_ || gates == 3;
        std::vector<Link> of_input, of_state;
        for (std::size_t g = 0; g < gates; ++g) {
            const std::size_t first = gate_there(g) * units;
            of_input.push_back({b, g * units, first, {{units, 1, 1}}});
            if (g == 2 && own >= 0) of_state.push_back({own, 0, first, {{units, 1, 1}}});
            else of_state.push_back({b, g * units, first, {{units, 1, 1}}, true});
        }
        if (torch_) {
            add("bias_ih", {all}, std::move(of_input));
            add("bias_hh", {all}, std::move(of_state));
            return;
        }
        for (Link& l : of_state) l.foreign += all;
        if (two) of_input.insert(of_input.end(), of_state.begin(), of_state.end());
        add("bias", two ? std::vector<std::uint64_t>{2, all} : std::vector<std::uint64_t>{all}, std::move(of_input));
    }

    /// Links attention. PyTorch packs queries, keys and values into one matrix if they have the same width.
    void attention() {
        constexpr std::string_view roles[] = {"query", "key", "value", "output"};
        const auto weights = [&](std::size_t role) { return find(sentence(roles[role], "_weights")); };
        const auto biases = [&](std::size_t role) { return find(sentence(roles[role], "_biases")); };
        const std::size_t width = at(shape(weights(0))[1]);
        const bool packed = shape(weights(1))[0] == shape(weights(0))[0];
        const auto turned = [&](int p, std::size_t first) {
            const std::size_t in = at(shape(p)[0]);
            return Link{p, 0, first, {{in, width, 1}, {width, 1, in}}};
        };
        const bool biased = biases(0) >= 0;
        if (!torch_) {
            const std::uint64_t heads = std::max<std::uint64_t>(uses_.heads(weights(0)), 1), part = width / heads;
            for (std::size_t role = 0; role < 4; ++role) {
                const int p = weights(role), b = biases(role);
                const std::string name(role == 3 ? "attention_output" : roles[role]);
                as_it_is(name + "/kernel", p);
                unit_.tensors.back().shape = role == 3 ? std::vector{heads, part, std::uint64_t{width}}
                                                       : std::vector{number(shape(p)[0]), heads, part};
                if (!biased) continue;
                as_it_is(name + "/bias", b);
                if (role < 3) unit_.tensors.back().shape = {heads, part};
            }
            return;
        }
        if (packed) {
            std::vector<Link> links;
            for (std::size_t role = 0; role < 3; ++role) links.push_back(turned(weights(role), role * width * width));
            add("in_proj_weight", {3 * width, width}, std::move(links));
        } else {
            for (std::size_t role = 0; role < 3; ++role)
                add(sentence(roles[role].front(), "_proj_weight"), {width, number(shape(weights(role))[0])},
                    {turned(weights(role), 0)});
        }
        if (biased) {
            std::vector<Link> links;
            for (std::size_t role = 0; role < 3; ++role)
                links.push_back({biases(role), 0, role * width, {{width, 1, 1}}});
            add("in_proj_bias", {3 * width}, std::move(links));
        }
        add("out_proj.weight", {width, width}, {turned(weights(3), 0)});
        if (biased) as_it_is("out_proj.bias", biases(3));
    }
};

}  // namespace

ForeignUnits foreign_units(const PortableModel& model, const ForeignNames& names) {
    return std::make_shared<const std::vector<ForeignUnit>>(UnitMaker(model, names).units());
}

}  // namespace sigma::detail
