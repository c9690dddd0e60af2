// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/running_means.hpp>

#include <array>

namespace sigma {

/// Adam that looks ahead as Nesterov does (Dozat 2016, algorithm 2): m and v as Adam's, w ← w − rate · (μₜ₊₁m / (1−Πμ,
/// to t+1) + (1−μₜ)g / (1−Πμ, to t)) / (√v̂ + ε) with μₜ = β₁(1 − ½ · 0.96^(momentum_decay · t)).
struct NAdam {
    double learning_rate = 0.002;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double momentum_decay = 0.004;

    static constexpr Text name = "nadam";
    static constexpr auto fields() {
        return std::array{Field<NAdam>{"learning_rate", &NAdam::learning_rate, NumberRange::finite_from_0()},
                          Field<NAdam>{"beta1", &NAdam::beta1, NumberRange::from_0_to_below_1()},
                          Field<NAdam>{"beta2", &NAdam::beta2, NumberRange::from_0_to_below_1()},
                          Field<NAdam>{"epsilon", &NAdam::epsilon, NumberRange::finite_above_0()},
                          Field<NAdam>{"momentum_decay", &NAdam::momentum_decay, NumberRange::finite_from_0()}};
    }
    std::array<double, 8> scalars(std::uint64_t step) const;
    static constexpr void update(Update& u, Variable w, Variable g) {
        const auto [next_m, next_v] = detail::running_means(u, w, g);
        const Variable ahead = u.scalar(0) * next_m;
        const Variable step = ahead + u.scalar(1) * g;
        u.assign(w, w - step / (sqrt(next_v) * u.scalar(6) + u.scalar(7)));
    }
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/optimizer/impl/nadam.ipp>
#endif
