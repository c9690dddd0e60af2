// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/initializer/initializer.hpp>
#include <sigma/layer/axes.hpp>
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

struct LayerNormOptions {
    double epsilon = 1e-5;
    int axes = 1;        ///< how many of the last axes are normalized together
    bool affine = true;  ///< scales and shifts that are learned, of the shape of these axes
};
namespace detail {
namespace option {
struct epsilon;
struct axes;
struct affine;
}  // namespace option
using LayerNormOptionNames = options_are<option::epsilon, option::axes, option::affine>;
}  // namespace detail

template <class>
struct error_LayerNorm_has_no_such_option;

/// Layer normalization (Ba et al. 2016, section 3): (x - mean) / √(variance + ε) · scale + shift, with the mean and the
/// variance (divided by n) over the last axis of each position, or over the last few.
struct LayerNorm : Layer {
    LayerNormOptions options;

    constexpr LayerNorm(LayerNormOptions o = {}) : options(o) {}
    template <class Unknown = error_LayerNorm_has_no_such_option<detail::LayerNormOptionNames>>
    constexpr explicit LayerNorm(...) = delete;

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
        if constexpr (o.affine) {
            constexpr Shape s = detail::last_extents(x.shape, o.axes);
            const auto scale = parameter<s>(context, "scales", ones);
            const auto shift = parameter<s>(context, "shifts");
            return normal * scale + shift;
        } else {
            return normal;
        }
    }
};

}  // namespace sigma
