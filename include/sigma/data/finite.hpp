// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/error.hpp>
#include <sigma/data/block.hpp>
#include <sigma/data/number_list.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sigma::detail {

/// The bits of a number as an integer: those of infinity, and, without the sign, of the largest NaN.
template <class T>
struct NumberBits;
template <>
struct NumberBits<float> {
    using type = std::int32_t;
    static constexpr type infinite = 0x7f800000, most = 0x7fffffff;
};
template <>
struct NumberBits<double> {
    using type = std::int64_t;
    static constexpr type infinite = 0x7ff0000000000000, most = 0x7fffffffffffffff;
};

/// Returns the position of the first number with bits, without the sign, in this range, or the count of numbers.
/// Integer arithmetic on blocks becomes vector code; a search with an early exit would not.
template <class T>
[[gnu::noinline]] std::size_t find_bits(std::span<const T> numbers, typename NumberBits<T>::type least,
                                        typename NumberBits<T>::type most) {
    constexpr std::size_t block = 4096;
    const auto is_bad = [least, most](T number) {
        const auto bits = std::bit_cast<typename NumberBits<T>::type>(number) & NumberBits<T>::most;
        return (bits >= least) & (bits <= most);
    };
    for (std::size_t first = 0; first < numbers.size(); first += block) {
        const auto part = numbers.subspan(first, std::min(block, numbers.size() - first));
        std::uint32_t bad = 0;
        for (const T number : part) bad |= is_bad(number) ? 1u : 0u;
        if (bad != 0)
            return first + static_cast<std::size_t>(std::find_if(part.begin(), part.end(), is_bad) - part.begin());
    }
    return numbers.size();
}

/// Returns the position of the first number that is NaN, or the count of numbers.
std::size_t find_missing(std::span<const float> numbers);

/// Makes the error about number `at` of records of this section; `first` is the number of the first record.
[[gnu::cold]] DataError not_finite(const std::string& dataset, const data::SectionInfo& section, std::size_t first,
                                   std::size_t at, double found, const char* hint);

/// Checks that numbers are finite, or missing if missing numbers are held; throws DataError. Returns true if a number
/// is missing. `first` is the number of the first record.
bool check_finite(const NumberList& numbers, const std::string& dataset, const data::SectionInfo& section,
                  data::Missing missing_numbers, std::size_t first = 0);

/// Throws DataError if a finite number of this record is beyond the largest float.
void check_narrowed(std::span<const double> numbers, const std::string& dataset, std::size_t record);

/// Converts numbers to floats; returns an empty list if a number is no float.
std::vector<float> exact_floats(std::span<const double> numbers);

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/finite.ipp>
#endif
