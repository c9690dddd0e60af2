// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Multi-head attention: Attention, masked_softmax. Included by `<sigma/sigma.hpp>`.
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/positions.hpp>

namespace sigma {

// clang-format off: a table
inline constexpr Given::Label heads_given{"heads"}, mask_is{"mask"}, memory_is{"memory"};
inline constexpr Fault
    error_Attention_heads_must_be_positive{"Attention: heads must be positive"},
    error_Attention_dropout_must_be_at_least_0_and_below_1{"Attention: dropout must be at least 0 and below 1"},
    error_Attention_needs_records_of_time_and_width{"Attention needs records of time and width"},
    error_Attention_heads_do_not_divide_the_width{"Attention: heads do not divide the width"},
    error_rotary_Attention_needs_heads_of_even_width{"rotary Attention needs heads of even width"},
    error_Attention_mask_must_have_the_batch_and_the_times_attended_to{
        "Attention: a mask must have the batch and the times attended to"},
    error_causal_Attention_needs_memory_as_long_as_its_input{"causal Attention needs memory as long as its input"},
    error_Attention_that_remembers_must_be_causal{"Attention that remembers must be causal"},
    error_Attention_that_remembers_takes_no_memory_and_no_mask{
        "Attention that remembers takes no memory and no mask"};
// clang-format on

/// Computes the softmax over the last axis of the scores that `allowed` permits.
///
/// @param scores  a tensor (…, times)
/// @param allowed  a tensor that broadcasts to the shape of `scores`. Scores at a 0 of it are left out.
/// @return a tensor of the shape of `scores`: 0 at left-out scores, and 0 in a row that permits nothing, never NaN
///
/// @par Example
/// @code
/// constexpr auto weights = [](Tensor scores, Tensor mask) { return masked_softmax(scores, mask); };
/// @endcode
///
/// @see softmax, Attention
constexpr Tensor masked_softmax(Tensor scores, Tensor allowed) {
    const Tensor masked = where(allowed, scores, -1e30);  // finite: a row that permits nothing gives no NaN
    const Tensor e = where(allowed, exp(masked - stop_gradient(max(masked, axis(-1), keep))), 0.0);
    // A row that permits something sums to at least 1, so 0.5 only replaces a sum of 0.
    return e / max(sum(e, axis(-1), keep), 0.5);
}

namespace detail {

/// Returns √x in constant evaluation, which has no std::sqrt (Newton's iteration from above).
constexpr double square_root(double x) {
    if (!(x > 0)) return 0;
    double r = x > 1 ? x : 1;
    for (double next = (r + x / r) / 2; next < r; next = (r + x / r) / 2) r = next;
    return r;
}

}  // namespace detail

/// Options of `Attention`.
///
/// @see Attention
struct AttentionOptions {
    bool causal = false;  ///< Time t attends to times up to t only, if true.
    bool bias = true;     ///< Adds biases to queries, keys, values and outputs if true.
    double dropout = 0;   ///< Rate of dropout of the attention weights in training, from 0 to below 1.
    detail::Initializer weights = glorot();  ///< Initializes the four weight matrices.
    bool rotary = false;         ///< Turns queries and keys of each head by their positions, see `RotaryPositions`.
    double rotary_base = 10000;  ///< Base of the rotary frequencies, above 0.
    /// Number of positions to remember, at least 0; 0 turns remembering off. If it is above 0, the layer accepts one
    /// position at a time, (batch, 1, width). A prediction attends to the last `remember` positions, those of earlier
    /// predictions included, until `model.forget()`. Training and evaluation see one position only. Needs `causal`.
    int remember = 0;
};
SIGMA_OPTIONS(Attention, options_are<struct causal, struct bias, struct dropout, struct weights, struct rotary,
                                     struct rotary_base, struct remember>)

/// Multi-head self-attention (Vaswani et al. 2017, section 3.2.2).
///
/// Queries q, keys k and values v are products of the input with a matrix each, cut into `heads` parts of
/// d = width / heads columns. Each part is softmax(q·kᵀ / √d)·v. A fourth matrix multiplies the joined parts.
///
/// Inside a layer of your own, `forward` also accepts `(context, x, mask)`, `(context, x, memory)` and
/// `(context, x, memory, mask)`. A mask has the shape (batch, times attended to) and is 0 at times to leave out, such
/// as padding. Keys and values then come from `memory`, of shape (batch, other times, other width).
///
/// @par Shape
/// Input (batch, time, width). Output (batch, time, width).
///
/// @par Parameters of the network
/// `query_weights` (width, width), `key_weights` and `value_weights` (width of the memory, width), `output_weights`
/// (width, width). If `options.bias` is true, also `query_biases`, `key_biases`, `value_biases` and `output_biases`,
/// each (width).
///
/// @par Errors
/// `error_Attention_heads_must_be_positive`, `error_Attention_heads_do_not_divide_the_width`,
/// `error_Attention_dropout_must_be_at_least_0_and_below_1`, `error_Attention_needs_records_of_time_and_width`,
/// `error_rotary_Attention_needs_heads_of_even_width`, `error_Attention_that_remembers_must_be_causal`,
/// `error_Attention_that_remembers_takes_no_memory_and_no_mask`,
/// `error_Attention_mask_must_have_the_batch_and_the_times_attended_to`,
/// `error_causal_Attention_needs_memory_as_long_as_its_input`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Attentive : Network<Input(12, 8) + Attention(2, {.causal = true}) + Linear(5) + SoftmaxCE()> {};
/// @endcode
///
/// @see TransformerBlock, RotaryPositions, docs/language-models.md
struct Attention : Layer {
    int heads;                 ///< Number of heads. Divides the width.
    AttentionOptions options;  ///< Mask, dropout, positions and initializer.

    /// Constructs the layer.
    /// @param heads_  number of heads, at least 1. Divides the width of the input.
    /// @param options_  mask, dropout, positions and initializer
    constexpr explicit Attention(int heads_, AttentionOptions options_ = {}) : heads(heads_), options(options_) {}

    /// @cond internal
    SIGMA_NO_OTHER(Attention, int);

    static constexpr Text kind = "attention";

    constexpr Tensor forward(Context& context, Tensor x) const { return attend(context, x, nullptr, nullptr); }
    constexpr Tensor forward(Context& context, Tensor x, Tensor other) const {
        return attend(context, x, &other, nullptr);
    }
    constexpr Tensor forward(Context& context, Tensor x, Tensor memory, Tensor mask) const {
        return attend(context, x, &memory, &mask);
    }

    /// Returns whether the options are valid. Refuses the layer if they are not.
    constexpr bool good(Tensor x) const {
        const auto wrong = [&](const Fault& fault, const Given& a) { return x.refused(fault, a), false; };
        if (heads < 1) return wrong(error_Attention_heads_must_be_positive, {heads_given, heads});
        if (!(options.dropout >= 0 && options.dropout < 1))
            return wrong(error_Attention_dropout_must_be_at_least_0_and_below_1, {in_thousandths, options.dropout});
        if (options.remember > 0 && !options.causal)
            return wrong(error_Attention_that_remembers_must_be_causal, {positions_given, options.remember});
        return RotaryPositions::good_base(x, options.rotary_base);
    }
    /// Returns whether the layer accepts these inputs. `other` is the memory, or the mask if `mask` is null and its
    /// rank is 2.
    constexpr bool accepts(Tensor x, const Tensor* other, const Tensor* mask = nullptr) const {
        const auto wrong = [&](const Fault& fault, const Given& a, const Given& b = {}) {
            return x.refused(fault, a, b), false;
        };
        const Shape s = x.shape(), m = other ? other->shape() : s;
        const bool masks = m.rank == 2 && !mask;
        if (s.rank != 3) return wrong(error_Attention_needs_records_of_time_and_width, {input_is, s});
        if (options.remember > 0 && other)
            return wrong(error_Attention_that_remembers_takes_no_memory_and_no_mask, {input_is, s}, {memory_is, m});
        if (!detail::can_remember(x, options.remember)) return false;
        if (s[2] % heads != 0)
            return wrong(error_Attention_heads_do_not_divide_the_width, {heads_given, heads}, {width_given, s[2]});
        if (options.rotary && s[2] / heads % 2 != 0)
            return wrong(error_rotary_Attention_needs_heads_of_even_width, {heads_given, heads}, {width_given, s[2]});
        if (masks && !(m == Shape{s[0], s[1]}))
            return wrong(error_Attention_mask_must_have_the_batch_and_the_times_attended_to, {mask_is, m},
                         {input_is, s});
        if (!masks && m.rank != 3) return wrong(error_Attention_needs_records_of_time_and_width, {memory_is, m});
        if (!masks && options.causal && m[1] != s[1])
            return wrong(error_causal_Attention_needs_memory_as_long_as_its_input, {memory_is, m}, {input_is, s});
        if (mask && !(mask->shape() == Shape{m[0], m[1]}))
            return wrong(error_Attention_mask_must_have_the_batch_and_the_times_attended_to, {mask_is, mask->shape()},
                         {memory_is, m});
        return true;
    }
    /// @endcond

private:
    /// Computes x·W + b, or x·W without biases.
    constexpr Tensor project(Context& context, Text weights, Text biases, int width, Tensor x) const {
        const Tensor w = parameter(context, {x.shape().last(), width}, weights, options.weights);
        const Tensor y = detail::adapted(context, x, w, dot(x, w));
        return options.bias ? y + parameter(context, Shape{width}, biases) : y;
    }
    /// Returns queries or keys, (batch, time, heads, part), turned by their positions if they are rotary.
    constexpr Tensor placed(Tensor x, const Tensor* position = nullptr) const {
        return options.rotary ? detail::rotated(x, options.rotary_base, position) : x;
    }
    constexpr Tensor attend(Context& context, Tensor x, const Tensor* other, const Tensor* mask) const {
        if (!good(x) || !accepts(x, other, mask)) return x;
        if (other && !mask && other->shape().rank == 2) {
            mask = other;
            other = nullptr;
        }
        const Tensor memory = detail::masked_sequence(other ? *other : x, mask);
        if (!other) x = memory;
        const int times = x.shape()[1], seen = memory.shape()[1], width = x.shape()[2], part = width / heads;
        const double scale = 1 / detail::square_root(part);
        // The queries are scaled: they are fewer than the scores, and the scale fuses with their bias.
        const Tensor q = scale * project(context, "query_weights", "query_biases", width, x);
        const Tensor k = project(context, "key_weights", "key_biases", width, memory);
        const Tensor v = project(context, "value_weights", "value_biases", width, memory);
        if (options.remember > 0)
            return project(context, "output_weights", "output_biases", width, recalled(context, q, k, v));
        const Tensor queries = permute(placed(reshape(q, {batch, times, heads, part})), {0, 2, 1, 3});
        const Tensor keys = permute(placed(reshape(k, {batch, seen, heads, part})), {0, 2, 3, 1});
        const Tensor values = permute(reshape(v, {batch, seen, heads, part}), {0, 2, 1, 3});
        const Tensor attention = weigh(dot(queries, keys), mask);
        const Tensor parts = dot(Dropout(options.dropout).forward(context, attention), values);
        const Tensor joined = reshape(permute(parts, {0, 2, 1, 3}), {batch, times, width});
        return project(context, "output_weights", "output_biases", width, joined);
    }
    /// Attends from one position, (batch, 1, width), to the remembered ones. Keys and values are stored in the layout
    /// that products read row by row; position p is at place p modulo `remember`.
    constexpr Tensor recalled(Context& context, Tensor q, Tensor k, Tensor v) const {
        const int most = options.remember, width = q.shape()[2], part = width / heads;
        const Shape one{batch, 1, heads, part};
        const Tensor none = filled(q, 0, {batch, most * width});
        const Tensor position = detail::position_of(context, q, most);
        const Tensor keys_before = context.begin_carried("keys", none, most);
        const Tensor values_before = context.begin_carried("values", none, most);
        const Tensor places = iota_beside(q, most);
        const Tensor place = mod(position, static_cast<double>(most));
        const Tensor here = equal(places, place);
        const Tensor key_here = reshape(here, {batch, 1, 1, most});
        const Tensor key = reshape(placed(reshape(k, one), &position), {batch, heads, part, 1});
        const Tensor keys_known = reshape(keys_before, {batch, heads, part, most});
        const Tensor keys = where(key_here, key, keys_known);
        const Tensor value_here = reshape(here, {batch, 1, most, 1});
        const Tensor value = reshape(v, {batch, heads, 1, part});
        const Tensor values_known = reshape(values_before, {batch, heads, most, part});
        const Tensor values = where(value_here, value, values_known);
        detail::count_position(context, position);
        context.end_carried(reshape(keys, {batch, most * width}));
        context.end_carried(reshape(values, {batch, most * width}));
        const Tensor query = reshape(placed(reshape(q, one), &position), {batch, heads, 1, part});
        const Tensor scores = dot(query, keys);
        const Tensor seen = places <= position;
        const Tensor attention = masked_softmax(scores, reshape(seen, {batch, 1, 1, most}));
        const Tensor weights = Dropout(options.dropout).forward(context, attention);
        const Tensor parts = dot(weights, values);
        return reshape(parts, {batch, 1, width});
    }
    constexpr Tensor weigh(Tensor scores, const Tensor* mask) const {
        const int times = scores.shape()[2], seen = scores.shape()[3];
        if (!options.causal && !mask) return softmax(scores);
        if (!options.causal) return masked_softmax(scores, reshape(*mask, {batch, 1, 1, seen}));
        const Tensor now = reshape(iota_beside(scores, times), {times, 1});
        const Tensor past = iota_beside(scores, seen) <= now;
        return masked_softmax(scores, mask ? past * reshape(*mask, {batch, 1, 1, seen}) : past);
    }
};

}  // namespace sigma
