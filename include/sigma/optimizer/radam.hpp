// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/running_means.hpp>

#include <array>

namespace sigma {

/// Rectified Adam (Liu et al. 2020, algorithm 2): m and v as Adam's; w ← w − rate · r · m̂ · √(1−β₂ᵗ) / (√v + ε), as
/// PyTorch has ε, where the variance of 1/√v̂ can be told, with r² = (ρ−4)(ρ−2)ρ∞ / ((ρ∞−4)(ρ∞−2)ρ), ρ∞ = 2/(1−β₂) − 1,
/// ρ = ρ∞ − 2tβ₂ᵗ/(1−β₂ᵗ); in the first steps, where ρ is at most 5, w ← w − rate · m̂. No warm-up of the rate is
/// needed.
struct RAdam {
    double learning_rate = 0.001;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;

    static constexpr Text name = "radam";
    static constexpr auto fields() {
        return std::array{Field<RAdam>{"learning_rate", &RAdam::learning_rate, NumberRange::finite_from_0()},
                          Field<RAdam>{"beta1", &RAdam::beta1, NumberRange::from_0_to_below_1()},
                          Field<RAdam>{"beta2", &RAdam::beta2, NumberRange::from_0_to_below_1()},
                          Field<RAdam>{"epsilon", &RAdam::epsilon, NumberRange::finite_above_0()}};
    }
    /// The first is for m / (√v + ε), the second for m alone; one of them is 0.
    std::array<double, 7> scalars(std::uint64_t step) const;
    static constexpr void update(Update& u, Variable w, Variable g) {
        const auto [next_m, next_v] = detail::running_means(u, w, g);
        const Variable step = u.scalar(0) * next_m;
        const Variable rectified = step / (sqrt(next_v) + u.scalar(6));
        u.assign(w, w - (rectified + u.scalar(1) * next_m));
    }
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/optimizer/impl/radam.ipp>
#endif
