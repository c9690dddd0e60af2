// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_weighted_records_needs_a_loss_that_reduces_by_its_options<.*loss_is<.*Own>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/weighted_records.hpp>
#include <sigma/network/model.hpp>
using namespace sigma;

struct Own : Loss {
    static constexpr Text kind = "own";
    static constexpr bool classifies = false;
    template <Shape S>
    static constexpr auto check_output() {
        return Mistake<>{};
    }
    static constexpr Shape target(auto, const Shape& output) { return output; }
    static constexpr auto predict(auto, auto z) { return z; }
    static constexpr auto loss(auto, auto z, auto y) { return mean(square(z - y)); }
};

#ifdef TWIN
struct Net : Network<Input(3) + Dense(2) + Own()> {};
#else
struct Net : Network<Input(3) + Dense(2) + weighted_records(Own())> {};
#endif
Model<Net> model(1);
