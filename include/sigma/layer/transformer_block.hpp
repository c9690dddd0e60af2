// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/attention.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/normalization.hpp>

namespace sigma {

struct TransformerOptions {
    bool causal = false;
    double dropout = 0;     ///< of attention weights, of what both parts add, and between the two products
    bool pre_norm = true;   ///< normalize what each part reads; otherwise the sum that it leaves
    double epsilon = 1e-5;  ///< of the normalizations
    bool bias = true;
    bool rotary = false;  ///< positions inside the attention, see `RotaryPositions`
    double rotary_base = 10000;
};
/// Transformer block (Vaswani et al. 2017, section 3.1) on x of shape (batch, time, width): attention, then two
/// products with `hidden` units between, each added to what it reads. With `pre_norm` (Xiong et al. 2020, figure 1 b):
///   y = x + attention(norm(x)),  z = y + W₂·activation(W₁·norm(y));
/// without: y = norm(x + attention(x)),  z = norm(y + W₂·activation(W₁·y)). As a layer inside a layer it also takes
/// `(x, mask)`, see `Attention`.
template <class Function = void>
struct TransformerBlock : Layer {
    int heads, hidden;
    detail::Activation<Function> activation{ActivationKind::gelu};
    TransformerOptions options;

    constexpr TransformerBlock(int heads_, int hidden_, TransformerOptions o = {})
        : heads(heads_), hidden(hidden_), options(o) {}
    constexpr TransformerBlock(int heads_, int hidden_, detail::Activation<Function> a, TransformerOptions o = {})
        : heads(heads_), hidden(hidden_), activation(a), options(o) {}

    static constexpr Text kind = "transformer_block";

    constexpr Attention attention() const {
        return Attention(heads, {.causal = options.causal,
                                 .bias = options.bias,
                                 .dropout = options.dropout,
                                 .rotary = options.rotary,
                                 .rotary_base = options.rotary_base});
    }
    constexpr LayerNorm norm() const { return LayerNorm({.epsilon = options.epsilon}); }
    constexpr Linear<Function> widen() const { return {hidden, activation, {.bias = options.bias}}; }
    constexpr Linear<void> narrow(int width) const { return Linear(width, DenseOptions{.bias = options.bias}); }

    static constexpr auto check(auto self) {
        if constexpr (self().hidden < 1)
            return Mistake<error_TransformerBlock_hidden_units_must_be_positive<units_given<self().hidden>>>{};
        else if constexpr (!std::is_void_v<typename decltype(Attention::check(
                               detail::Self<self().attention()>{}))::mistake>)
            return Attention::check(detail::Self<self().attention()>{});
        else return LayerNorm::check(detail::Self<self().norm()>{});
    }
    template <Shape... S>
    static constexpr auto check_input(auto self) {
        return Attention::template check_input<S...>(detail::Self<self().attention()>{});
    }
    static constexpr auto forward(auto self, Context& context, auto given, auto... mask) {
        constexpr auto block = self();
        constexpr Dropout dropout(block.options.dropout);
        const auto attend = [&](auto in) {
            return inner<dropout>(context, "attention_dropout",
                                  inner<block.attention()>(context, "attention", in, mask...));
        };
        const auto feed = [&](auto in) {
            const auto h = inner<dropout>(context, "hidden_dropout", inner<block.widen()>(context, "hidden", in));
            return inner<dropout>(context, "output_dropout",
                                  inner<block.narrow(decltype(in)::shape.last())>(context, "output", h));
        };
        const auto x = detail::masked_sequence(given, mask...);
        if constexpr (block.options.pre_norm) {
            const auto y = x + attend(inner<block.norm()>(context, "attention_norm", x));
            return y + feed(inner<block.norm()>(context, "output_norm", y));
        } else {
            const auto y = inner<block.norm()>(context, "attention_norm", x + attend(x));
            return inner<block.norm()>(context, "output_norm", y + feed(y));
        }
    }
};
SIGMA_OPTIONS(TransformerBlock, options_are<struct causal, struct dropout, struct pre_norm, struct epsilon, struct bias,
                                            struct rotary, struct rotary_base>)
SIGMA_GUIDES(TransformerBlock, TransformerOptions, int, int)

}  // namespace sigma
