// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// A block of a transformer: TransformerBlock. Included by `<sigma/sigma.hpp>`.
#include <sigma/layer/attention.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/normalization.hpp>

namespace sigma {

inline constexpr Fault error_TransformerBlock_hidden_units_must_be_positive{
    "TransformerBlock: hidden units must be positive"};

/// Options of `TransformerBlock`.
///
/// @see TransformerBlock
struct TransformerOptions {
    bool causal = false;  ///< Time t attends to times up to t only, if true.
    /// Rate of all dropouts, from 0 to below 1: of attention weights, hidden units, and both added parts.
    double dropout = 0;
    bool pre_norm = true;        ///< Normalizes the input of both parts if true, else their sums.
    double epsilon = 1e-5;       ///< Added to the variance in normalizations, above 0.
    bool bias = true;            ///< Adds biases to all products if true.
    bool rotary = false;         ///< Turns queries and keys by their positions, see `RotaryPositions`.
    double rotary_base = 10000;  ///< Base of the rotary frequencies, above 0.
    /// Number of positions to remember, at least 0, one position at a time, see `AttentionOptions`.
    int remember = 0;
};
SIGMA_OPTIONS(TransformerBlock, options_are<struct causal, struct dropout, struct pre_norm, struct epsilon, struct bias,
                                            struct rotary, struct rotary_base, struct remember>)

/// A transformer block (Vaswani et al. 2017, section 3.1): attention and two products, each added to its input.
///
/// With `options.pre_norm` (Xiong et al. 2020, figure 1 b): y = x + attention(norm(x)) and
/// z = y + W₂·activation(W₁·norm(y)). Without: y = norm(x + attention(x)) and z = norm(y + W₂·activation(W₁·y)).
///
/// Of two values side by side, (x, memory), the second is the output of an encoder. The block is then that of a
/// decoder: between both parts it adds `Attention` with queries from y, and keys and values from the memory. Of
/// (x, memory, mask), the mask is that of the memory. Of (x, mask), it is that of x: see `Attention`.
///
/// @par Shape
/// Input (batch, time, width). Output: the same shape. A memory has the shape (batch, other times, other width).
///
/// @par Parameters of the network
/// those of `Attention` under "attention", of two `Linear` under "hidden" (width, hidden) and "output" (hidden, width),
/// and of two `LayerNorm` under "attention_norm" and "output_norm": `"2-transformer_block.hidden.weights"`. With a
/// memory, also those of `Attention` under "memory_attention" and of `LayerNorm` under "memory_norm".
///
/// @par Errors
/// `error_TransformerBlock_hidden_units_must_be_positive`, `error_normalization_epsilon_must_be_positive`, and those of
/// `Attention`. A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Small : Network<Input(16) + Embedding(65, 32) + LearnedPositions() + TransformerBlock(4, 128, {.causal =
/// true}) +
///                        Linear(65) + SoftmaxCE()> {};
/// struct Decoding : Network<(Input(10, 32) & Input(24, 32)) + TransformerBlock(4, 128, {.causal = true}) + Linear(12)
/// +
///                           SoftmaxCE()> {};
/// @endcode
///
/// @see Attention, docs/language-models.md
struct TransformerBlock : Layer {
    int heads;                            ///< Number of heads of the attention. Divides the width.
    Extent hidden;                        ///< Number of hidden units between the two products.
    detail::Activation activation{gelu};  ///< Activation of the hidden units. Default: gelu.
    TransformerOptions options;           ///< Mask, dropout, normalization, biases and positions.

    /// Constructs a block with gelu as its activation.
    /// @param heads_  number of heads, at least 1. Divides the width of the input.
    /// @param hidden_  number of hidden units, at least 1; often four times the width. May be a named size.
    /// @param options_  mask, dropout, normalization, biases and positions
    constexpr TransformerBlock(int heads_, Extent hidden_, TransformerOptions options_ = {})
        : heads(heads_), hidden(hidden_), options(options_) {}
    /// Constructs a block with an activation.
    /// @param heads_  number of heads, at least 1. Divides the width of the input.
    /// @param hidden_  number of hidden units, at least 1; often four times the width. May be a named size.
    /// @param activation_  an activation such as `relu`
    /// @param options_  mask, dropout, normalization, biases and positions
    constexpr TransformerBlock(int heads_, Extent hidden_, detail::Activation activation_,
                               TransformerOptions options_ = {})
        : heads(heads_), hidden(hidden_), activation(activation_), options(options_) {}

    /// @cond internal
    SIGMA_NO_OTHER(TransformerBlock, int, Extent);

    static constexpr Text kind = "transformer_block";
    static constexpr void each_size(auto& self, auto f) { f(self.hidden); }

    constexpr Tensor forward(Context& context, Tensor x) const { return run(context, x, nullptr, nullptr); }
    constexpr Tensor forward(Context& context, Tensor x, Tensor other) const {
        return other.shape().rank == 2 ? run(context, x, nullptr, &other) : run(context, x, &other, nullptr);
    }
    constexpr Tensor forward(Context& context, Tensor x, Tensor memory, Tensor mask) const {
        return run(context, x, &memory, &mask);
    }
    /// @endcond

private:
    /// Computes the block. The mask is that of the memory, or that of `given` if there is no memory.
    constexpr Tensor run(Context& context, Tensor given, const Tensor* memory, const Tensor* mask) const {
        const Dropout dropout(options.dropout);
        const DenseOptions dense{.bias = options.bias};
        const LayerNorm norm({.epsilon = options.epsilon});
        const Attention attention(heads, {.causal = options.causal,
                                          .bias = options.bias,
                                          .dropout = options.dropout,
                                          .rotary = options.rotary,
                                          .rotary_base = options.rotary_base,
                                          .remember = options.remember});
        const Attention to_memory(heads, {.bias = options.bias, .dropout = options.dropout});
        const Tensor* own_mask = memory ? nullptr : mask;
        if (hidden < 1)
            return given.refused(error_TransformerBlock_hidden_units_must_be_positive, {units_given, hidden});
        if (!attention.good(given) || !detail::good_epsilon(given, options.epsilon) ||
            !attention.accepts(given, own_mask) || (memory && !to_memory.accepts(given, memory, mask)))
            return given;
        const auto attend = [&](Tensor in) {
            return inner(dropout, context, "attention_dropout",
                         own_mask ? inner(attention, context, "attention", in, *own_mask)
                                  : inner(attention, context, "attention", in));
        };
        const auto recall = [&](Tensor in) {
            return inner(dropout, context, "memory_dropout",
                         mask ? inner(to_memory, context, "memory_attention", in, *memory, *mask)
                              : inner(to_memory, context, "memory_attention", in, *memory));
        };
        const auto feed = [&](Tensor in) {
            const Tensor h = inner(dropout, context, "hidden_dropout",
                                   inner(Linear(hidden, activation, dense), context, "hidden", in));
            return inner(dropout, context, "output_dropout",
                         inner(Linear(in.shape().last(), dense), context, "output", h));
        };
        const Tensor x = detail::masked_sequence(given, own_mask);
        if (options.pre_norm) {
            Tensor y = x + attend(inner(norm, context, "attention_norm", x));
            if (memory) y = y + recall(inner(norm, context, "memory_norm", y));
            return y + feed(inner(norm, context, "output_norm", y));
        }
        Tensor y = inner(norm, context, "attention_norm", x + attend(x));
        if (memory) y = inner(norm, context, "memory_norm", y + recall(y));
        return inner(norm, context, "output_norm", y + feed(y));
    }
};

}  // namespace sigma
