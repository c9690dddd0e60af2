// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/softmax_ce.hpp>

namespace sigma {

template <class>
struct error_SoftmaxDistributionCE_has_no_such_option;

/// SoftmaxCE whose targets are distributions over the classes: -Σ q·log softmax(z) of each row, from scores z and
/// targets q of one shape, (batch, classes) or (batch, time, classes); by default the mean over rows. Smoothing s takes
/// (1-s)·q + s/C for q. A row does not count if all of its targets are `ignore`. Predictions are the softmax of z.
struct SoftmaxDistributionCE : RowLoss {
    using Options = SoftmaxOptions;
    Options options;

    constexpr explicit SoftmaxDistributionCE(Options o = {}) : options(o) {}
    template <class Unknown = error_SoftmaxDistributionCE_has_no_such_option<detail::SoftmaxOptionNames>>
    constexpr explicit SoftmaxDistributionCE(...) = delete;

    static constexpr Text kind = "softmax_distribution_ce";

    static constexpr auto check(auto self) { return detail::check_smoothing(self); }
    template <Shape S>
    static constexpr auto check_output() {
        return detail::check_classes<S>();
    }
    static constexpr detail::TargetRule targets(auto self, const Shape&) {
        return {detail::TargetRule::Kind::distribution, self().options.ignore};
    }
    static constexpr auto loss(auto self, auto z, auto targets) {
        constexpr double smoothing = self().options.smoothing;
        const auto q = detail::without_ignored<self().options>(targets);
        const auto t = [&] {
            if constexpr (smoothing == 0) return q;
            else return (1 - smoothing) * q + smoothing / z.shape.last();
        }();
        const auto l = detail::chosen(t, log_softmax(detail::counted_rows<self().options>(z, targets)));
        return detail::reduced_rows<self().options>(-sum(t * l, axis<-1>, keep), targets);
    }
    static constexpr auto predict(auto, auto z) { return softmax(z); }
};

}  // namespace sigma
