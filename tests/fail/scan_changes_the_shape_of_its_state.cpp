// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_scan_changes_the_shape_of_its_state, .*state_before, -1, 2>, .*state_after, -1, 3>, .*at_line<12>
#include <sigma/function/function.hpp>
#include <sigma/tape/scan.hpp>
using namespace sigma;

#ifdef TWIN
constexpr int units = 3;
#else
constexpr int units = 2;
#endif
constexpr auto f = [](auto x, auto h) { return scan(x, h, [](auto now, auto before) { return now + sum(before, axis(1), keep); }); };
auto y(const xt::xtensor<float, 3>& x, const xt::xtensor<float, 2>& h) {
    return evaluate(f)(shaped<batch, 4, 3>(x), shaped<batch, units>(h));
}
