// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/reduction.hpp>

namespace sigma {

template <class>
struct error_NLL_has_no_such_option;

/// Loss from probabilities p rather than scores: -Σ y·log clip(p, epsilon, 1 - epsilon) over a row, by default the mean
/// over rows; p and y of one shape (…, classes). Where it clips, no gradient passes: prefer SoftmaxCE, which takes
/// scores and always learns. (The formula of Neuromatic, where epsilon is 1e-7.)
struct NLL : RowLoss {
    using Options = ReductionOptions<Reduction::over_elements>;
    double epsilon;
    Options options;

    constexpr explicit NLL(double epsilon_ = 1e-7, Options o = {}) : epsilon(epsilon_), options(o) {}
    template <class Unknown = error_NLL_has_no_such_option<detail::ReductionOptionNames>>
    constexpr explicit NLL(double, ...) = delete;

    static constexpr Text kind = "nll";

    static constexpr auto check(auto self) {
        return MistakeIf<!(self().epsilon > 0 && self().epsilon < 0.5),
                         error_NLL_epsilon_must_be_above_0_and_below_one_half<
                             in_thousandths<detail::thousandths(self().epsilon)>>>{};
    }
    static constexpr detail::TargetRule targets(auto self, const Shape&) {
        return {detail::TargetRule::Kind::distribution, self().options.ignore};
    }
    static constexpr auto loss(auto self, auto p, auto targets) {
        const auto y = detail::without_ignored<self().options>(targets);
        const auto given = detail::counted_rows<self().options>(p, targets);
        const auto clipped = min(max(given, self().epsilon), 1.0 - self().epsilon);
        return detail::reduced_rows<self().options>(-sum(y * log(clipped), axis<-1>, keep), targets);
    }
    static constexpr auto predict(auto, auto p) { return p; }
};

}  // namespace sigma
