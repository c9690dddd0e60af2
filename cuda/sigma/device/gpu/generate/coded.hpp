// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/number_text.hpp>
#include <sigma/device/gpu/generated.hpp>

#include <cmath>

namespace sigma::on_gpu {

/// Returns the product of two coded extents (see plan/plan.hpp), which may be larger than an int.
constexpr long long coded_times(long long a, long long b) {
    const long long product = (a < 0 ? -a : a) * (b < 0 ? -b : b);
    return a < 0 || b < 0 ? -product : product;
}

/// Returns `extent / size`, rounded up. A coded extent stays unchanged, which is always enough, even for one record.
constexpr long long coded_parts(long long extent, long long size) {
    return extent < 0 ? extent : (extent + size - 1) / size;
}

/// Returns a number as a text that the language of kernels reads back exactly.
inline std::string number_text(double x) {
    if (std::isnan(x)) return "nan(\"\")";
    if (std::isinf(x)) return x < 0 ? "log(0.0)" : "(-log(0.0))";
    return sigma::detail::binary_text(x);
}

/// Returns texts separated by commas: `a, b, c`.
template <class... Texts>
std::string listed(const std::string& first, const Texts&... rest) {
    std::string text = first;
    (text.append(", ").append(rest), ...);
    return text;
}

}  // namespace sigma::on_gpu
