// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/finite.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace sigma::detail {

SIGMA_IMPL std::size_t find_missing(std::span<const float> numbers) {
    using Bits = NumberBits<float>;
    return find_bits(numbers, Bits::infinite + 1, Bits::most);
}

SIGMA_IMPL DataError not_finite(const std::string& dataset, const data::SectionInfo& section, std::size_t first,
                                std::size_t at, double found, const char* hint) {
    const std::string place = sentence("section '", section.name, "', record ", first + at / section.size(), ", ",
                                       section.called(at % section.size()));
    return DataError::in_dataset(dataset, place, "a finite number",
                                 std::isnan(found) ? sentence("nan (missing: ", hint, ")") : sentence(found));
}

SIGMA_IMPL bool check_finite(const NumberList& numbers, const std::string& dataset, const data::SectionInfo& section,
                             data::Missing missing_numbers, std::size_t first) {
    return numbers.visit([&](const auto& all) {
        using T = typename std::remove_cvref_t<decltype(all)>::value_type;
        using Bits = NumberBits<T>;
        const std::span<const T> list(all);
        std::size_t at = find_bits(list, Bits::infinite, Bits::most);
        if (at == list.size()) return false;
        const bool held = missing_numbers == data::Missing::held && !section.target;
        if (held) at = find_bits(list, Bits::infinite, Bits::infinite);
        if (at == list.size()) return true;
        const char* const hint = section.target ? "leave its record out"
                                 : missing_numbers == data::Missing::never
                                     ? "impute it first"
                                     : "impute it before dataset, or let the dataset hold it with .missing = true";
        throw not_finite(dataset, section, first, at, static_cast<double>(list[at]), hint);
    });
}

SIGMA_IMPL void check_narrowed(std::span<const double> numbers, const std::string& dataset, std::size_t record) {
    constexpr double most = std::numeric_limits<float>::max();
    bool beyond = false;
    for (const double x : numbers) beyond |= std::abs(x) > most;  // false for NaN
    if (!beyond) return;
    const auto at = std::ranges::find_if(numbers, [](double x) { return std::abs(x) > most; });
    throw DataError::in_dataset(dataset, sentence("record ", record),
                                "numbers within the range of float, or a network of double", sentence(*at));
}

SIGMA_IMPL std::vector<float> exact_floats(std::span<const double> numbers) {
    std::vector<float> all(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        all[i] = static_cast<float>(numbers[i]);
        const bool same = static_cast<double>(all[i]) == numbers[i] || std::isnan(numbers[i]);
        if (!same) return {};
    }
    return all;
}

}  // namespace sigma::detail
