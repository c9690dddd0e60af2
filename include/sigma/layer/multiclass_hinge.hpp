// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/softmax_ce.hpp>

namespace sigma {

template <class>
struct error_MulticlassHinge_has_no_such_option;

/// Loss for classification with a margin (Weston and Watkins 1999): Σ over the wrong classes j of
/// max(0, 1 - z[class] + z[j]) of each row of scores z, with shapes, class numbers and `ignore` as for SoftmaxCE; by
/// default the mean over rows. (libtorch's multi_margin_loss is this divided by the number of classes.) Predictions are
/// the scores.
struct MulticlassHinge : detail::ClassLoss {
    using Options = ReductionOptions<Reduction::over_elements>;
    Options options;

    constexpr explicit MulticlassHinge(Options o = {}) : options(o) {}
    template <class Unknown = error_MulticlassHinge_has_no_such_option<detail::ReductionOptionNames>>
    constexpr explicit MulticlassHinge(...) = delete;

    static constexpr Text kind = "multiclass_hinge";
    static constexpr bool predicts_probabilities = false;

    template <Shape S>
    static constexpr auto check_output() {
        return detail::check_classes<S>();
    }
    static constexpr auto loss(auto self, auto scores, auto classes) {
        constexpr Options options = self().options;
        const auto z = detail::counted_scores<options>(scores, classes);
        const auto hot = one_hot<z.shape.last()>(classes);
        const auto chosen = sum(where(hot, z, 0.0), axis<-1>, keep);
        const auto l = sum(where(hot, 0.0, max(1.0 - chosen + z, 0.0)), axis<-1>, keep);
        if constexpr (options.ignore.given)
            return detail::reduced<options.reduction>(
                l, detail::not_equal_to(detail::as_column(classes), options.ignore.value));
        else return detail::reduced<options.reduction>(l);
    }
    static constexpr auto predict(auto, auto z) { return z; }
};

}  // namespace sigma
