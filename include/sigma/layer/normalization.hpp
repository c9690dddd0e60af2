// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Normalizations: BatchNorm, LayerNorm, RMSNorm, GroupNorm, InstanceNorm. Included by `<sigma/sigma.hpp>`.
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/tape/convolution.hpp>

namespace sigma {

// clang-format off: a table
inline constexpr Given::Label features_given{"features"}, axes_given_count{"axes"};
inline constexpr Fault
    error_normalization_epsilon_must_be_positive{"epsilon of a normalization must be positive"},
    error_BatchNorm_momentum_must_be_from_0_to_1{"BatchNorm: momentum must be from 0 to 1"},
    error_LayerNorm_axes_must_be_from_1_to_those_of_a_record{"LayerNorm: axes must be from 1 to those of a record"},
    error_GroupNorm_groups_must_be_positive{"GroupNorm: groups must be positive"},
    error_groups_do_not_divide_the_features{"groups do not divide the features"},
    error_InstanceNorm_needs_records_of_positions_and_features{
        "InstanceNorm needs records of positions and features"};
// clang-format on

namespace detail {

/// Returns whether epsilon, which is added to a variance, is positive. Refuses the layer if it is not.
constexpr bool good_epsilon(Tensor x, double epsilon) {
    if (epsilon > 0) return true;
    x.refused(error_normalization_epsilon_must_be_positive, {in_thousandths, epsilon});
    return false;
}
/// Returns `count` axes from `first` on, which may be negative.
constexpr Axes axes_from(int first, int count) {
    Axes all;
    for (int i = 0; i < count; ++i) all.add(first + i);
    return all;
}
constexpr Shape last_extents(const Shape& s, int n) {
    Shape r;
    for (int i = s.rank - n; i < s.rank; ++i) r.extent[r.rank++] = s[i];
    return r;
}
/// Returns 1 / number of elements that share one index of the last axis.
constexpr Tensor reciprocal_rows(Tensor x) {
    const Shape s = x.shape();
    const double rows = static_cast<double>(s.count()) / s.last();
    return {reciprocal_batch(x.variable.tape) * (1 / rows)};
}
/// Returns the variance divided by n - 1, from the one divided by n and 1 / n. A single row has no variance: 0 / 0 must
/// not reach the statistics, so the running one stays.
constexpr Tensor sample_variance(Tensor spread, Tensor part, Tensor running) {
    const Tensor single = max(2.0 * part - 1.0, 0.0);
    const Tensor kept_where_single = single * running;
    return spread / max(1.0 - part, part) + kept_where_single;
}
/// Returns normal · scale + shift with learned scales and shifts of shape `s`, or `normal` if it is not affine.
constexpr Tensor scaled_and_shifted(Context& context, bool affine, const Shape& s, Tensor normal) {
    if (!affine) return normal;
    const Tensor scale = parameter(context, s, "scales", ones);
    const Tensor shift = parameter(context, s, "shifts");
    return normal * scale + shift;
}

}  // namespace detail

/// Options of `BatchNorm`.
///
/// @see BatchNorm
struct BatchNormOptions {
    double momentum = 0.1;  ///< Share of the running statistics that each training step replaces, from 0 to 1.
    double epsilon = 1e-5;  ///< Added to the variance, above 0.
    bool affine = true;     ///< Learns `scales` and `shifts` if true.
};
SIGMA_OPTIONS(BatchNorm, options_are<struct momentum, struct epsilon, struct affine>)

/// Batch normalization: (x - mean) / √(variance + ε) · scale + shift, for each index of the last axis.
///
/// Mean and variance are over the batch and all axes but the last (Ioffe and Szegedy 2015, algorithm 1). In training
/// they are those of the batch, with the variance divided by n, and gradients pass through both. Each training step
/// moves the running mean and variance (divided by n - 1, as in libtorch) towards them: running · (1 - momentum) +
/// batch · momentum. Predictions and evaluation use the running statistics. Keras' momentum of 0.99 is 0.01 here.
///
/// @par Shape
/// Input (batch, …, features). Output: the same shape.
///
/// @par Parameters of the network
/// `scales` (features) and `shifts` (features) if `options.affine` is true. Statistics: `running_mean` (features),
/// `running_variance` (features).
///
/// @par Errors
/// `error_BatchNorm_momentum_must_be_from_0_to_1`, `error_normalization_epsilon_must_be_positive`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Normal : Network<Input(28, 28) + Conv2D(8, 3, {.bias = false}) + BatchNorm() + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see LayerNorm, GroupNorm
struct BatchNorm : Layer {
    BatchNormOptions options;  ///< Momentum, epsilon, and whether scales and shifts are learned.

    /// Constructs the layer.
    /// @param options_  momentum, epsilon, and whether scales and shifts are learned

    constexpr BatchNorm(BatchNormOptions options_ = {}) : options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(BatchNorm);

    static constexpr Text kind = "batch_norm";

    constexpr Tensor forward(Context& context, Tensor x) const {
        const auto [momentum, epsilon, affine] = options;
        if (!(momentum >= 0 && momentum <= 1))
            return x.refused(error_BatchNorm_momentum_must_be_from_0_to_1, {in_thousandths, momentum});
        if (!detail::good_epsilon(x, epsilon)) return x;
        const Shape features{x.shape().last()};
        const Tensor running_mean = statistic(context, features, "running_mean");
        const Tensor running_variance = statistic(context, features, "running_variance", ones);
        if (!context.training()) {
            const Tensor from_mean = x - running_mean;
            return detail::scaled_and_shifted(context, affine, features, from_mean * rsqrt(running_variance + epsilon));
        }
        const Axes rows = detail::axes_from(0, x.shape().rank - 1);
        const Tensor centre = mean(x, rows);
        const Tensor centred = x - centre;
        const Tensor spread = mean(square(centred), rows);
        const Tensor unbiased = detail::sample_variance(spread, detail::reciprocal_rows(x), running_variance);
        const Tensor kept_mean = (1 - momentum) * running_mean;
        update(context, running_mean, kept_mean + momentum * centre);
        const Tensor kept_variance = (1 - momentum) * running_variance;
        update(context, running_variance, kept_variance + momentum * unbiased);
        return detail::scaled_and_shifted(context, affine, features, centred * rsqrt(spread + epsilon));
    }
    /// @endcond
};

/// Options of `LayerNorm`.
///
/// @see LayerNorm
struct LayerNormOptions {
    double epsilon = 1e-5;  ///< Added to the variance, above 0.
    int axes = 1;           ///< Number of last axes that are normalized together, from 1 to those of a record.
    bool affine = true;     ///< Learns `scales` and `shifts`, of the shape of these axes, if true.
};
SIGMA_OPTIONS(LayerNorm, options_are<struct epsilon, struct axes, struct affine>)

/// Layer normalization: (x - mean) / √(variance + ε) · scale + shift, at each position by itself.
///
/// Mean and variance (divided by n) are over the last axis, or the last `options.axes` axes (Ba et al. 2016, section
/// 3).
///
/// @par Shape
/// Input (batch, …, features). Output: the same shape.
///
/// @par Parameters of the network
/// `scales` and `shifts`, both (features) or the last `options.axes` extents, if `options.affine` is true.
///
/// @par Errors
/// `error_LayerNorm_axes_must_be_from_1_to_those_of_a_record`, `error_normalization_epsilon_must_be_positive`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Words : Network<Input(20, 16) + LayerNorm() + Linear(5) + SoftmaxCE()> {};
/// @endcode
///
/// @see RMSNorm, BatchNorm
struct LayerNorm : Layer {
    LayerNormOptions options;  ///< Epsilon, axes, and whether scales and shifts are learned.

    /// Constructs the layer.
    /// @param options_  epsilon, axes, and whether scales and shifts are learned

    constexpr LayerNorm(LayerNormOptions options_ = {}) : options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(LayerNorm);

    static constexpr Text kind = "layer_norm";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (!detail::good_epsilon(x, options.epsilon)) return x;
        const Shape s = x.shape();
        const int n = options.axes;
        if (n < 1 || n >= s.rank)
            return x.refused(error_LayerNorm_axes_must_be_from_1_to_those_of_a_record, {axes_given_count, n},
                             {input_is, s});
        const Axes over = detail::axes_from(-n, n);
        const Tensor centred = x - mean(x, over, keep);
        const Tensor normal = centred * rsqrt(mean(square(centred), over, keep) + options.epsilon);
        return detail::scaled_and_shifted(context, options.affine, detail::last_extents(s, n), normal);
    }
    /// @endcond
};

/// Options of `RMSNorm`.
///
/// @see RMSNorm
struct RMSNormOptions {
    double epsilon = 1e-6;  ///< Added to the mean square, above 0.
    bool affine = true;     ///< Learns `scales` if true.
};
SIGMA_OPTIONS(RMSNorm, options_are<struct epsilon, struct affine>)

/// Root mean square normalization along the last axis: x / √(mean x² + ε) · scale.
///
/// See Zhang and Sennrich 2019, equation 4.
///
/// @par Shape
/// Input (batch, …, features). Output: the same shape.
///
/// @par Parameters of the network
/// `scales` (features) if `options.affine` is true.
///
/// @par Errors
/// `error_normalization_epsilon_must_be_positive`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Words : Network<Input(20, 16) + RMSNorm() + Linear(5) + SoftmaxCE()> {};
/// @endcode
///
/// @see LayerNorm
struct RMSNorm : Layer {
    RMSNormOptions options;  ///< Epsilon, and whether scales are learned.

    /// Constructs the layer.
    /// @param options_  epsilon, and whether scales are learned

    constexpr RMSNorm(RMSNormOptions options_ = {}) : options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(RMSNorm);

    static constexpr Text kind = "rms_norm";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (!detail::good_epsilon(x, options.epsilon)) return x;
        const Tensor normal = x * rsqrt(mean(square(x), axis(-1), keep) + options.epsilon);
        return options.affine ? normal * parameter(context, Shape{x.shape().last()}, "scales", ones) : normal;
    }
    /// @endcond
};

/// Options of `GroupNorm` and `InstanceNorm`.
///
/// @see GroupNorm
struct GroupNormOptions {
    double epsilon = 1e-5;  ///< Added to the variance, above 0.
    bool affine = true;     ///< Learns `scales` and `shifts`, one of each for an index of the last axis, if true.
};
SIGMA_OPTIONS(GroupNorm, options_are<struct epsilon, struct affine>)

/// Group normalization: (x - mean) / √(variance + ε) · scale + shift, for each group of features of a record.
///
/// The last axis is cut into `groups` equal parts. Mean and variance (divided by n) are over a part and all positions
/// of the record (Wu and He 2018, section 3.1).
///
/// @par Shape
/// Input (batch, …, features). Output: the same shape.
///
/// @par Parameters of the network
/// `scales` (features) and `shifts` (features) if `options.affine` is true.
///
/// @par Errors
/// `error_GroupNorm_groups_must_be_positive`, `error_groups_do_not_divide_the_features`,
/// `error_normalization_epsilon_must_be_positive`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Grouped : Network<Input(28, 28) + Conv2D(8, 3) + GroupNorm(4) + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see InstanceNorm, LayerNorm
struct GroupNorm : Layer {
    Extent groups;             ///< Number of groups. Divides the features.
    GroupNormOptions options;  ///< Epsilon, and whether scales and shifts are learned.

    /// Constructs the layer.
    /// @param groups_  number of groups, at least 1. Divides the features. May be a named size.
    /// @param options_  epsilon, and whether scales and shifts are learned
    constexpr explicit GroupNorm(Extent groups_, GroupNormOptions options_ = {}) : groups(groups_), options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(GroupNorm, Extent);

    static constexpr Text kind = "group_norm";
    static constexpr void each_size(auto& self, auto f) { f(self.groups); }

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (groups < 1) return x.refused(error_GroupNorm_groups_must_be_positive, {groups_given, groups});
        if (!detail::good_epsilon(x, options.epsilon)) return x;
        const Shape s = x.shape();
        const int features = s.last(), positions = static_cast<int>(s.count() / features);
        if (features % groups != 0)
            return x.refused(error_groups_do_not_divide_the_features, {groups_given, groups},
                             {features_given, features});
        const Tensor g = reshape(x, {batch, positions, groups, features / groups});
        const Tensor centred = g - mean(g, axes(1, 3), keep);
        const Tensor normal = centred * rsqrt(mean(square(centred), axes(1, 3), keep) + options.epsilon);
        return detail::scaled_and_shifted(context, options.affine, Shape{features}, reshape(normal, s));
    }
    /// @endcond
};

SIGMA_OPTIONS(InstanceNorm, GroupNorm)

/// Instance normalization: (x - mean) / √(variance + ε) · scale + shift, for each feature of each record.
///
/// Mean and variance (divided by n) are over all positions of the record (Ulyanov et al. 2016, equation 1), in training
/// and in prediction.
///
/// @par Shape
/// Input (batch, …, features), with at least one axis of positions. Output: the same shape.
///
/// @par Parameters of the network
/// `scales` (features) and `shifts` (features) if `options.affine` is true.
///
/// @par Errors
/// `error_InstanceNorm_needs_records_of_positions_and_features`, `error_normalization_epsilon_must_be_positive`.
/// A compile-time network does not compile; a run-time network throws MistakeError.
///
/// @par Example
/// @code
/// struct Styled : Network<Input(28, 28) + Conv2D(8, 3) + InstanceNorm() + Dense(10) + SoftmaxCE()> {};
/// @endcode
///
/// @see GroupNorm
struct InstanceNorm : Layer {
    GroupNormOptions options;  ///< Epsilon, and whether scales and shifts are learned.

    /// Constructs the layer.
    /// @param options_  epsilon, and whether scales and shifts are learned

    constexpr InstanceNorm(GroupNormOptions options_ = {}) : options(options_) {}
    /// @cond internal
    SIGMA_NO_OTHER(InstanceNorm);

    static constexpr Text kind = "instance_norm";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (!detail::good_epsilon(x, options.epsilon)) return x;
        const Shape s = x.shape();
        if (s.rank < 3) return x.refused(error_InstanceNorm_needs_records_of_positions_and_features, {input_is, s});
        return GroupNorm(s.last(), options).forward(context, x);
    }
    /// @endcond
};

}  // namespace sigma
