// SPDX-License-Identifier: BSL-1.0
#pragma once

namespace sigma::detail {

/// √x in constant evaluation, where std::sqrt is not to be had (Newton's iteration from above).
constexpr double square_root(double x) {
    if (!(x > 0)) return 0;
    double r = x > 1 ? x : 1;
    for (double next = (r + x / r) / 2; next < r; next = (r + x / r) / 2) r = next;
    return r;
}

}  // namespace sigma::detail
