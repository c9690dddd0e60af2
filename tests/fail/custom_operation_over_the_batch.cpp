// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_custom_operation_needs_blocks_without_the_batch
#include <sigma/sigma.hpp>
using namespace sigma;

struct Flipped {
    static constexpr Text name = "flipped";
    static constexpr int axes = 2;
    template <class V>
    static void forward(BlockView<V> y, BlockView<V> x) {
        for (long long i = 0; i < y.rows; ++i)
            for (long long j = 0; j < y.columns; ++j) y(i, j) = x(y.rows - 1 - i, j);
    }
};
#ifdef TWIN
struct Net : Network<Input(4, 3) + custom_operation<Flipped> + Flatten() + Dense(2) + SoftmaxCE()> {};
#else
struct Net : Network<Input(4) + custom_operation<Flipped> + Dense(2) + SoftmaxCE()> {};
#endif
static_assert(Net::output.rank > 0);
