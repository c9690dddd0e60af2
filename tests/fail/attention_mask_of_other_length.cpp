// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_Attention_mask_must_have_the_batch_and_the_times_attended_to, .*mask_is, -1, 4>, .*input_is, -1, 5, 6>, .*at_layer<1, .*Look<.*4>::kind>
#include <sigma/layer/attention.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

/// Looks at no more than the first `times`, one column of which is the mask.
template <int times>
struct Look : Layer {
    static constexpr Text kind = "look";
    constexpr Tensor forward(Context& context, Tensor x) const {
        const auto mask = reshape(slice(slice(x, axis(1), 0, times), axis(2), 0, 1), {batch, times});
        const auto y = inner(Attention(2), context, "attention", x, mask);
        return y;
    }
};

#ifdef TWIN
struct Net : Network<Input(5, 6) + Look<5>() + SquaredDiff()> {};
#else
struct Net : Network<Input(5, 6) + Look<4>() + SquaredDiff()> {};
#endif
static_assert(Net::output.rank > 0);
