// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_scan_needs_results_of_shape_batch, .*result_of_a_step, 3>, .*at_line<8>
#include <sigma/function/function.hpp>
#include <sigma/tape/scan.hpp>
using namespace sigma;

constexpr auto f = [](auto x, auto h, auto w) {
    return scan(x, h, [&](auto now, auto before) {
#ifdef TWIN
        return std::tuple{now + before, w * now};
#else
        return std::tuple{now + before, w * w};
#endif
    });
};
auto y(const xt::xtensor<float, 3>& x, const xt::xtensor<float, 2>& h, const xt::xtensor<float, 1>& w) {
    return evaluate(f)(shaped<batch, 4, 3>(x), shaped<batch, 3>(h), shaped<3>(w));
}
