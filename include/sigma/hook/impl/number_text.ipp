// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/digits.hpp>
#include <sigma/hook/number_text.hpp>

#include <cmath>
#include <cstdint>

namespace sigma::detail {

SIGMA_IMPL void append_number(std::string& to, double x, int decimals) {
    static constexpr std::uint64_t powers[] = {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000};
    const double size = std::abs(x);
    if (std::isnan(x)) {
        to += '-';
        return;
    }
    if (x < 0) to += '-';
    if (std::isinf(x)) {
        to += "inf";
    } else if (size >= 1e15) {
        append_digits(to, size, std::chars_format::scientific, 2);
    } else if (size >= 999.5) {
        append_digits(to, static_cast<std::uint64_t>(size + 0.5));
    } else if (const std::uint64_t power = powers[decimals]; size > 0 && size * static_cast<double>(power) < 9.5) {
        append_digits(to, size, std::chars_format::scientific, 2);
    } else {
        // Several times as fast as std::to_chars with a precision.
        const auto scaled = static_cast<std::uint64_t>(size * static_cast<double>(power) + 0.5);
        append_digits(to, scaled / power);
        to += '.';
        const std::size_t begin = to.size();
        to.append(static_cast<std::size_t>(decimals), '0');
        std::uint64_t rest = scaled % power;
        for (std::size_t i = to.size(); i > begin; rest /= 10) to[--i] = static_cast<char>('0' + rest % 10);
    }
}

SIGMA_IMPL void append_count(std::string& to, double x) {
    append_digits(to, static_cast<std::int64_t>(x));
}

SIGMA_IMPL void append_exact(std::string& to, double x) {
    if (!std::isnan(x)) append_number_text(to, x);
}

}  // namespace sigma::detail
