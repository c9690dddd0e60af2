// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_groups_are_inside_and_outside_of_a_penalty_or_an_average<.*optimizer_is<.*L2Penalty<
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/group.hpp>
#include <sigma/optimizer/penalty.hpp>
using namespace sigma;

#ifdef TWIN
const auto optimizer = group<"b*">(group<"a*">(l2_penalty<"*">(Adam{}, 1e-4), {.rate_factor = 2}), {.rate_factor = 3});
#else
const auto optimizer = group<"b*">(l2_penalty<"*">(group<"a*">(Adam{}, {.rate_factor = 2}), 1e-4), {.rate_factor = 3});
#endif
