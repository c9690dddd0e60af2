// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/finite.hpp>

#include <cmath>

namespace sigma::detail {

SIGMA_IMPL std::size_t find_not_finite(std::span<const float> numbers) {
    return find_bits<infinite_bits, 0x7fffffff>(numbers);
}

SIGMA_IMPL std::size_t find_missing(std::span<const float> numbers) {
    return find_bits<infinite_bits + 1, 0x7fffffff>(numbers);
}

SIGMA_IMPL DataError not_finite(const std::string& dataset, const data::SectionInfo& section, std::size_t first,
                                std::size_t at, float found, const char* hint) {
    const std::string place = sentence("section '", section.name, "', record ", first + at / section.size(), ", ",
                                       section.called(at % section.size()));
    return DataError::in_dataset(dataset, place, "a finite number",
                                 std::isnan(found) ? sentence("nan (missing: ", hint, ")") : sentence(found));
}

SIGMA_IMPL bool check_finite(std::span<const float> numbers, const std::string& dataset,
                             const data::SectionInfo& section, data::Missing missing_numbers, std::size_t first) {
    std::size_t at = find_not_finite(numbers);
    if (at == numbers.size()) return false;
    const bool held = missing_numbers == data::Missing::held && !section.target;
    if (held) at = find_bits<infinite_bits, infinite_bits>(numbers);
    if (at == numbers.size()) return true;
    const char* const hint = missing_numbers == data::Missing::never ? "impute it first"
                             : section.target
                                 ? "impute it before dataset"
                                 : "impute it before dataset, or let the dataset hold it with .missing = true";
    throw not_finite(dataset, section, first, at, numbers[at], hint);
}

}  // namespace sigma::detail
