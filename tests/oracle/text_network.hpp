// SPDX-License-Identifier: BSL-1.0
// Networks of text: `Input(4, 5) + Linear(3, relu) + LayerNorm() + GlobalMaxPool() + SquaredDiff()`.
#pragma once
#include <sigma/sigma.hpp>

#include "oracle/text_expression.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace sigma::test {

inline const std::map<std::string, sigma::detail::TensorFunction>& activations() {
    static const std::map<std::string, sigma::detail::TensorFunction> all{
#define SIGMA_TEXT_ACTIVATION(f) {#f, f}
        SIGMA_TEXT_ACTIVATION(identity),
        SIGMA_TEXT_ACTIVATION(relu),
        SIGMA_TEXT_ACTIVATION(sigmoid),
        SIGMA_TEXT_ACTIVATION(tanh),
        SIGMA_TEXT_ACTIVATION(softplus),
        SIGMA_TEXT_ACTIVATION(softmax),
        SIGMA_TEXT_ACTIVATION(gelu),
        SIGMA_TEXT_ACTIVATION(leaky_relu),
        SIGMA_TEXT_ACTIVATION(elu),
        SIGMA_TEXT_ACTIVATION(selu),
        SIGMA_TEXT_ACTIVATION(silu),
        SIGMA_TEXT_ACTIVATION(swish),
        SIGMA_TEXT_ACTIVATION(mish),
        SIGMA_TEXT_ACTIVATION(softsign),
        SIGMA_TEXT_ACTIVATION(relu6),
        SIGMA_TEXT_ACTIVATION(hard_tanh),
        SIGMA_TEXT_ACTIVATION(hard_sigmoid),
        SIGMA_TEXT_ACTIVATION(hard_swish)
#undef SIGMA_TEXT_ACTIVATION
    };
    return all;
}

/// What a call of a layer is given: numbers and sizes in their order, perhaps an activation, and options.
class Given {
public:
    explicit Given(const Expression& call) : call_(call) {
        for (const Expression& part : call.parts) {
            const bool is_options = part.kind == Expression::Kind::braces && !part.options.empty();
            if (is_options) options_ = &part;
            else if (part.kind == Expression::Kind::name && activations().contains(part.word)) activation_ = &part;
            else plain_.push_back(&part);
        }
        if (call.parts.empty()) options_ = &call;  // a loss, NLL(1e-7, {…}), or none
    }

    const std::string& word() const { return call_.word; }
    std::size_t count() const { return plain_.size(); }
    const Expression& at(std::size_t i) const {
        if (i >= plain_.size()) throw std::runtime_error(call_.word + ": an argument is missing");
        return *plain_[i];
    }
    int integer(std::size_t i) const { return integer(at(i)); }
    double number(std::size_t i) const { return at(i).value; }
    Sizes sizes(std::size_t i) const { return sizes(at(i)); }
    VolumeSizes volume_sizes(std::size_t i) const { return volume_sizes(at(i)); }
    bool has_activation() const { return activation_ != nullptr; }
    sigma::detail::Activation activation() const {
        return activation_ ? sigma::detail::Activation(activations().at(activation_->word))
                           : sigma::detail::Activation();
    }

    /// An option goes to `to` if it is given.
    void option(const char* name, bool& to) const {
        if (const Expression* e = find(name)) to = e->word == "true";
    }
    void option(const char* name, int& to) const {
        if (const Expression* e = find(name)) to = integer(*e);
    }
    void option(const char* name, double& to) const {
        if (const Expression* e = find(name)) to = e->value;
    }
    void option(const char* name, Sizes& to) const {
        if (const Expression* e = find(name)) to = sizes(*e);
    }
    void option(const char* name, VolumeSizes& to) const {
        if (const Expression* e = find(name)) to = volume_sizes(*e);
    }
    void option(const char* name, sigma::detail::Ignored& to) const {
        if (const Expression* e = find(name)) to = sigma::detail::Ignored(e->value);
    }
    void option(const char* name, Reduction& to) const {
        const Expression* e = find(name);
        if (!e) return;
        to = e->word == "Reduction::total"           ? Reduction::total
             : e->word == "Reduction::over_elements" ? Reduction::over_elements
                                                     : Reduction::over_batch;
    }
    void option(const char* name, sigma::detail::Padding& to) const {
        const Expression* e = find(name);
        if (!e) return;
        const auto n = numbers(*e);
        if (e->word == "same") to = same;
        else if (n.size() == 1) to = n[0];
        else if (n.size() == 2) to = {n[0], n[1]};
        else to = {n.at(0), n.at(1), n.at(2), n.at(3)};
    }
    void option(const char* name, sigma::detail::SequencePadding& to) const {
        const Expression* e = find(name);
        if (!e) return;
        const auto n = numbers(*e);
        if (e->word == "same") to = sigma::detail::SequencePadding(same);
        else if (n.size() == 1) to = n[0];
        else to = {n.at(0), n.at(1)};
    }
    void option(const char* name, sigma::detail::VolumePadding& to) const {
        const Expression* e = find(name);
        if (!e) return;
        const auto n = numbers(*e);
        if (e->word == "same") to = sigma::detail::VolumePadding(same);
        else if (n.size() == 1) to = n[0];
        else if (n.size() == 3) to = {n[0], n[1], n[2]};
        else to = {n.at(0), n.at(1), n.at(2), n.at(3), n.at(4), n.at(5)};
    }
    /// All options must have been asked for.
    void done() const {
        if (!options_) return;
        for (const auto& [key, value] : options_->options)
            if (!asked_.contains(key)) throw std::runtime_error(call_.word + ": unknown option " + key);
    }

private:
    const Expression& call_;
    std::vector<const Expression*> plain_{};
    const Expression *activation_ = nullptr, *options_ = nullptr;
    mutable std::map<std::string, bool> asked_{};

    const Expression* find(const char* name) const {
        asked_[name] = true;
        return options_ ? options_->option(name) : nullptr;
    }
    static int integer(const Expression& e) { return static_cast<int>(e.value); }
    static std::vector<int> numbers(const Expression& e) {
        if (e.is_number()) return {integer(e)};
        std::vector<int> all;
        for (const Expression& part : e.parts) all.push_back(integer(part));
        return all;
    }
    static Sizes sizes(const Expression& e) {
        const auto n = numbers(e);
        return n.size() == 1 ? Sizes(n[0]) : Sizes(n.at(0), n.at(1));
    }
    static VolumeSizes volume_sizes(const Expression& e) {
        const auto n = numbers(e);
        return n.size() == 1 ? VolumeSizes(n[0]) : VolumeSizes(n.at(0), n.at(1), n.at(2));
    }
};

/// f(first, second, …) of one to five numbers.
template <class F>
Layers with_numbers(const Given& g, F f) {
    switch (g.count()) {
        case 1: return f(g.integer(0));
        case 2: return f(g.integer(0), g.integer(1));
        case 3: return f(g.integer(0), g.integer(1), g.integer(2));
        case 4: return f(g.integer(0), g.integer(1), g.integer(2), g.integer(3));
        case 5: return f(g.integer(0), g.integer(1), g.integer(2), g.integer(3), g.integer(4));
        default: throw std::runtime_error(g.word() + ": expected one to five numbers");
    }
}
/// f(a, b, …) of two to four branches.
template <class F>
Layers with_branches(const std::vector<Layers>& all, F f) {
    switch (all.size()) {
        case 2: return f(all[0], all[1]);
        case 3: return f(all[0], all[1], all[2]);
        case 4: return f(all[0], all[1], all[2], all[3]);
        default: throw std::runtime_error("expected two to four branches");
    }
}

template <class L>
Layers with_activation(const Given& g, L layer) {
    if (g.has_activation()) layer.activation = g.activation();
    g.done();
    return layer;
}
inline void convolution_options(const Given& g, auto& o) {
    g.option("stride", o.stride), g.option("padding", o.padding), g.option("dilation", o.dilation);
    g.option("groups", o.groups), g.option("bias", o.bias);
}
inline RecurrentOptions recurrent_options(const Given& g) {
    RecurrentOptions o;
    g.option("last", o.last), g.option("backwards", o.backwards), g.option("bias", o.bias);
    g.option("stateful", o.stateful);
    return o;
}
inline Recurrent recurrent(const Given& g) {
    Recurrent layer(g.integer(0), recurrent_options(g));
    if (g.has_activation()) layer.activation = g.activation();
    return layer;
}

/// Layers by the words that make them.
using Maker = Layers (*)(const Given&);
inline const std::map<std::string, Maker>& makers() {
    static const std::map<std::string, Maker> all{
        {"Input", [](const Given& g) { return with_numbers(g, [](auto... n) { return Layers(Input(n...)); }); }},
        {"Dense",
         [](const Given& g) {
             DenseOptions o;
             g.option("bias", o.bias);
             return with_activation(g, Dense(g.integer(0), o));
         }},
        {"Linear",
         [](const Given& g) {
             DenseOptions o;
             g.option("bias", o.bias);
             return with_activation(g, Linear(g.integer(0), o));
         }},
        {"Elementwise",
         [](const Given& g) {
             ElementwiseOptions o;
             g.option("bias", o.bias);
             return with_activation(g, Elementwise(o));
         }},
        {"Embedding", [](const Given& g) { return Layers(Embedding(g.integer(0), g.integer(1))); }},
        {"Flatten", [](const Given&) { return Layers(Flatten()); }},
        {"Reshape", [](const Given& g) { return with_numbers(g, [](auto... n) { return Layers(Reshape(n...)); }); }},
        {"Permute", [](const Given& g) { return with_numbers(g, [](auto... n) { return Layers(Permute(n...)); }); }},
        {"BatchNorm",
         [](const Given& g) {
             BatchNormOptions o;
             g.option("momentum", o.momentum), g.option("epsilon", o.epsilon), g.option("affine", o.affine);
             g.done();
             return Layers(BatchNorm(o));
         }},
        {"LayerNorm",
         [](const Given& g) {
             LayerNormOptions o;
             g.option("axes", o.axes), g.option("epsilon", o.epsilon), g.option("affine", o.affine);
             g.done();
             return Layers(LayerNorm(o));
         }},
        {"RMSNorm",
         [](const Given& g) {
             RMSNormOptions o;
             g.option("epsilon", o.epsilon), g.option("affine", o.affine);
             g.done();
             return Layers(RMSNorm(o));
         }},
        {"GroupNorm",
         [](const Given& g) {
             GroupNormOptions o;
             g.option("epsilon", o.epsilon), g.option("affine", o.affine);
             g.done();
             return Layers(GroupNorm(g.integer(0), o));
         }},
        {"InstanceNorm",
         [](const Given& g) {
             GroupNormOptions o;
             g.option("epsilon", o.epsilon), g.option("affine", o.affine);
             g.done();
             return Layers(InstanceNorm(o));
         }},
        {"PReLU",
         [](const Given& g) {
             PReLUOptions o;
             g.option("each_feature", o.each_feature);
             return Layers(PReLU(o));
         }},
        {"Conv2D",
         [](const Given& g) {
             ConvolutionOptions o;
             convolution_options(g, o);
             return with_activation(g, Conv2D(g.integer(0), g.sizes(1), o));
         }},
        {"DepthwiseConv2D",
         [](const Given& g) {
             ConvolutionOptions o;
             convolution_options(g, o);
             return with_activation(g, DepthwiseConv2D(g.sizes(0), o));
         }},
        {"ConvTranspose2D",
         [](const Given& g) {
             ConvolutionOptions o;
             convolution_options(g, o);
             return with_activation(g, ConvTranspose2D(g.integer(0), g.sizes(1), o));
         }},
        {"Conv1D",
         [](const Given& g) {
             SequenceOptions o;
             convolution_options(g, o);
             return with_activation(g, Conv1D(g.integer(0), g.integer(1), o));
         }},
        {"ConvTranspose1D",
         [](const Given& g) {
             SequenceOptions o;
             convolution_options(g, o);
             return with_activation(g, ConvTranspose1D(g.integer(0), g.integer(1), o));
         }},
        {"Conv3D",
         [](const Given& g) {
             VolumeOptions o;
             convolution_options(g, o);
             return with_activation(g, Conv3D(g.integer(0), g.volume_sizes(1), o));
         }},
        {"Upsample",
         [](const Given& g) {
             const bool lines = g.count() > 1 && g.at(1).word == "Interpolation::bilinear";
             return Layers(Upsample(g.sizes(0), lines ? Interpolation::bilinear : Interpolation::nearest));
         }},
        {"MaxPool",
         [](const Given& g) {
             PoolingOptions o;
             g.option("stride", o.stride), g.option("padding", o.padding);
             g.done();
             return Layers(MaxPool(g.sizes(0), o));
         }},
        {"AveragePool",
         [](const Given& g) {
             PoolingOptions o;
             g.option("stride", o.stride), g.option("padding", o.padding);
             g.done();
             return Layers(AveragePool(g.sizes(0), o));
         }},
        {"GlobalMaxPool", [](const Given&) { return Layers(GlobalMaxPool()); }},
        {"GlobalAveragePool", [](const Given&) { return Layers(GlobalAveragePool()); }},
        {"Recurrent",
         [](const Given& g) {
             const Recurrent layer = recurrent(g);
             g.done();
             return Layers(layer);
         }},
        {"LSTM",
         [](const Given& g) {
             const LSTM layer(g.integer(0), recurrent_options(g));
             g.done();
             return Layers(layer);
         }},
        {"GRU",
         [](const Given& g) {
             const GRU layer(g.integer(0), recurrent_options(g));
             g.done();
             return Layers(layer);
         }},
        {"Bidirectional",
         [](const Given& g) {
             const Given inside(g.at(0));
             if (inside.word() == "LSTM")
                 return Layers(Bidirectional(LSTM(inside.integer(0), recurrent_options(inside))));
             if (inside.word() == "GRU")
                 return Layers(Bidirectional(GRU(inside.integer(0), recurrent_options(inside))));
             return Layers(Bidirectional(recurrent(inside)));
         }},
        {"Attention",
         [](const Given& g) {
             AttentionOptions o;
             g.option("causal", o.causal), g.option("bias", o.bias), g.option("rotary", o.rotary);
             g.option("rotary_base", o.rotary_base);
             g.done();
             return Layers(Attention(g.integer(0), o));
         }},
        {"TransformerBlock",
         [](const Given& g) {
             TransformerOptions o;
             g.option("causal", o.causal), g.option("pre_norm", o.pre_norm), g.option("epsilon", o.epsilon);
             g.option("bias", o.bias), g.option("rotary", o.rotary), g.option("rotary_base", o.rotary_base);
             return with_activation(g, TransformerBlock(g.integer(0), g.integer(1), o));
         }},
        {"SinusoidalPositions", [](const Given&) { return Layers(SinusoidalPositions()); }},
        {"LearnedPositions", [](const Given&) { return Layers(LearnedPositions()); }},
        {"RotaryPositions",
         [](const Given& g) {
             RotaryPositionsOptions o;
             g.option("base", o.base);
             return Layers(RotaryPositions(o));
         }},
        // Of noise only what stays of it in prediction can be compared; a rate of 0 draws nothing.
        {"Dropout", [](const Given& g) { return Layers(Dropout(g.number(0))); }},
        {"SpatialDropout", [](const Given& g) { return Layers(SpatialDropout(g.number(0))); }},
        {"GaussianDropout", [](const Given& g) { return Layers(GaussianDropout(g.number(0))); }},
        {"AlphaDropout", [](const Given& g) { return Layers(AlphaDropout(g.number(0))); }},
        {"GaussianNoise", [](const Given& g) { return Layers(GaussianNoise(g.number(0))); }},
    };
    return all;
}

inline void loss_options(const Given& g, auto& o) { g.option("reduction", o.reduction), g.option("ignore", o.ignore); }
/// A loss with no argument but its options.
template <class L>
Layers plain_loss(const Given& g) {
    typename L::Options o;
    loss_options(g, o);
    if constexpr (requires { o.smoothing; }) g.option("smoothing", o.smoothing);
    if constexpr (requires { o.positive_weight; }) g.option("positive_weight", o.positive_weight);
    g.done();
    return L(o);
}
/// A loss with a number before them.
template <class L>
Layers loss_of_number(const Given& g) {
    typename L::Options o;
    loss_options(g, o);
    g.done();
    return g.count() ? L(g.number(0), o) : L(L().delta, o);
}
template <>
inline Layers loss_of_number<NLL>(const Given& g) {
    NLL::Options o;
    loss_options(g, o);
    g.done();
    return NLL(g.number(0), o);
}
template <>
inline Layers loss_of_number<CosineLoss>(const Given& g) {
    CosineLoss::Options o;
    loss_options(g, o);
    g.done();
    return CosineLoss(g.number(0), o);
}
inline const std::map<std::string, Maker>& losses() {
    static const std::map<std::string, Maker> all{
        {"SquaredDiff", plain_loss<SquaredDiff>},
        {"HalfSquared", plain_loss<HalfSquared>},
        {"MeanSquaredError", plain_loss<MeanSquaredError>},
        {"AbsoluteError", plain_loss<AbsoluteError>},
        {"BinaryCE", plain_loss<BinaryCE>},
        {"Hinge", plain_loss<Hinge>},
        {"SoftmaxCE", plain_loss<SoftmaxCE>},
        {"SoftmaxDistributionCE", plain_loss<SoftmaxDistributionCE>},
        {"KLDivergence", plain_loss<KLDivergence>},
        {"MulticlassHinge", plain_loss<MulticlassHinge>},
        {"Huber", loss_of_number<Huber>},
        {"NLL", loss_of_number<NLL>},
        {"CosineLoss", loss_of_number<CosineLoss>},
        {"CTC",
         [](const Given& g) {
             CTC::Options o;
             g.option("reduction", o.reduction);
             g.done();
             return Layers(CTC(g.integer(0), o));
         }},
    };
    return all;
}

/// Throws std::runtime_error for words that are no layers.
inline Layers layers_of(const Expression& e);

inline Layers joined(const Expression& e) {
    const bool along = !e.parts.empty() && e.parts[0].is(Expression::Kind::call, "axis");
    std::vector<Layers> branches;
    for (std::size_t i = along ? 1 : 0; i < e.parts.size(); ++i) branches.push_back(layers_of(e.parts[i]));
    const Axis at = axis(along ? static_cast<int>(e.parts[0].parts.at(0).value) : -1);
    const std::string& word = e.word;
    if (branches.empty()) {
        if (word == "Add") return Add();
        if (word == "Average") return Average();
        if (word == "Multiply") return Multiply();
        if (word == "Concatenate") return Concatenate(at);
    }
    return with_branches(branches, [&](const auto&... b) {
        if (word == "Add") return Layers(Add(b...));
        if (word == "Average") return Layers(Average(b...));
        if (word == "Multiply") return Layers(Multiply(b...));
        if (word == "Fork") return Layers(Fork(b...));
        if (word == "Parallel") return Layers(Parallel(b...));
        return Layers(Concatenate(at, b...));
    });
}
inline Text name_of(const Expression& e) { return Text().append(e.word); }

inline Layers layers_of(const Expression& e) {
    using Kind = Expression::Kind;
    if (e.is(Kind::operation, "+")) {
        Layers all = layers_of(e.parts[0]);
        all += layers_of(e.parts[1]);
        return all;
    }
    if (e.is(Kind::operation, "*")) return static_cast<int>(e.parts.at(0).value) * layers_of(e.parts.at(1));
    if (e.is(Kind::operation, "&")) return layers_of(e.parts.at(0)) & layers_of(e.parts.at(1));
    if (e.kind == Kind::name) {
        if (e.word == "skip") return skip;
        if (const auto f = activations().find(e.word); f != activations().end())
            return sigma::detail::NamedFunction(f->second);
    }
    if (e.is(Kind::member, "weighted")) {
        const Given loss(e.parts.at(0));
        SoftmaxOptions o;
        loss_options(loss, o);
        loss.option("smoothing", o.smoothing);
        const auto weight = [&](std::size_t i) { return e.parts.at(i + 1).value; };
        if (e.parts.size() == 3) return SoftmaxCE(o).weighted(weight(0), weight(1));
        if (e.parts.size() == 4) return SoftmaxCE(o).weighted(weight(0), weight(1), weight(2));
        if (e.parts.size() == 5) return SoftmaxCE(o).weighted(weight(0), weight(1), weight(2), weight(3));
    }
    if (e.kind == Kind::call) {
        if (const auto maker = makers().find(e.word); maker != makers().end()) return maker->second(Given(e));
        if (const auto loss = losses().find(e.word); loss != losses().end()) return loss->second(Given(e));
        if (e.word == "Add" || e.word == "Average" || e.word == "Multiply" || e.word == "Concatenate" ||
            e.word == "Fork" || e.word == "Parallel")
            return joined(e);
        if (e.word == "Residual") return Residual(layers_of(e.parts.at(0)));
        if (e.word == "shared") return shared(name_of(e.parts.at(0)), layers_of(e.parts.at(1)));
        if (e.word == "named") return named(name_of(e.parts.at(0)), layers_of(e.parts.at(1)));
        if (e.word == "frozen") return frozen(layers_of(e.parts.at(0)));
    }
    throw std::runtime_error("no layer: '" + e.word + "'");
}

}  // namespace sigma::test
