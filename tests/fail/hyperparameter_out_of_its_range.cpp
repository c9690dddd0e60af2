// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_hyperparameter_is_not_in_its_range, .*given<.*in_thousandths, 0>, .*at_layer<1, Temperature::kind>
#include <sigma/sigma.hpp>
using namespace sigma;

struct Temperature : Layer {
    double initial;
    constexpr explicit Temperature(double t) : initial(t) {}
    static constexpr Text kind = "temperature";
    constexpr Tensor forward(Context&, Tensor x) const {
        return x / hyperparameter(x, "temperature", initial, NumberRange::finite_above_0());
    }
};
#ifdef TWIN
struct N : Network<Input(3) + Temperature(0.5) + SquaredDiff()> {};
#else
struct N : Network<Input(3) + Temperature(0) + SquaredDiff()> {};
#endif
static_assert(N::output.rank > 0);
