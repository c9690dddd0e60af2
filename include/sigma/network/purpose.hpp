// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

enum class GradientsIn : char { nothing, trained, all };

/// The purpose of a program of a network. Its inputs are those of the network, and the targets of each cost if losses
/// or gradients are computed. Its outputs have the order of these members.
struct Purpose {
    bool training = false;  ///< Layers compute as in a training step, with dropout.
    bool losses = false;    ///< Outputs Σ weight · loss and, for several costs, each loss.
    bool right = false;     ///< Outputs the share of correct predictions of each cost; 0 for losses without accuracy.
    bool predictions = false;  ///< Outputs the prediction of each cost, then the new states. States are further inputs.
    bool layers = false;       ///< Outputs the results of all layers.
    static constexpr int most_tapped = 4;
    short tapped[most_tapped] = {-1, -1, -1, -1};  ///< Outputs the results of these layers.
    GradientsIn gradients = GradientsIn::nothing;  ///< Outputs the gradients of the total loss in these parameters.
    bool statistics = false;                       ///< Outputs the new value of each statistic that a step changes.
    /// Computes a part of a batch, weighed by two more inputs. Outputs weight · new value for each statistic.
    bool local = false;

    friend constexpr bool operator==(const Purpose&, const Purpose&) = default;
    constexpr bool judges() const { return losses || gradients != GradientsIn::nothing; }
    /// Returns whether the program runs rarely, so that compiling fused kernels does not pay.
    constexpr bool cold() const { return layers || losses || gradients != GradientsIn::nothing; }
};

inline constexpr Purpose to_predict{.predictions = true};
inline constexpr Purpose to_evaluate{.losses = true, .right = true};
inline constexpr Purpose to_see_layers{.layers = true};
inline constexpr Purpose to_inspect{.losses = true, .layers = true, .gradients = GradientsIn::all};
/// Gradients as in a training step, without a change of the network.
inline constexpr Purpose to_find_gradients{.training = true, .gradients = GradientsIn::trained};
/// A training step without the update.
inline constexpr Purpose to_find_step{
    .training = true, .losses = true, .gradients = GradientsIn::trained, .statistics = true};
/// Gradients of a part of a batch. Their sum over all parts is the gradient of the batch.
inline constexpr Purpose to_find_local_gradients{
    .training = true, .losses = true, .gradients = GradientsIn::trained, .local = true};

}  // namespace sigma::detail
