// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/gaussian.hpp>
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
        const auto pairs = concatenate<2>(sin(angle), cos(angle));
        return x + reshape<times, width>(pairs);
    }
};

struct LearnedPositionsOptions {
    Initializer weights = gaussian(0.02);
};
/// Adds a learned row to each time of x of shape (batch, time, width): x + W, W of shape (time, width).
struct LearnedPositions : Layer {
    LearnedPositionsOptions options;

    constexpr LearnedPositions(LearnedPositionsOptions o = {}) : options(o) {}

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

}  // namespace sigma
