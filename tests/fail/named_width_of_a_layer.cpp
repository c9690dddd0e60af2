// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_dot_extents_differ, .*columns_of_x, .*dim_is<.*text_is<.*(width\"|'w', 'i', 'd', 't', 'h'>).*rows_of_w, 8>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

struct Mix : Layer {
    static constexpr Text kind = "mix";
    constexpr Tensor forward(Context& context, Tensor x) const {
        return dot(x, parameter(context, {8, 8}, "weights"));
    }
};
#ifdef TWIN
struct Net : Network<Input(dim<"inputs">) + Dense(8) + Mix() + SquaredDiff()> {};
#else
struct Net : Network<Input(dim<"inputs">) + Dense(dim<"width">) + Mix() + SquaredDiff()> {};
#endif
Net net{};
