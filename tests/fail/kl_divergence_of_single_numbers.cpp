// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_loss_needs_rows, .*output_is, -1>, .*at_layer<2, .*KLDivergence::kind>
#include <sigma/layer/input.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

struct Total : Layer {
    static constexpr Text kind = "total";
    constexpr Tensor forward(Context&, Tensor x) const { return sum(x, axis(1)); }
};

#ifdef TWIN
struct Net : Network<Input(4) + KLDivergence()> {};
#else
struct Net : Network<Input(4) + Total{} + KLDivergence()> {};
#endif
static_assert(Net::output.rank > 0);
