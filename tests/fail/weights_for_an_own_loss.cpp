// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_weighted_records_needs_a_loss_that_reduces_by_its_options, .*loss_is, .*text_is<.*(own"|'o', 'w', 'n'>).*at_layer<2, .*WeightedRecords<.*Own>::kind>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/network/model.hpp>
using namespace sigma;

struct Own : Loss {
    static constexpr Text kind = "own";
    static constexpr bool classifies = false;
    constexpr Shape target(const Shape& output) const { return output; }
    constexpr Tensor predict(Tensor z) const { return z; }
    constexpr Tensor loss(Tensor z, Tensor y) const { return mean(square(z - y)); }
};

#ifdef TWIN
struct Net : Network<Input(3) + Dense(2) + Own()> {};
#else
struct Net : Network<Input(3) + Dense(2) + weighted_records(Own())> {};
#endif
Model<Net> model(1);
