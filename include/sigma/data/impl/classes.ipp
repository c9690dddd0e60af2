// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/classes.hpp>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace sigma::detail {

SIGMA_IMPL const ClassNames& no_class_names() {
    static const ClassNames none;
    return none;
}

/// Converts texts to numbers; returns an empty list unless each whole text is a finite number.
[[gnu::cold]] SIGMA_IMPL std::vector<double> numbers_of_names(const ClassNames& names) {
    std::vector<double> numbers;
    for (std::string_view text : names) {
        if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
        double number = 0;
        if (!read_number(text, number) || !std::isfinite(number)) return {};
        numbers.push_back(number);
    }
    return numbers;
}

/// Returns numbers of which equal ones are the same class; empty if names repeat a number or are too large to differ.
[[gnu::cold]] SIGMA_IMPL std::vector<double> class_values(const ClassNames& names) {
    std::vector<double> values = numbers_of_names(names), sorted = values;
    std::ranges::sort(sorted);
    const bool twice = std::ranges::adjacent_find(sorted) != sorted.end();
    if (twice || (!sorted.empty() && std::max(-sorted.front(), sorted.back()) >= 0x1p53)) values.clear();
    return values;
}

SIGMA_IMPL std::size_t first_other_class(const ClassNames& a, const ClassNames& b) {
    const std::size_t both = std::min(a.size(), b.size());
    const auto first = [both](const auto& x, const auto& y) {
        std::size_t i = 0;
        while (i < both && x[i] == y[i]) ++i;
        return i;
    };
    const std::size_t other = first(a, b);
    if (other == both) return both;
    const std::vector<double> x = class_values(a), y = class_values(b);
    return x.empty() || y.empty() ? other : first(x, y);
}

SIGMA_IMPL bool classes_agree(const ClassNames& known, const ClassNames& found) {
    return known.empty() || found.empty() ||
           (found.size() <= known.size() && first_other_class(known, found) == found.size());
}

SIGMA_IMPL std::string classes_text(const ClassNames& names, std::size_t differs) {
    constexpr std::size_t most = 12;
    if (names.size() > most && differs < names.size())
        return sentence("'", names[differs], "' as class ", differs, " of ", names.size());
    if (names.size() > most) return sentence(names.size(), " classes");
    std::string all;
    for (const std::string& name : names) all += sentence(all.empty() ? "'" : ", '", name, "'");
    return all.empty() ? "none" : all;
}

SIGMA_IMPL void require_same_classes(const std::string& where, const ClassNames& own, const ClassNames& taken) {
    if (!classes_agree(taken, own)) throw_other_classes<MismatchError>(where, own, "as of the model", taken);
}

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
