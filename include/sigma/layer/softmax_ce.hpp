// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/layer/context.hpp>
#include <sigma/layer/errors.hpp>

namespace sigma {

/// Loss for classification: mean over the batch of -log softmax(z)[class], from scores z of shape (batch, classes) and
/// class numbers of shape (batch). Predictions are the softmax of the scores.
struct SoftmaxCE : Loss {
    static constexpr Text kind = "softmax_ce";
    static constexpr bool classifies = true;

    template <Shape S>
    static constexpr auto check_output() {
        if constexpr (S.rank != 2)
            return Verdict<error_SoftmaxCE_needs_one_row_of_classes_a_record<typename detail::Spelled<S, S.rank>::type>>{};
        else return Verdict<>{};
    }
    static constexpr Shape target(auto, const Shape&) { return Shape{batch}; }

    static constexpr auto loss(auto, auto z, auto classes) {
        const auto shifted = z - stop_gradient(max(z, axis<1>, keep));
        const auto chosen = sum(where(one_hot<z.shape.last()>(classes), shifted, 0.0), axis<1>, keep);
        return mean(log(sum(exp(shifted), axis<1>, keep)) - chosen);
    }
    static constexpr auto predict(auto, auto z) { return softmax(z); }
};

}  // namespace sigma
