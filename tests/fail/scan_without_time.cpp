// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_scan_needs_sequences_of_shape_batch_time, .*sequence_is, -1>, .*at_line<7>
#include <sigma/function/function.hpp>
#include <sigma/tape/scan.hpp>
using namespace sigma;

constexpr auto f = [](auto x) { return scan(x, filled(x, 0, Shape{batch}), [](auto now, auto before) { return now + before; }); };
#ifdef TWIN
auto y(const xt::xtensor<float, 2>& x) { return evaluate(f)(shaped<batch, 4>(x)); }
#else
auto y(const xt::xtensor<float, 1>& x) { return evaluate(f)(shaped<batch>(x)); }
#endif
