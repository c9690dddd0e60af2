// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

/// Adds to x of shape (batch, time, width) where each row stands (Vaswani et al. 2017, section 3.5):
/// sin(t / 10000^(2i/width)) in column 2i, the cosine in column 2i + 1.
struct SinusoidalPositions : Layer {
    static constexpr Text kind = "sinusoidal_positions";

    template <Shape S>
    static constexpr auto check_input(auto) {
        if constexpr (S.rank != 3)
            return Mistake<
                error_position_needs_records_of_time_and_width<input_is<typename detail::Spelled<S, S.rank>::type>>>{};
        else if constexpr (S.last() % 2 != 0)
            return Mistake<error_SinusoidalPositions_need_an_even_width<width_given<S.last()>>>{};
        else return Mistake<>{};
    }
    static constexpr auto forward(auto, Context&, auto x) {
        constexpr int times = x.shape[1], width = x.shape[2];
        const auto column = iota_beside<width / 2>(x);
        const auto frequency = reshape<1, width / 2, 1>(exp((-2 * 9.210340371976184 / width) * column));  // ln 10000
        const auto time = reshape<times, 1, 1>(iota_beside<times>(x));
        const auto angle = time * frequency;
        // Joined in memory: inside the sum below, each record would compute the table again.
        const auto sines = sin(angle);
        const auto pairs = concatenate<2>(sines, cos(angle));
        return x + reshape<times, width>(pairs);
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

    template <Shape S>
    static constexpr auto check_input(auto) {
        return MistakeIf<S.rank != 3, error_position_needs_records_of_time_and_width<
                                          input_is<typename detail::Spelled<S, S.rank>::type>>>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        return x + parameter<Shape{x.shape[1], x.shape[2]}>(context, "weights", self().options.weights);
    }
};

struct RotaryPositionsOptions {
    double base = 10000;  ///< of the frequencies
};
namespace detail {

/// Turns each pair of columns i and i + width/2 of x, (batch, time, …, width), by the angle t / base^(2i/width).
template <Shape S>
constexpr auto rotated(Tensor<S> x, double base) {
    constexpr int times = S[1], width = S.last(), half = width / 2;
    constexpr Shape over = [] {  // broadcasts to x
        Shape s = all_ones(S).with(S.rank - 1, width);
        return s.with(1, times);
    }();
    const auto column = iota_beside<half>(x);
    const auto frequency = pow(base, (-2.0 / width) * column);
    const auto time = reshape<times, 1>(iota_beside<times>(x));
    const auto angle = time * frequency;
    const auto cosines = cos(angle);
    const auto sines = sin(angle);
    // Joined in memory: otherwise each record would compute the table again.
    const auto table = tensor<over>(reshape(concatenate<1>(cosines, sines).variable, over));
    const auto c = slice<-1, 0, half>(table);
    const auto s = slice<-1, half, width>(table);
    const auto left = slice<-1, 0, half>(x);
    const auto right = slice<-1, half, width>(x);
    const auto left_c = left * c;
    const auto first = left_c - right * s;
    const auto left_s = left * s;
    const auto second = left_s + right * c;
    return concatenate<-1>(first, second);
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

    static constexpr auto check(auto self) {
        constexpr double base = self().options.base;
        return MistakeIf<!(base > 0),
                         error_RotaryPositions_base_must_be_positive<in_thousandths<detail::thousandths(base)>>>{};
    }
    template <Shape S>
    static constexpr auto check_input(auto) {
        if constexpr (S.rank != 3)
            return Mistake<
                error_position_needs_records_of_time_and_width<input_is<typename detail::Spelled<S, S.rank>::type>>>{};
        else return MistakeIf<S.last() % 2 != 0, error_RotaryPositions_need_an_even_width<width_given<S.last()>>>{};
    }
    static constexpr auto forward(auto self, Context&, auto x) { return detail::rotated(x, self().options.base); }
};

}  // namespace sigma
