// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sigma::detail {

/// The position of the first number that is NaN or infinite, or the count of numbers. Checks blocks with integer
/// arithmetic, which the compiler turns into vector code; a search with an early exit it would not.
[[gnu::noinline]] inline std::size_t find_not_finite(std::span<const float> numbers) {
    constexpr std::uint32_t exponent = 0x7f800000;
    constexpr std::size_t block = 4096;
    for (std::size_t first = 0; first < numbers.size(); first += block) {
        const auto part = numbers.subspan(first, std::min(block, numbers.size() - first));
        std::uint32_t bad = 0;
        for (const float number : part) bad |= (std::bit_cast<std::uint32_t>(number) & exponent) == exponent ? 1u : 0u;
        if (bad != 0)
            return first + static_cast<std::size_t>(
                               std::find_if(part.begin(), part.end(), [](float v) { return !std::isfinite(v); }) -
                               part.begin());
    }
    return numbers.size();
}

/// `what` is "feature" or "target"; `first` is the number of the first record.
inline void check_finite(std::span<const float> numbers, std::size_t record_size, const std::string& name,
                         const char* what, std::size_t first = 0) {
    const std::size_t at = find_not_finite(numbers);
    if (at == numbers.size()) return;
    throw DataError::in_dataset(name, sentence("record ", first + at / record_size, ", ", what, " ", at % record_size),
                                "a finite number", sentence(numbers[at]));
}

}  // namespace sigma::detail
