// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/class_order.hpp>
#include <sigma/core/config.hpp>

#include <algorithm>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL void sort_class_names(ClassNames& names) {
    const std::vector<double> numbers = numbers_of_names(names);
    if (numbers.empty()) {
        std::ranges::sort(names);
        return;
    }
    std::vector<std::pair<double, std::string>> sorted;
    for (std::size_t i = 0; i < names.size(); ++i) sorted.emplace_back(numbers[i], std::move(names[i]));
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = std::move(sorted[i].second);
}

}  // namespace sigma::detail
