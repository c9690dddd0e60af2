// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_custom_operation_has_another_gradient
#include <sigma/sigma.hpp>
using namespace sigma;

struct Scaled {
    static constexpr Text name = "scaled";
    template <class V>
    static void forward(BlockView<V> y, BlockView<V> a, BlockView<V> b) {
        for (long long i = 0; i < y.columns; ++i) y[i] = a[i] * b[0];
    }
#ifdef TWIN
    template <int of, class V>
#else
    template <class V, int of>
#endif
    static void gradient(BlockView<V> g, BlockView<V> a, BlockView<V> b, BlockView<V>, BlockView<V> d) {
        for (long long i = 0; i < g.columns; ++i) g[i] = of == 0 ? d[i] * b[0] : d[i] * a[i];
    }
};
constexpr auto scaled = [](Tensor x) { return custom_operation<Scaled>(x, x); };
struct Net : Network<Input(4) + scaled + Dense(2) + SoftmaxCE()> {};
static_assert(Net::output.rank > 0);
