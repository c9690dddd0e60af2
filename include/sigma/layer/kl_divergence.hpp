// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

template <class>
struct error_KLDivergence_has_no_such_option;

/// Loss for distributions: Σ q·(log q - log softmax(z)) over a row, 0·log 0 = 0, from scores z and distributions q of
/// one shape (…, classes); by default the mean over rows. Gradients are those of SoftmaxDistributionCE; the value is 0
/// where the distributions agree. Predictions are the softmax of the scores.
struct KLDivergence : RowLoss {
    using Options = ReductionOptions<Reduction::over_elements>;
    Options options;

    constexpr explicit KLDivergence(Options o = {}) : options(o) {}
    template <class Unknown = error_KLDivergence_has_no_such_option<detail::ReductionOptionNames>>
    constexpr explicit KLDivergence(...) = delete;

    static constexpr Text kind = "kl_divergence";

    static constexpr detail::TargetRule targets(auto self, const Shape&) {
        return {detail::TargetRule::Kind::distribution, self().options.ignore};
    }
    static constexpr auto loss(auto self, auto z, auto targets) {
        const auto q = detail::without_ignored<self().options>(targets);
        const auto own = q * log(where(q > 0.0, q, 1.0));
        const auto other = detail::chosen(q, log_softmax(detail::counted_rows<self().options>(z, targets)));
        return detail::reduced_rows<self().options>(sum(own - q * other, axis<-1>, keep), targets);
    }
    static constexpr auto predict(auto, auto z) { return softmax(z); }
};

}  // namespace sigma
