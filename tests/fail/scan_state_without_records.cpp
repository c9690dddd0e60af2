// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_scan_needs_states_of_shape_batch, .*state_is, 3>, .*at_line<10>
#include <sigma/function/function.hpp>
#include <sigma/tape/scan.hpp>
using namespace sigma;

#ifdef TWIN
constexpr auto f = [](auto x, auto h) { return scan(x, broadcast_to(h, {batch, 3}), [](auto now, auto before) { return now + before; }); };
#else
constexpr auto f = [](auto x, auto h) { return scan(x, h, [](auto now, auto before) { return now + before; }); };
#endif
auto y(const xt::xtensor<float, 3>& x, const xt::xtensor<float, 1>& h) {
    return evaluate(f)(shaped<batch, 4, 3>(x), shaped<3>(h));
}
