// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

/// Two passes disagree on where the elements of a tensor lie: such a plan is never run. A fault of the planner. Throws
/// Error; in a constant the call itself is the error.
[[noreturn, gnu::cold]] void error_plan_would_read_the_wrong_elements();

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/plan/impl/refused_plan.ipp>
#endif
