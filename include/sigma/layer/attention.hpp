// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/errors.hpp>
#include <sigma/layer/positions.hpp>

namespace sigma {

/// softmax over the last axis of the scores where `allowed` is not zero, which broadcasts to them; 0 elsewhere, and 0
/// everywhere in a row that allows nothing.
template <Shape S, Shape A>
constexpr auto masked_softmax(Tensor<S> scores, Tensor<A> allowed) {
    const auto masked = where(allowed, scores, -1e30);  // finite, so that a row of nothing else gives no NaN
    const auto e = where(allowed, exp(masked - stop_gradient(max(masked, axis<-1>, keep))), 0.0);
    // A row that allows something sums to 1 or more, so the 0.5 serves only where there is nothing to divide.
    return e / max(sum(e, axis<-1>, keep), 0.5);
}

struct AttentionOptions {
    bool causal = false;  ///< time t attends to times up to t only
    bool bias = true;
    double dropout = 0;  ///< of the attention weights, in training
    detail::Initializer weights = glorot();
    bool rotary = false;  ///< turns queries and keys of each head by their positions, see `RotaryPositions`
    double rotary_base = 10000;
};
SIGMA_OPTIONS(
    Attention,
    options_are<struct causal, struct bias, struct dropout, struct weights, struct rotary, struct rotary_base>)

/// Multi-head attention (Vaswani et al. 2017, section 3.2.2) on x of shape (batch, time, width). Queries, keys and
/// values are products of x with a matrix each (plus biases), cut into `heads` parts of width / heads columns;
/// softmax(q·kᵀ / √(width / heads))·v of each part, joined, goes through a fourth matrix.
///
/// As a layer inside a layer it takes more: `(x, mask)` with a mask of shape (batch, time) that is 0 where nobody shall
/// look (padding); `(x, memory)` with keys and values from memory of shape (batch, other time, other width); or
/// `(x, memory, mask)`, the mask over the times of the memory.
struct Attention : Layer {
    int heads;
    AttentionOptions options;

    constexpr explicit Attention(int heads_, AttentionOptions o = {}) : heads(heads_), options(o) {}
    SIGMA_NO_OTHER(Attention, int);

    static constexpr Text kind = "attention";

    static constexpr auto check(auto self) {
        if constexpr (self().heads < 1)
            return Mistake<error_Attention_heads_must_be_positive<heads_given<self().heads>>>{};
        else if constexpr (!(self().options.dropout >= 0 && self().options.dropout < 1))
            return Mistake<error_Attention_dropout_must_be_at_least_0_and_below_1<
                in_thousandths<detail::thousandths(self().options.dropout)>>>{};
        else return RotaryPositions::check(detail::Self<RotaryPositions({.base = self().options.rotary_base})>{});
    }
    template <Shape S>
    static constexpr auto check_input(auto self) {
        if constexpr (S.rank != 3)
            return Mistake<
                error_Attention_needs_records_of_time_and_width<input_is<typename detail::Spelled<S, S.rank>::type>>>{};
        else if constexpr (S.last() % self().heads != 0)
            return Mistake<
                error_Attention_heads_do_not_divide_the_width<heads_given<self().heads>, width_given<S.last()>>>{};
        else if constexpr (self().options.rotary && S.last() / self().heads % 2 != 0)
            return Mistake<
                error_rotary_Attention_needs_heads_of_even_width<heads_given<self().heads>, width_given<S.last()>>>{};
        else return Mistake<>{};
    }
    template <Shape S, Shape M>
    static constexpr auto check_input(auto self) {
        using Memory = typename detail::Spelled<M, M.rank>::type;
        if constexpr (!std::is_void_v<typename decltype(check_input<S>(self))::mistake>) return check_input<S>(self);
        else if constexpr (M.rank == 2 && M != Shape{S[0], S[1]})
            return Mistake<error_Attention_mask_must_have_the_batch_and_the_times_attended_to<
                mask_is<Memory>, input_is<typename detail::Spelled<S, S.rank>::type>>>{};
        else if constexpr (M.rank != 2 && M.rank != 3)
            return Mistake<error_Attention_needs_records_of_time_and_width<memory_is<Memory>>>{};
        else if constexpr (M.rank == 3 && self().options.causal && M[1] != S[1])
            return Mistake<error_causal_Attention_needs_memory_as_long_as_its_input<
                memory_is<Memory>, input_is<typename detail::Spelled<S, S.rank>::type>>>{};
        else return Mistake<>{};
    }
    template <Shape S, Shape M, Shape K>
    static constexpr auto check_input(auto self) {
        if constexpr (!std::is_void_v<typename decltype(check_input<S, M>(self))::mistake>)
            return check_input<S, M>(self);
        else if constexpr (K != Shape{M[0], M[1]})
            return Mistake<error_Attention_mask_must_have_the_batch_and_the_times_attended_to<
                mask_is<typename detail::Spelled<K, K.rank>::type>,
                memory_is<typename detail::Spelled<M, M.rank>::type>>>{};
        else return Mistake<>{};
    }

    static constexpr auto forward(auto self, Context& context, auto x) { return attend(self, context, x, x); }
    static constexpr auto forward(auto self, Context& context, auto x, auto other) {
        if constexpr (other.shape.rank == 2) return forward(self, context, detail::masked_sequence(x, other), x, other);
        else return attend(self, context, x, other);
    }
    static constexpr auto forward(auto self, Context& context, auto x, auto memory, auto mask) {
        return attend(self, context, x, detail::masked_sequence(memory, mask), mask);
    }

private:
    /// x·W + b; without b where the layer has none.
    template <int width>
    static constexpr auto project(auto self, Context& context, Text weights, Text biases, auto x) {
        const auto y = dot(x, parameter<Shape{x.shape.last(), width}>(context, weights, self().options.weights));
        if constexpr (self().options.bias) return y + parameter<Shape{width}>(context, biases);
        else return y;
    }
    /// Queries or keys, (batch, time, heads, part), with their positions if these are rotary.
    static constexpr auto placed(auto self, auto x) {
        if constexpr (self().options.rotary) return detail::rotated(x, self().options.rotary_base);
        else return x;
    }
    static constexpr auto attend(auto self, Context& context, auto x, auto memory, auto... mask) {
        constexpr int times = x.shape[1], seen = memory.shape[1], width = x.shape[2];
        constexpr int heads = self().heads, part = width / heads;
        constexpr double scale = 1 / detail::square_root(part);
        // The scale goes to the queries: they are fewer than the scores, and it fuses with their bias.
        const auto q = scale * project<width>(self, context, "query_weights", "query_biases", x);
        const auto k = project<width>(self, context, "key_weights", "key_biases", memory);
        const auto v = project<width>(self, context, "value_weights", "value_biases", memory);
        const auto queries = permute<0, 2, 1, 3>(placed(self, reshape<batch, times, heads, part>(q)));
        const auto keys = permute<0, 2, 3, 1>(placed(self, reshape<batch, seen, heads, part>(k)));
        const auto values = permute<0, 2, 1, 3>(reshape<batch, seen, heads, part>(v));
        const auto attention = weigh<self().options.causal>(dot(queries, keys), mask...);
        const auto parts =
            dot(Dropout::forward(detail::Self<Dropout(self().options.dropout)>{}, context, attention), values);
        const auto joined = reshape<batch, times, width>(permute<0, 2, 1, 3>(parts));
        return project<width>(self, context, "output_weights", "output_biases", joined);
    }
    template <bool causal>
    static constexpr auto weigh(auto scores, auto... mask) {
        constexpr int times = scores.shape[2], seen = scores.shape[3];
        if constexpr (sizeof...(mask) == 0 && !causal) {
            return softmax(scores);
        } else if constexpr (!causal) {
            return masked_softmax(scores, reshape<batch, 1, 1, seen>(mask)...);
        } else {
            const auto now = reshape<times, 1>(iota_beside<times>(scores));
            const auto past = iota_beside<seen>(scores) <= now;
            if constexpr (sizeof...(mask) == 0) return masked_softmax(scores, past);
            else return masked_softmax(scores, (past * ... * reshape<batch, 1, 1, seen>(mask)));
        }
    }
};

}  // namespace sigma
