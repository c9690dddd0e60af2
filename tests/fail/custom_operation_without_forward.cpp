// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_custom_operation_needs_a_name_and_forward_of_its_operands
#include <sigma/sigma.hpp>
using namespace sigma;

struct Halved {
    static constexpr Text name = "halved";
#ifdef TWIN
    template <class V>
    static void forward(BlockView<V> y, BlockView<V> x) {
#else
    template <class V>
    static void value(BlockView<V> y, BlockView<V> x) {
#endif
        for (long long i = 0; i < y.columns; ++i) y[i] = x[i] / 2;
    }
};
struct Net : Network<Input(4) + custom_operation<Halved> + Dense(2) + SoftmaxCE()> {};
static_assert(Net::output.rank > 0);
