// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// What normalizations add to a variance.
constexpr bool good_epsilon(Tensor x, double epsilon) {
    if (epsilon > 0) return true;
    x.refused(error_normalization_epsilon_must_be_positive, {in_thousandths, epsilon});
    return false;
}
/// `count` axes from the first one on, which may be negative.
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
/// 1 / number of elements that share one index of the last axis.
constexpr Tensor reciprocal_rows(Tensor x) {
    const Shape s = x.shape();
    const double rows = static_cast<double>(s.count()) / s.last();
    return {reciprocal_batch(x.variable.tape) * (1 / rows)};
}
/// The variance divided by n - 1, from the one divided by n and 1 / n. A single row has none: 0 / 0 must not reach the
/// statistics, and the running one stays.
constexpr Tensor sample_variance(Tensor spread, Tensor part, Tensor running) {
    const Tensor single = max(2.0 * part - 1.0, 0.0);
    const Tensor kept_where_single = single * running;
    return spread / max(1.0 - part, part) + kept_where_single;
}
/// What normalizations may learn for each index of the axes of `s`: normal · scale + shift.
constexpr Tensor scaled_and_shifted(Context& context, bool affine, const Shape& s, Tensor normal) {
    if (!affine) return normal;
    const Tensor scale = parameter(context, s, "scales", ones);
    const Tensor shift = parameter(context, s, "shifts");
    return normal * scale + shift;
}

}  // namespace detail

struct BatchNormOptions {
    double momentum = 0.1;  ///< how much of the running statistics each training step replaces
    double epsilon = 1e-5;
    bool affine = true;  ///< scales and shifts that are learned
};
SIGMA_OPTIONS(BatchNorm, options_are<struct momentum, struct epsilon, struct affine>)

/// Batch normalization (Ioffe and Szegedy 2015, algorithm 1): (x - mean) / √(variance + ε) · scale + shift for each
/// index of the last axis, over the batch and all axes between. Training uses the mean and the variance (divided by n)
/// of the batch, and gradients flow through both; each step moves the running mean and variance (divided by n - 1, as
/// libtorch does) towards them. Everything else uses the running statistics.
struct BatchNorm : Layer {
    BatchNormOptions options;

    constexpr BatchNorm(BatchNormOptions o = {}) : options(o) {}
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
};

struct LayerNormOptions {
    double epsilon = 1e-5;
    int axes = 1;        ///< how many of the last axes are normalized together
    bool affine = true;  ///< scales and shifts that are learned, of the shape of these axes
};
SIGMA_OPTIONS(LayerNorm, options_are<struct epsilon, struct axes, struct affine>)

/// Layer normalization (Ba et al. 2016, section 3): (x - mean) / √(variance + ε) · scale + shift, with the mean and the
/// variance (divided by n) over the last axis of each position, or over the last few.
struct LayerNorm : Layer {
    LayerNormOptions options;

    constexpr LayerNorm(LayerNormOptions o = {}) : options(o) {}
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
};

struct RMSNormOptions {
    double epsilon = 1e-6;
    bool affine = true;  ///< scales that are learned
};
SIGMA_OPTIONS(RMSNorm, options_are<struct epsilon, struct affine>)

/// Root mean square normalization over the last axis: x / √(mean x² + ε) · scale (Zhang and Sennrich 2019, equation 4).
struct RMSNorm : Layer {
    RMSNormOptions options;

    constexpr RMSNorm(RMSNormOptions o = {}) : options(o) {}
    SIGMA_NO_OTHER(RMSNorm);

    static constexpr Text kind = "rms_norm";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (!detail::good_epsilon(x, options.epsilon)) return x;
        const Tensor normal = x * rsqrt(mean(square(x), axis(-1), keep) + options.epsilon);
        return options.affine ? normal * parameter(context, Shape{x.shape().last()}, "scales", ones) : normal;
    }
};

struct GroupNormOptions {
    double epsilon = 1e-5;
    bool affine = true;  ///< scales and shifts that are learned, one an index of the last axis
};
SIGMA_OPTIONS(GroupNorm, options_are<struct epsilon, struct affine>)

/// Group normalization (Wu and He 2018, section 3.1): the last axis is cut into groups, and each group of a record is
/// normalized over all its positions: (x - mean) / √(variance + ε) · scale + shift.
struct GroupNorm : Layer {
    Extent groups;
    GroupNormOptions options;

    constexpr explicit GroupNorm(Extent groups_, GroupNormOptions o = {}) : groups(groups_), options(o) {}
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
};

SIGMA_OPTIONS(InstanceNorm, GroupNorm)

/// Instance normalization (Ulyanov et al. 2016, equation 1): each feature of each record, on the last axis, is
/// normalized over all positions of the record: (x - mean) / √(variance + ε) · scale + shift, the variance divided by
/// n. It is the same in training and prediction.
struct InstanceNorm : Layer {
    GroupNormOptions options;

    constexpr InstanceNorm(GroupNormOptions o = {}) : options(o) {}
    SIGMA_NO_OTHER(InstanceNorm);

    static constexpr Text kind = "instance_norm";

    constexpr Tensor forward(Context& context, Tensor x) const {
        if (!detail::good_epsilon(x, options.epsilon)) return x;
        const Shape s = x.shape();
        if (s.rank < 3) return x.refused(error_InstanceNorm_needs_records_of_positions_and_features, {input_is, s});
        return GroupNorm(s.last(), options).forward(context, x);
    }
};

}  // namespace sigma
