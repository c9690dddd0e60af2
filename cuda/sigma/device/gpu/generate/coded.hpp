// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/number_text.hpp>
#include <sigma/device/gpu/generated.hpp>

#include <cmath>

namespace sigma::on_gpu {

/// A coded extent (see plan/plan.hpp) times another, in numbers that an int may not hold.
constexpr long long coded_times(long long a, long long b) {
    const long long product = (a < 0 ? -a : a) * (b < 0 ? -b : b);
    return a < 0 || b < 0 ? -product : product;
}

/// `extent / size`, rounded up; a coded extent stays as it is, since one record may be all there is: more than enough.
constexpr long long coded_parts(long long extent, long long size) {
    return extent < 0 ? extent : (extent + size - 1) / size;
}

/// A number as the language of kernels reads it back, bit for bit.
inline std::string number_text(double x) {
    if (std::isnan(x)) return "nan(\"\")";
    if (std::isinf(x)) return x < 0 ? "log(0.0)" : "(-log(0.0))";
    return sigma::detail::binary_text(x);
}

/// `a, b, c`
template <class... Texts>
std::string listed(const std::string& first, const Texts&... rest) {
    std::string text = first;
    (text.append(", ").append(rest), ...);
    return text;
}

}  // namespace sigma::on_gpu
