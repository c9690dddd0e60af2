// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_scan_needs_a_next_value_for_every_state
#include <sigma/function/function.hpp>
#include <sigma/tape/scan.hpp>
using namespace sigma;

constexpr auto f = [](auto x, auto a, auto b) {
    return scan(x, std::tuple{a, b}, [](auto now, auto first, auto second) {
#ifdef TWIN
        return std::tuple{now + first, second};
#else
        return std::tuple{now + first * second};
#endif
    });
};
auto y(const xt::xtensor<float, 3>& x, const xt::xtensor<float, 2>& h) {
    return evaluate(f)(shaped<batch, 4, 3>(x), shaped<batch, 3>(h), shaped<batch, 3>(h));
}
