// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_size_has_a_name_but_its_layer_no_each_size
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/network.hpp>
using namespace sigma;

struct Scale : Layer {
    Extent units;
    constexpr explicit Scale(Extent u) : units(u) {}
    static constexpr Text kind = "scale";
#ifdef TWIN
    static constexpr void each_size(auto& self, auto f) { f(self.units); }
#endif
    constexpr Tensor forward(Context& context, Tensor x) const {
        return dot(x, parameter(context, {x.shape().last(), units}, "weights"));
    }
};
struct Net : Network<Input(4) + Scale(dim<"width">) + SquaredDiff()> {};
Net net{};
