// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/axes.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

struct RMSNormOptions {
    double epsilon = 1e-6;
    bool affine = true;  ///< scales that are learned
};
namespace detail {
namespace option {
struct epsilon;
struct affine;
}  // namespace option
using RMSNormOptionNames = options_are<option::epsilon, option::affine>;
}  // namespace detail

template <class>
struct error_RMSNorm_has_no_such_option;

/// Root mean square normalization over the last axis: x / √(mean x² + ε) · scale (Zhang and Sennrich 2019, equation 4).
struct RMSNorm : Layer {
    RMSNormOptions options;

    constexpr RMSNorm(RMSNormOptions o = {}) : options(o) {}
    template <class Unknown = error_RMSNorm_has_no_such_option<detail::RMSNormOptionNames>>
    constexpr explicit RMSNorm(...) = delete;

    static constexpr Text kind = "rms_norm";

    static constexpr auto check(auto self) { return detail::check_epsilon(self); }
    static constexpr auto forward(auto self, Context& context, auto x) {
        const auto normal = x * rsqrt(mean(square(x), axis<-1>, keep) + self().options.epsilon);
        if constexpr (self().options.affine) return normal * parameter<Shape{x.shape.last()}>(context, "scales", ones);
        else return normal;
    }
};

}  // namespace sigma
