// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>
#include <sigma/tape/movement.hpp>

#include <utility>

namespace sigma {

namespace detail {

/// What is wrong with the epsilon that normalizations add to a variance.
constexpr auto check_epsilon(auto self) {
    constexpr double epsilon = self().options.epsilon;
    return MistakeIf<!(epsilon > 0),
                     error_normalization_epsilon_must_be_positive<in_thousandths<thousandths(epsilon)>>>{};
}
template <int first, int... i>
constexpr auto axes_from(std::integer_sequence<int, i...>) {
    return Axes<(first + i)...>{};
}
/// Axes 0 … n-1.
template <int n>
inline constexpr auto leading_axes = axes_from<0>(std::make_integer_sequence<int, n>{});
/// The last n axes.
template <int n>
inline constexpr auto trailing_axes = axes_from<-n>(std::make_integer_sequence<int, n>{});

constexpr Shape last_extents(const Shape& s, int n) {
    Shape r;
    for (int i = s.rank - n; i < s.rank; ++i) r.extent[r.rank++] = s[i];
    return r;
}
/// 1 / number of elements that share one index of the last axis.
template <Shape S>
constexpr Tensor<Shape{}> reciprocal_rows(Tensor<S> x) {
    constexpr double rows = static_cast<double>(S.count()) / S.last();
    return {reciprocal_batch(x.variable.tape) * (1 / rows)};
}
/// What normalizations may learn for each index of the axes of `s`: normal · scale + shift.
template <bool affine, Shape s>
constexpr auto scaled_and_shifted(Context& context, auto normal) {
    if constexpr (affine) {
        const auto scale = parameter<s>(context, "scales", ones);
        const auto shift = parameter<s>(context, "shifts");
        return normal * scale + shift;
    } else {
        return normal;
    }
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
            return detail::scaled_and_shifted<o.affine, features>(context,
                                                                  from_mean * rsqrt(running_variance + o.epsilon));
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
        return detail::scaled_and_shifted<o.affine, features>(context, centred * rsqrt(spread + o.epsilon));
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

    static constexpr auto check(auto self) { return detail::check_epsilon(self); }
    template <Shape S>
    static constexpr auto check_input(auto self) {
        constexpr int axes =
            self().options.axes;  // clang takes the < behind a member `axes` for that of sigma::axes<…>
        return MistakeIf<(axes < 1 || axes >= S.rank),
                         error_LayerNorm_axes_must_be_from_1_to_those_of_a_record<
                             axes_given_count<axes>, input_is<typename detail::Spelled<S, S.rank>::type>>>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        constexpr LayerNormOptions o = self().options;
        constexpr auto over = detail::trailing_axes<o.axes>;
        const auto centred = x - mean(x, over, keep);
        const auto normal = centred * rsqrt(mean(square(centred), over, keep) + o.epsilon);
        return detail::scaled_and_shifted<o.affine, detail::last_extents(x.shape, o.axes)>(context, normal);
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

    static constexpr auto check(auto self) { return detail::check_epsilon(self); }
    static constexpr auto forward(auto self, Context& context, auto x) {
        const auto normal = x * rsqrt(mean(square(x), axis<-1>, keep) + self().options.epsilon);
        if constexpr (self().options.affine) return normal * parameter<Shape{x.shape.last()}>(context, "scales", ones);
        else return normal;
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
    int groups;
    GroupNormOptions options;

    constexpr explicit GroupNorm(int groups_, GroupNormOptions o = {}) : groups(groups_), options(o) {}
    SIGMA_NO_OTHER(GroupNorm, int);

    static constexpr Text kind = "group_norm";

    static constexpr auto check(auto self) {
        if constexpr (self().groups < 1)
            return Mistake<error_GroupNorm_groups_must_be_positive<groups_given<self().groups>>>{};
        else return detail::check_epsilon(self);
    }
    template <Shape S>
    static constexpr auto check_input(auto self) {
        return MistakeIf<S.last() % self().groups != 0, error_groups_do_not_divide_the_features<
                                                            groups_given<self().groups>, features_given<S.last()>>>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        constexpr int features = x.shape.last(), groups = self().groups;
        constexpr int positions = static_cast<int>(x.shape.count() / features);
        constexpr Shape grouped{batch, positions, groups, features / groups};
        const auto g = detail::tensor<grouped>(reshape(x.variable, grouped));
        const auto centred = g - mean(g, axes<1, 3>, keep);
        const auto normal = centred * rsqrt(mean(square(centred), axes<1, 3>, keep) + self().options.epsilon);
        const auto y = detail::tensor<x.shape>(reshape(normal.variable, x.shape));
        return detail::scaled_and_shifted<self().options.affine, Shape{features}>(context, y);
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

    static constexpr auto check(auto self) { return detail::check_epsilon(self); }
    template <Shape S>
    static constexpr auto check_input(auto) {
        return MistakeIf<(S.rank < 3), error_InstanceNorm_needs_records_of_positions_and_features<
                                           input_is<typename detail::Spelled<S, S.rank>::type>>>{};
    }
    static constexpr auto forward(auto self, Context& context, auto x) {
        return GroupNorm::forward(detail::Self<GroupNorm(x.shape.last(), self().options)>{}, context, x);
    }
};

}  // namespace sigma
