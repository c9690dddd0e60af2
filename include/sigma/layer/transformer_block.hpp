// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/attention.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/normalization.hpp>

namespace sigma {

inline constexpr Fault error_TransformerBlock_hidden_units_must_be_positive{
    "TransformerBlock: hidden units must be positive"};

struct TransformerOptions {
    bool causal = false;
    double dropout = 0;     ///< of attention weights, of what both parts add, and between the two products
    bool pre_norm = true;   ///< normalize what each part reads; otherwise the sum that it leaves
    double epsilon = 1e-5;  ///< of the normalizations
    bool bias = true;
    bool rotary = false;  ///< positions inside the attention, see `RotaryPositions`
    double rotary_base = 10000;
    int remember = 0;  ///< one position at a time, see `Attention`
};
SIGMA_OPTIONS(TransformerBlock, options_are<struct causal, struct dropout, struct pre_norm, struct epsilon, struct bias,
                                            struct rotary, struct rotary_base, struct remember>)

/// Transformer block (Vaswani et al. 2017, section 3.1) on x of shape (batch, time, width): attention, then two
/// products with `hidden` units between, each added to what it reads. With `pre_norm` (Xiong et al. 2020, figure 1 b):
///   y = x + attention(norm(x)),  z = y + W₂·activation(W₁·norm(y));
/// without: y = norm(x + attention(x)),  z = norm(y + W₂·activation(W₁·y)). As a layer inside a layer it also takes
/// `(x, mask)`, see `Attention`.
struct TransformerBlock : Layer {
    int heads;
    Extent hidden;
    detail::Activation activation{gelu};
    TransformerOptions options;

    constexpr TransformerBlock(int heads_, Extent hidden_, TransformerOptions o = {})
        : heads(heads_), hidden(hidden_), options(o) {}
    constexpr TransformerBlock(int heads_, Extent hidden_, detail::Activation a, TransformerOptions o = {})
        : heads(heads_), hidden(hidden_), activation(a), options(o) {}
    SIGMA_NO_OTHER(TransformerBlock, int, Extent);

    static constexpr Text kind = "transformer_block";
    static constexpr void each_size(auto& self, auto f) { f(self.hidden); }

    constexpr Tensor forward(Context& context, Tensor x) const { return run(context, x, nullptr); }
    constexpr Tensor forward(Context& context, Tensor x, Tensor mask) const { return run(context, x, &mask); }

private:
    constexpr Tensor run(Context& context, Tensor given, const Tensor* mask) const {
        const Dropout dropout(options.dropout);
        const DenseOptions dense{.bias = options.bias};
        const LayerNorm norm({.epsilon = options.epsilon});
        const Attention attention(heads, {.causal = options.causal,
                                          .bias = options.bias,
                                          .dropout = options.dropout,
                                          .rotary = options.rotary,
                                          .rotary_base = options.rotary_base,
                                          .remember = options.remember});
        if (hidden < 1)
            return given.refused(error_TransformerBlock_hidden_units_must_be_positive, {units_given, hidden});
        if (!attention.good(given) || !detail::good_epsilon(given, options.epsilon) || !attention.accepts(given, mask))
            return given;
        const auto attend = [&](Tensor in) {
            return inner(
                dropout, context, "attention_dropout",
                mask ? inner(attention, context, "attention", in, *mask) : inner(attention, context, "attention", in));
        };
        const auto feed = [&](Tensor in) {
            const Tensor h = inner(dropout, context, "hidden_dropout",
                                   inner(Linear(hidden, activation, dense), context, "hidden", in));
            return inner(dropout, context, "output_dropout",
                         inner(Linear(in.shape().last(), dense), context, "output", h));
        };
        const Tensor x = detail::masked_sequence(given, mask);
        if (options.pre_norm) {
            const Tensor y = x + attend(inner(norm, context, "attention_norm", x));
            return y + feed(inner(norm, context, "output_norm", y));
        }
        const Tensor y = inner(norm, context, "attention_norm", x + attend(x));
        return inner(norm, context, "output_norm", y + feed(y));
    }
};

}  // namespace sigma
