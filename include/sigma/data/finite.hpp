// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/data/block.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sigma::detail {

/// The bits of infinity; those of NaN, without the sign, are larger.
inline constexpr std::int32_t infinite_bits = 0x7f800000;

/// The position of the first number whose bits, without the sign, lie in this range, or the count of numbers. Checks
/// blocks with integer arithmetic, which the compiler turns into vector code; a search with an early exit it would not.
template <std::int32_t least, std::int32_t most>
[[gnu::noinline]] std::size_t find_bits(std::span<const float> numbers) {
    constexpr std::size_t block = 4096;
    const auto is_bad = [](float number) {
        const std::int32_t bits = std::bit_cast<std::int32_t>(number) & 0x7fffffff;
        return (bits >= least) & (bits <= most);
    };
    for (std::size_t first = 0; first < numbers.size(); first += block) {
        const auto part = numbers.subspan(first, std::min(block, numbers.size() - first));
        std::uint32_t bad = 0;
        for (const float number : part) bad |= is_bad(number) ? 1u : 0u;
        if (bad != 0)
            return first + static_cast<std::size_t>(std::find_if(part.begin(), part.end(), is_bad) - part.begin());
    }
    return numbers.size();
}

std::size_t find_not_finite(std::span<const float> numbers);
std::size_t find_missing(std::span<const float> numbers);

/// The error about number `at` of records of this section; `first` is the number of the first record.
[[gnu::cold]] DataError not_finite(const std::string& dataset, const data::SectionInfo& section, std::size_t first,
                                   std::size_t at, float found, const char* hint);

/// Throws DataError for numbers that are not finite, but where missing ones are held. True where one is missing;
/// `first` is the number of the first record.
bool check_finite(std::span<const float> numbers, const std::string& dataset, const data::SectionInfo& section,
                  data::Missing missing_numbers, std::size_t first = 0);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/finite.ipp>
#endif
