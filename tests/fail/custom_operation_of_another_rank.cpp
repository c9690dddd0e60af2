// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_custom_operation_needs_a_shape_of_its_axes
#include <sigma/sigma.hpp>
using namespace sigma;

struct Counted {
    static constexpr Text name = "counted";
#ifdef TWIN
    static constexpr Shape shape(const Shape&) { return Shape(1); }
#else
    static constexpr Shape shape(const Shape&) { return Shape(1, 1); }
#endif
    template <class V>
    static void forward(BlockView<V> y, BlockView<V> x) {
        y[0] = 0;
        for (long long i = 0; i < x.columns; ++i) y[0] += x[i] > 0;
    }
};
struct Net : Network<Input(4) + custom_operation<Counted> + Dense(2) + SoftmaxCE()> {};
static_assert(Net::output.rank > 0);
