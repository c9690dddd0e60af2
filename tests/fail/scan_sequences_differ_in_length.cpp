// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_scan_sequences_differ_in_length, .*first_sequence_is, -1, 4, 3>, .*sequence_is, -1, 5, 3>, .*at_line<13>
#include <sigma/function/function.hpp>
#include <sigma/tape/scan.hpp>
using namespace sigma;

#ifdef TWIN
constexpr int length = 4;
#else
constexpr int length = 5;
#endif
constexpr auto f = [](auto x, auto y) {
    return scan(std::tuple{x, y}, filled(x, 0, {batch, 3}), [](auto a, auto b, auto before) { return a * b + before; });
};
auto z(const xt::xtensor<float, 3>& x, const xt::xtensor<float, 3>& y) {
    return evaluate(f)(shaped<batch, 4, 3>(x), shaped<batch, length, 3>(y));
}
