// SPDX-License-Identifier: BSL-1.0
// expected-first-error: error_groups_are_inside_and_outside_of_accumulate<.*optimizer_is<.*Accumulating<
#include <sigma/optimizer/accumulate.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/group.hpp>
using namespace sigma;

#ifdef TWIN
const auto optimizer = group<"b*">(group<"a*">(accumulate(Adam{}, 4), {.rate_factor = 2}), {.rate_factor = 3});
#else
const auto optimizer = group<"b*">(accumulate(group<"a*">(Adam{}, {.rate_factor = 2}), 4), {.rate_factor = 3});
#endif
