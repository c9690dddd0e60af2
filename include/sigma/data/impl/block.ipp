// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/array_count.hpp>
#include <sigma/core/config.hpp>
#include <sigma/data/block.hpp>

#include <array>

namespace sigma::data {

SIGMA_IMPL std::size_t SectionInfo::size() const { return sigma::detail::array_count(shape); }

SIGMA_IMPL std::size_t SectionInfo::bytes() const {
    return sigma::detail::array_count(std::array{size(), doubles ? sizeof(double) : sizeof(float)});
}

SIGMA_IMPL std::string SectionInfo::called(std::size_t number) const {
    if (columns.size() == size()) return sentence("column '", columns[number], "'");
    return sentence(target ? "target " : "feature ", number);
}

}  // namespace sigma::data
