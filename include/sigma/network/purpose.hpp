// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

enum class GradientsIn : char { nothing, trained, all };

/// What a program of a network is for. Its inputs are those of the network, then the targets of each cost where losses
/// are wanted or gradients; its outputs come in the order of these members.
struct Purpose {
    bool training = false;  ///< are layers as in a training step, with dropout, and not as in prediction?
    bool losses = false;    ///< Σ weight · loss and, of several costs, the loss of each
    bool right = false;     ///< of each cost the share of records classified right; 0 for losses that do not classify
    bool predictions = false;  ///< of each cost; then what each state becomes that begins with a further input
    bool layers = false;       ///< the output of each layer
    static constexpr int most_tapped = 4;
    short tapped[most_tapped] = {-1, -1, -1, -1};  ///< the outputs of these layers
    GradientsIn gradients = GradientsIn::nothing;  ///< of the total loss in each of these parameters
    bool statistics = false;                       ///< what each statistic becomes that a step changes
    bool local =
        false;  ///< of a part of a batch, weighted by two more inputs; then weight · what each statistic becomes

    friend constexpr bool operator==(const Purpose&, const Purpose&) = default;
    constexpr bool judges() const { return losses || gradients != GradientsIn::nothing; }
    /// Does it run now and then, so that fused kernels are not worth compiling?
    constexpr bool cold() const { return layers || losses || gradients != GradientsIn::nothing; }
};

inline constexpr Purpose to_predict{.predictions = true};
inline constexpr Purpose to_evaluate{.losses = true, .right = true};
inline constexpr Purpose to_see_layers{.layers = true};
inline constexpr Purpose to_inspect{.losses = true, .layers = true, .gradients = GradientsIn::all};
/// As a training step computes them, without changing anything.
inline constexpr Purpose to_find_gradients{.training = true, .gradients = GradientsIn::trained};
/// All of a step but the update.
inline constexpr Purpose to_find_step{
    .training = true, .losses = true, .gradients = GradientsIn::trained, .statistics = true};
/// Added over all parts of a batch, what comes out is that of the batch. Assigns nothing.
inline constexpr Purpose to_find_local_gradients{
    .training = true, .losses = true, .gradients = GradientsIn::trained, .local = true};

}  // namespace sigma::detail
