// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_custom_operation_has_no_gradient_inside_a_layer
#include <sigma/sigma.hpp>
#include <sigma/xtensor.hpp>
using namespace sigma;

struct Cubed {
    static constexpr Text name = "cubed";
    template <class V>
    static void forward(BlockView<V> y, BlockView<V> x) {
        for (long long i = 0; i < y.columns; ++i) y[i] = x[i] * x[i] * x[i];
    }
    template <class V>
    static void gradient(BlockView<V> g, BlockView<V> x, BlockView<V>, BlockView<V> d) {
        for (long long i = 0; i < g.columns; ++i) g[i] = 3 * x[i] * x[i] * d[i];
    }
};
#ifdef TWIN
constexpr auto slopes = custom_operation<Cubed>;
#else
constexpr auto slopes = [](Tensor x) {
    return gradient([](Tensor v) { return sum(custom_operation<Cubed>(v)); })(x);
};
#endif
struct Net : Network<Input(4) + Dense(4) + slopes + Dense(2) + SoftmaxCE()> {};
void train(const Dataset& data) { Trainer("net", Net{}, Adam{}, minibatches(data, 8)).run(cpu(), 1); }
