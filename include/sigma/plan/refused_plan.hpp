// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

/// Throws Error for a plan in which two passes disagree on the places of a tensor's elements, which is a bug of the
/// planner. In a constant expression the call itself is the error.
[[noreturn, gnu::cold]] void error_plan_would_read_the_wrong_elements();

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/refused_plan.ipp>
#endif
