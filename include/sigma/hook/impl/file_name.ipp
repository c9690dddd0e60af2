// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/digits.hpp>
#include <sigma/hook/file_name.hpp>

#include <cmath>

namespace sigma::detail {

SIGMA_IMPL std::string file_name_text(double x) {
    if (std::isnan(x)) return "nan";
    if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
    if (x == std::floor(x) && std::abs(x) < 9e15) return sentence(static_cast<long long>(x));
    std::string text;
    append_digits(text, x, std::chars_format::general, 6);
    return text;
}

}  // namespace sigma::detail
