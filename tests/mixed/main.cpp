// SPDX-License-Identifier: BSL-1.0
// One program of two objects with other instructions: each has its own form of all that depends on them, whichever the
// linker saw first, and both compute the same up to rounding.
#include "part.hpp"

#include <cmath>
#include <cstdio>

int main() {
    const Found any = find_for_any_processor(), native = find_for_this_processor();
    int wrong = 0;
    for (const Found* found : {&any, &native})
        if (found->lanes_of_model != found->lanes_of_object) {
            std::printf("expected a model for vectors of %d, found one for %d\n", found->lanes_of_object,
                        found->lanes_of_model);
            ++wrong;
        }
    if (any.numbers.size() != native.numbers.size() || any.numbers.empty()) return 2;
    for (std::size_t i = 0; i < any.numbers.size(); ++i)
        if (!(std::abs(any.numbers[i] - native.numbers[i]) <= 1e-3 * (1 + std::abs(any.numbers[i])))) {
            std::printf("number %zu: expected %g, found %g\n", i, any.numbers[i], native.numbers[i]);
            ++wrong;
        }
    std::printf("%zu numbers, for vectors of %d and of %d\n", any.numbers.size(), any.lanes_of_model,
                native.lanes_of_model);
    return wrong;
}
