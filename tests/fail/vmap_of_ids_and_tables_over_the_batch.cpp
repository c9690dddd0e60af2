// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_vmap_cannot_map_over_the_batch, .*operation_mapped, .*text_is<
#include <sigma/derivatives.hpp>
#include <sigma/tape/convolution.hpp>
using namespace sigma;

xt::xtensor<float, 2> x({10, 3}), one({5, 2});
xt::xtensor<float, 3> t({10, 5, 2});

int main() {
#ifdef TWIN
    const auto y = vmap([](auto i, auto a) { return gather(a, i); }, over_rows_of<0>)(shaped<batch, 3>(x), shaped<5, 2>(one));
#else
    const auto y = vmap([](auto i, auto a) { return gather(a, i); })(shaped<batch, 3>(x), shaped<batch, 5, 2>(t));
#endif
}
