// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/axes.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

struct BatchNormOptions {
    double momentum = 0.1;  ///< how much of the running statistics each training step replaces
    double epsilon = 1e-5;
    bool affine = true;  ///< scales and shifts that are learned
};
namespace detail {
namespace option {
struct momentum;
struct epsilon;
struct affine;
}  // namespace option
using BatchNormOptionNames = options_are<option::momentum, option::epsilon, option::affine>;
}  // namespace detail

template <class>
struct error_BatchNorm_has_no_such_option;

/// Batch normalization (Ioffe and Szegedy 2015, algorithm 1): (x - mean) / √(variance + ε) · scale + shift for each
/// index of the last axis, over the batch and all axes between. Training uses the mean and the variance (divided by n)
/// of the batch, and gradients flow through both; each step moves the running mean and variance (divided by n - 1, as
/// libtorch does) towards them. Everything else uses the running statistics.
struct BatchNorm : Layer {
    BatchNormOptions options;

    constexpr BatchNorm(BatchNormOptions o = {}) : options(o) {}
    template <class Unknown = error_BatchNorm_has_no_such_option<detail::BatchNormOptionNames>>
    constexpr explicit BatchNorm(...) = delete;

    static constexpr Text kind = "batch_norm";

    static constexpr auto check(auto self) {
        if constexpr (!(self().options.momentum >= 0 && self().options.momentum <= 1))
            return Mistake<error_BatchNorm_momentum_must_be_from_0_to_1<
                in_thousandths<detail::thousandths(self().options.momentum)>>>{};
        else return detail::check_epsilon(self);
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        constexpr Shape features{x.shape.last()};
        constexpr BatchNormOptions o = self().options;
        const auto running_mean = statistic<features>(context, "running_mean");
        const auto running_variance = statistic<features>(context, "running_variance", ones);
        if (!context.training()) {
            const auto from_mean = x - running_mean;
            return scaled(self, context, from_mean * rsqrt(running_variance + o.epsilon));
        }
        constexpr auto rows = detail::leading_axes<x.shape.rank - 1>;
        const auto centre = mean(x, rows);
        const auto centred = x - centre;
        const auto spread = mean(square(centred), rows);
        const auto part = detail::reciprocal_rows(x);
        // n / (n - 1); a single row has no variance, and 0 / 0 must not reach the statistics
        const auto unbiased = spread / max(1.0 - part, part);
        const auto kept_mean = (1 - o.momentum) * running_mean;
        update(context, running_mean, kept_mean + o.momentum * centre);
        const auto kept_variance = (1 - o.momentum) * running_variance;
        update(context, running_variance, kept_variance + o.momentum * unbiased);
        return scaled(self, context, centred * rsqrt(spread + o.epsilon));
    }

private:
    static constexpr auto scaled(auto self, Context& context, auto x) {
        if constexpr (self().options.affine) {
            const auto scale = parameter<Shape{x.shape.last()}>(context, "scales", ones);
            const auto shift = parameter<Shape{x.shape.last()}>(context, "shifts");
            return x * scale + shift;
        } else {
            return x;
        }
    }
};

}  // namespace sigma
