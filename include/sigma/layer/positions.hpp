// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Positions in sequences: SinusoidalPositions, LearnedPositions, RotaryPositions. Included by `<sigma/sigma.hpp>`.
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/tape/convolution.hpp>

namespace sigma {

// clang-format off: a table
inline constexpr Given::Label width_given{"width"}, positions_given{"positions"};
inline constexpr Fault
    error_position_needs_records_of_time_and_width{"positions need records of time and width"},
    error_SinusoidalPositions_need_an_even_width{"SinusoidalPositions need an even width"},
    error_RotaryPositions_need_an_even_width{"RotaryPositions need an even width"},
    error_RotaryPositions_base_must_be_positive{"RotaryPositions: the base must be positive"},
    error_remember_must_not_be_negative{"remember: a number of positions must not be negative"},
    error_layers_that_remember_take_one_position_at_a_time{
        "layers that remember positions take one at a time, Input(1)"};
// clang-format on

namespace detail {

constexpr bool has_times(Tensor x) {
    if (x.shape().rank == 3) return true;
    x.refused(error_position_needs_records_of_time_and_width, {input_is, x.shape()});
    return false;
}
/// Returns whether a layer that remembers so many positions (0: none) accepts this input.
constexpr bool can_remember(Tensor x, int positions) {
    if (positions < 0) x.refused(error_remember_must_not_be_negative, {positions_given, positions});
    else if (positions > 0 && x.shape()[1] != 1)
        x.refused(error_layers_that_remember_take_one_position_at_a_time, {input_is, x.shape()});
    else return true;
    return false;
}
/// Returns the number of positions before this one, (batch, 1). `count_position` counts on from it.
constexpr Tensor position_of(Context& context, Tensor x, int positions = 0) {
    return context.begin_carried("position", filled(x, 0, {batch, 1}), positions);
}
constexpr void count_position(Context& context, Tensor position) { context.end_carried(position + 1.0); }

}  // namespace detail

/// Options of `SinusoidalPositions`.
///
/// @see SinusoidalPositions
struct SinusoidalPositionsOptions {
    /// Accepts one position at a time if above 0, and continues after that of the last prediction. At least 0.
    int remember = 0;
};
SIGMA_OPTIONS(SinusoidalPositions, options_are<struct remember>)

/// Adds sines and cosines of the position to each row (Vaswani et al. 2017, section 3.5).
///
/// At time t, column 2i gets sin(t / 10000^(2i/width)) and column 2i + 1 the cosine.
///
/// @par Shape
/// Input (batch, time, width), the width even. Output: the same shape.
///
/// @par Errors
/// `error_position_needs_records_of_time_and_width`, `error_SinusoidalPositions_need_an_even_width`,
/// `error_remember_must_not_be_negative`, `error_layers_that_remember_take_one_position_at_a_time`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Reader : Network<Input(20) + Embedding(500, 32) + SinusoidalPositions() + Linear(5) + SoftmaxCE()> {};
/// @endcode
///
/// @see LearnedPositions, RotaryPositions
struct SinusoidalPositions : Layer {
    SinusoidalPositionsOptions options;  ///< Turns remembering on or off.

    /// Constructs the layer.
    /// @param options_  whether positions are remembered
    constexpr SinusoidalPositions(SinusoidalPositionsOptions options_ = {}) : options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(SinusoidalPositions);

    static constexpr Text kind = "sinusoidal_positions";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (!detail::has_times(x) || !detail::can_remember(x, options.remember)) return x;
        const int times = x.shape()[1], width = x.shape()[2];
        if (width % 2 != 0) return x.refused(error_SinusoidalPositions_need_an_even_width, {width_given, width});
        const Tensor column = iota_beside(x, width / 2);
        const Tensor frequency =
            reshape(exp((-2 * 9.210340371976184 / width) * column), {1, width / 2, 1});  // ln 10000
        const bool remembers = options.remember > 0;
        const Tensor position = remembers ? detail::position_of(context, x) : iota_beside(x, times);
        if (remembers) detail::count_position(context, position);
        const Tensor time = reshape(position, {remembers ? batch : times, 1, 1});
        const Tensor angle = time * frequency;
        // Joined in memory: inside the sum below, each record would compute the table again.
        const Tensor sines = sin(angle);
        const Tensor pairs = concatenate(axis(2), sines, cos(angle));
        return x + reshape(pairs, remembers ? x.shape() : Shape{times, width});
    }
    /// @endcond
};

/// Options of `LearnedPositions`.
///
/// @see LearnedPositions
struct LearnedPositionsOptions {
    detail::Initializer weights = gaussian(0.02);  ///< Initializes `weights`.
    /// Number of rows to learn, at least 0. Above 0, the layer accepts one position at a time and continues after that
    /// of the last prediction.
    int remember = 0;
};
SIGMA_OPTIONS(LearnedPositions, options_are<struct weights, struct remember>)

/// Adds a learned row for its position to each row: x + W.
///
/// A layer that remembers uses the last row of W for positions beyond its end.
///
/// @par Shape
/// Input (batch, time, width). Output: the same shape.
///
/// @par Parameters of the network
/// `weights` (time, width), or (remember, width) if `options.remember` is above 0.
///
/// @par Errors
/// `error_position_needs_records_of_time_and_width`, `error_remember_must_not_be_negative`,
/// `error_layers_that_remember_take_one_position_at_a_time`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Reader : Network<Input(20) + Embedding(500, 32) + LearnedPositions() + Linear(5) + SoftmaxCE()> {};
/// @endcode
///
/// @see SinusoidalPositions, RotaryPositions
struct LearnedPositions : Layer {
    LearnedPositionsOptions options;  ///< Initializer, and whether positions are remembered.

    /// Constructs the layer.
    /// @param options_  initializer, and whether positions are remembered
    constexpr LearnedPositions(LearnedPositionsOptions options_ = {}) : options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(LearnedPositions);

    static constexpr Text kind = "learned_positions";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (!detail::has_times(x) || !detail::can_remember(x, options.remember)) return x;
        const int times = options.remember > 0 ? options.remember : x.shape()[1];
        const Tensor table = parameter(context, {times, x.shape()[2]}, "weights", options.weights);
        if (options.remember == 0) return x + table;
        const Tensor position = detail::position_of(context, x, times);
        detail::count_position(context, position);
        return x + gather(table, min(position, times - 1.0));
    }
    /// @endcond
};

/// Options of `RotaryPositions`.
///
/// @see RotaryPositions
struct RotaryPositionsOptions {
    double base = 10000;  ///< Base of the frequencies, above 0.
    /// Accepts one position at a time if above 0, and continues after that of the last prediction. At least 0.
    int remember = 0;
};
namespace detail {

/// Returns x, (batch, time, …, width), with each pair of columns i and i + width/2 turned by the angle t /
/// base^(2i/width). For a single time, `position`, (batch, 1), may give t.
constexpr Tensor rotated(Tensor x, double base, const Tensor* position = nullptr) {
    const Shape shape = x.shape();
    const int times = shape[1], width = shape.last(), half = width / 2;
    Shape over = all_ones(shape).with(shape.rank - 1, width).with(1, times);  // broadcasts to x
    if (position) over = over.with(0, batch);
    const Tensor column = iota_beside(x, half);
    const Tensor frequency = pow(base, (-2.0 / width) * column);
    const Tensor time = position ? *position : reshape(iota_beside(x, times), {times, 1});
    const Tensor angle = time * frequency;
    const Tensor cosines = cos(angle);
    const Tensor sines = sin(angle);
    // Joined in memory: otherwise each record would compute the table again.
    const Tensor table = reshape(concatenate(axis(1), cosines, sines), over);
    const Tensor c = slice(table, axis(-1), 0, half);
    const Tensor s = slice(table, axis(-1), half, width);
    const Tensor left = slice(x, axis(-1), 0, half);
    const Tensor right = slice(x, axis(-1), half, width);
    const Tensor left_c = left * c;
    const Tensor first = left_c - right * s;
    const Tensor left_s = left * s;
    const Tensor second = left_s + right * c;
    return concatenate(axis(-1), first, second);
}

}  // namespace detail

SIGMA_OPTIONS(RotaryPositions, options_are<struct base, struct remember>)

/// Rotary positions: turns each pair of columns i and i + width/2 by the angle t / base^(2i/width) at time t.
///
/// The product of two rows then depends on their distance (Su et al. 2021, equation 34). Pairs are halves, as in
/// GPT-NeoX and in LLaMA of Hugging Face; the paper pairs 2i and 2i + 1, the same columns in another order. In
/// attention, use `Attention(4, {.rotary = true})`, which turns queries and keys of each head.
///
/// @par Shape
/// Input (batch, time, width), the width even. Output: the same shape.
///
/// @par Errors
/// `error_position_needs_records_of_time_and_width`, `error_RotaryPositions_need_an_even_width`,
/// `error_RotaryPositions_base_must_be_positive`, `error_remember_must_not_be_negative`,
/// `error_layers_that_remember_take_one_position_at_a_time`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Turned : Network<Input(20) + Embedding(500, 32) + RotaryPositions() + Linear(5) + SoftmaxCE()> {};
/// @endcode
///
/// @see Attention, SinusoidalPositions
struct RotaryPositions : Layer {
    RotaryPositionsOptions options;  ///< Base, and whether positions are remembered.

    /// Constructs the layer.
    /// @param options_  base, and whether positions are remembered
    constexpr RotaryPositions(RotaryPositionsOptions options_ = {}) : options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(RotaryPositions);

    static constexpr Text kind = "rotary_positions";

    static constexpr bool good_base(Tensor x, double base) {
        if (base > 0) return true;
        x.refused(error_RotaryPositions_base_must_be_positive, {in_thousandths, base});
        return false;
    }
    constexpr Tensor forward(Context& context, Tensor x) const {
        if (!good_base(x, options.base) || !detail::has_times(x) || !detail::can_remember(x, options.remember))
            return x;
        const int width = x.shape().last();
        if (width % 2 != 0) return x.refused(error_RotaryPositions_need_an_even_width, {width_given, width});
        if (options.remember == 0) return detail::rotated(x, options.base);
        const Tensor position = detail::position_of(context, x);
        detail::count_position(context, position);
        return detail::rotated(x, options.base, &position);
    }
    /// @endcond
};

}  // namespace sigma
