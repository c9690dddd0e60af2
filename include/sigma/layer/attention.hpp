// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// softmax over the last axis of the scores where `allowed` is not zero, which broadcasts to them; 0 elsewhere, and 0
/// everywhere in a row that allows nothing.
constexpr Tensor masked_softmax(Tensor scores, Tensor allowed) {
    const Tensor masked = where(allowed, scores, -1e30);  // finite, so that a row of nothing else gives no NaN
    const Tensor e = where(allowed, exp(masked - stop_gradient(max(masked, axis(-1), keep))), 0.0);
    // A row that allows something sums to 1 or more, so the 0.5 serves only where there is nothing to divide.
    return e / max(sum(e, axis(-1), keep), 0.5);
}

namespace detail {

/// √x in constant evaluation, where std::sqrt is not to be had (Newton's iteration from above).
constexpr double square_root(double x) {
    if (!(x > 0)) return 0;
    double r = x > 1 ? x : 1;
    for (double next = (r + x / r) / 2; next < r; next = (r + x / r) / 2) r = next;
    return r;
}

}  // namespace detail

struct AttentionOptions {
    bool causal = false;  ///< time t attends to times up to t only
    bool bias = true;
    double dropout = 0;  ///< of the attention weights, in training
    detail::Initializer weights = glorot();
    bool rotary = false;  ///< turns queries and keys of each head by their positions, see `RotaryPositions`
    double rotary_base = 10000;
    /// Takes one position at a time, (batch, 1, width), and attends to those of the predictions before, the last
    /// `remember` of them; `model.forget()` begins anew. Evaluation and training see that one position only.
    int remember = 0;
};
SIGMA_OPTIONS(Attention, options_are<struct causal, struct bias, struct dropout, struct weights, struct rotary,
                                     struct rotary_base, struct remember>)

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

    constexpr Tensor forward(Context& context, Tensor x) const { return attend(context, x, nullptr, nullptr); }
    constexpr Tensor forward(Context& context, Tensor x, Tensor other) const {
        return attend(context, x, &other, nullptr);
    }
    constexpr Tensor forward(Context& context, Tensor x, Tensor memory, Tensor mask) const {
        return attend(context, x, &memory, &mask);
    }

    /// Is it well made?
    constexpr bool good(Tensor x) const {
        const auto wrong = [&](const Fault& fault, const Given& a) { return x.refused(fault, a), false; };
        if (heads < 1) return wrong(error_Attention_heads_must_be_positive, {heads_given, heads});
        if (!(options.dropout >= 0 && options.dropout < 1))
            return wrong(error_Attention_dropout_must_be_at_least_0_and_below_1, {in_thousandths, options.dropout});
        if (options.remember > 0 && !options.causal)
            return wrong(error_Attention_that_remembers_must_be_causal, {positions_given, options.remember});
        return RotaryPositions::good_base(x, options.rotary_base);
    }
    /// Can it work on this? `other` is memory, or a mask where there is no `mask`.
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

private:
    /// x·W + b; without b where the layer has none.
    constexpr Tensor project(Context& context, Text weights, Text biases, int width, Tensor x) const {
        const Tensor y = dot(x, parameter(context, {x.shape().last(), width}, weights, options.weights));
        return options.bias ? y + parameter(context, Shape{width}, biases) : y;
    }
    /// Queries or keys, (batch, time, heads, part), with their positions if these are rotary.
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
        // The scale goes to the queries: they are fewer than the scores, and it fuses with their bias.
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
    /// Of one position, (batch, 1, width): keys and values lie where products read them row by row, position p at place
    /// p modulo `remember`.
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
