// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

// clang-format off: a table
inline constexpr Given::Label width_given{"width"};
inline constexpr Fault
    error_position_needs_records_of_time_and_width{"positions need records of time and width"},
    error_SinusoidalPositions_need_an_even_width{"SinusoidalPositions need an even width"},
    error_RotaryPositions_need_an_even_width{"RotaryPositions need an even width"},
    error_RotaryPositions_base_must_be_positive{"RotaryPositions: the base must be positive"};
// clang-format on

namespace detail {

constexpr bool has_times(Tensor x) {
    if (x.shape().rank == 3) return true;
    x.refused(error_position_needs_records_of_time_and_width, {input_is, x.shape()});
    return false;
}

}  // namespace detail

/// Adds to x of shape (batch, time, width) where each row stands (Vaswani et al. 2017, section 3.5):
/// sin(t / 10000^(2i/width)) in column 2i, the cosine in column 2i + 1.
struct SinusoidalPositions : Layer {
    static constexpr Text kind = "sinusoidal_positions";

    constexpr Tensor forward(Context&, Tensor x) const {
        if (!detail::has_times(x)) return x;
        const int times = x.shape()[1], width = x.shape()[2];
        if (width % 2 != 0) return x.refused(error_SinusoidalPositions_need_an_even_width, {width_given, width});
        const Tensor column = iota_beside(x, width / 2);
        const Tensor frequency =
            reshape(exp((-2 * 9.210340371976184 / width) * column), {1, width / 2, 1});  // ln 10000
        const Tensor time = reshape(iota_beside(x, times), {times, 1, 1});
        const Tensor angle = time * frequency;
        // Joined in memory: inside the sum below, each record would compute the table again.
        const Tensor sines = sin(angle);
        const Tensor pairs = concatenate(axis(2), sines, cos(angle));
        return x + reshape(pairs, {times, width});
    }
};

struct LearnedPositionsOptions {
    detail::Initializer weights = gaussian(0.02);
};
SIGMA_OPTIONS(LearnedPositions, options_are<struct weights>)

/// Adds a learned row to each time of x of shape (batch, time, width): x + W, W of shape (time, width).
struct LearnedPositions : Layer {
    LearnedPositionsOptions options;

    constexpr LearnedPositions(LearnedPositionsOptions o = {}) : options(o) {}
    SIGMA_NO_OTHER(LearnedPositions);

    static constexpr Text kind = "learned_positions";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (!detail::has_times(x)) return x;
        return x + parameter(context, {x.shape()[1], x.shape()[2]}, "weights", options.weights);
    }
};

struct RotaryPositionsOptions {
    double base = 10000;  ///< of the frequencies
};
namespace detail {

/// Turns each pair of columns i and i + width/2 of x, (batch, time, …, width), by the angle t / base^(2i/width).
constexpr Tensor rotated(Tensor x, double base) {
    const Shape shape = x.shape();
    const int times = shape[1], width = shape.last(), half = width / 2;
    const Shape over = all_ones(shape).with(shape.rank - 1, width).with(1, times);  // broadcasts to x
    const Tensor column = iota_beside(x, half);
    const Tensor frequency = pow(base, (-2.0 / width) * column);
    const Tensor time = reshape(iota_beside(x, times), {times, 1});
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

SIGMA_OPTIONS(RotaryPositions, options_are<struct base>)

/// Rotary positions (Su et al. 2021, equation 34) on x of shape (batch, time, width): the pair of columns i and
/// i + width/2 is turned by the angle t / base^(2i/width), so that the product of two rows depends on how far apart
/// they are. Halves are paired, as in GPT-NeoX and in Hugging Face's LLaMA; the paper pairs 2i and 2i + 1, which are
/// the same columns in another order. `Attention(4, {.rotary = true})` turns the queries and keys of each head.
struct RotaryPositions : Layer {
    RotaryPositionsOptions options;

    constexpr RotaryPositions(RotaryPositionsOptions o = {}) : options(o) {}
    SIGMA_NO_OTHER(RotaryPositions);

    static constexpr Text kind = "rotary_positions";

    static constexpr bool good_base(Tensor x, double base) {
        if (base > 0) return true;
        x.refused(error_RotaryPositions_base_must_be_positive, {in_thousandths, base});
        return false;
    }
    constexpr Tensor forward(Context&, Tensor x) const {
        if (!good_base(x, options.base) || !detail::has_times(x)) return x;
        const int width = x.shape().last();
        if (width % 2 != 0) return x.refused(error_RotaryPositions_need_an_even_width, {width_given, width});
        return detail::rotated(x, options.base);
    }
};

}  // namespace sigma
