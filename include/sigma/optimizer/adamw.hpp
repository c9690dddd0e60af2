// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/optimizer/adam.hpp>

#include <array>

namespace sigma {

/// Adam with decoupled weight decay: w ← w − rate · (m̂ / (√v̂ + ε) + λ·w) (Loshchilov and Hutter 2019, algorithm 2).
struct AdamW {
    double learning_rate = 0.001;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double weight_decay = 0.01;

    static constexpr Text name = "adamw";
    static constexpr auto fields() {
        return std::array{Field<AdamW>{"learning_rate", &AdamW::learning_rate, NumberRange::finite_from_0()},
                          Field<AdamW>{"beta1", &AdamW::beta1, NumberRange::from_0_to_below_1()},
                          Field<AdamW>{"beta2", &AdamW::beta2, NumberRange::from_0_to_below_1()},
                          Field<AdamW>{"epsilon", &AdamW::epsilon, NumberRange::finite_above_0()},
                          Field<AdamW>{"weight_decay", &AdamW::weight_decay, NumberRange::finite_from_0()}};
    }
    std::array<double, 7> scalars(std::uint64_t step) const;
    static constexpr void update(Update& u, Variable w, Variable g) {
        const Variable step = detail::adam_step(u, w, g);
        u.assign(w, w - (step + u.scalar(6) * w));
    }
};

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/optimizer/impl/adamw.ipp>
#endif
