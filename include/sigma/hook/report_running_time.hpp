// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/report.hpp>
#include <sigma/hook/time_per.hpp>

namespace sigma {

/// How fast a trainer is. With the scale of iterations or epochs, a line such as
/// "iterations_per_second 812  time_per_iteration 1.23e-03  last_iteration_time 1.31e-03".
template <AnyScale S>
auto report_running_time(S scale, std::integral auto span) {
    return report(per_second(scale, span), time_per(scale, span), last_time(scale));
}
template <AnyScale S>
auto report_running_time(S scale) {
    return report_running_time(scale, 4);
}

}  // namespace sigma
