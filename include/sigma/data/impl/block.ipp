// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/block.hpp>

namespace sigma::data {

SIGMA_IMPL std::size_t SectionInfo::size() const {
    std::size_t numbers = 1;
    for (const std::size_t extent : shape) numbers *= extent;
    return numbers;
}

SIGMA_IMPL std::size_t SectionInfo::bytes() const { return size() * (doubles ? sizeof(double) : sizeof(float)); }

SIGMA_IMPL std::string SectionInfo::called(std::size_t number) const {
    if (columns.size() == size()) return sentence("column '", columns[number], "'");
    return sentence(target ? "target " : "feature ", number);
}

}  // namespace sigma::data
