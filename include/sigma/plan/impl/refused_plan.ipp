// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/plan/refused_plan.hpp>

namespace sigma::detail {

SIGMA_IMPL void error_plan_would_read_the_wrong_elements() {
    throw Error(
        "planning a program: its kernels would read the wrong elements of a tensor, so it does not run. This is a "
        "fault "
        "of Sigma: please report it with the network or the function");
}

}  // namespace sigma::detail
