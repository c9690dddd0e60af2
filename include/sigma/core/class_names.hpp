// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace sigma::detail {

using ClassNames = std::vector<std::string>;

inline const ClassNames& no_class_names() {
    static const ClassNames none;
    return none;
}

/// The numbers that these texts are; none unless each of them is a finite number as a whole.
[[gnu::cold]] inline std::vector<double> numbers_of_names(const ClassNames& names) {
    std::vector<double> numbers;
    for (std::string_view text : names) {
        if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
        double number = 0;
        const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return {};
        numbers.push_back(number);
    }
    return numbers;
}

/// Numbers for which equal values are the same class; none where values are equal or too large to be told apart.
[[gnu::cold]] inline std::vector<double> class_values(const ClassNames& names) {
    std::vector<double> values = numbers_of_names(names), sorted = values;
    std::ranges::sort(sorted);
    const bool twice = std::ranges::adjacent_find(sorted) != sorted.end();
    if (twice || (!sorted.empty() && std::max(-sorted.front(), sorted.back()) >= 0x1p53)) values.clear();
    return values;
}

/// The first class that is not the same in both; how many both have where all of those are. Where all names of both are
/// numbers, "6.0" is the same as "6".
inline std::size_t first_other_class(const ClassNames& a, const ClassNames& b) {
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

/// Does each number of `found` stand for the same class among `known`, which may have more? Where one of them has no
/// names there is nothing to compare.
inline bool classes_agree(const ClassNames& known, const ClassNames& found) {
    return known.empty() || found.empty() ||
           (found.size() <= known.size() && first_other_class(known, found) == found.size());
}

/// "'a', 'b'"; of many only what differs.
[[gnu::cold]] inline std::string classes_text(const ClassNames& names, std::size_t differs) {
    constexpr std::size_t most = 12;
    if (names.size() > most && differs < names.size())
        return sentence("'", names[differs], "' as class ", differs, " of ", names.size());
    if (names.size() > most) return sentence(names.size(), " classes");
    std::string all;
    for (const std::string& name : names) all += sentence(all.empty() ? "'" : ", '", name, "'");
    return all.empty() ? "none" : all;
}
/// Throws E, "expected classes 'a', 'b' <as they are known>, found 'b', 'a'".
template <class E>
[[noreturn, gnu::cold]] void throw_other_classes(const std::string& where, const ClassNames& known,
                                                 const std::string& as, const ClassNames& found) {
    const std::size_t differs = first_other_class(known, found);
    throw E(where, sentence("classes ", classes_text(known, differs), as.empty() ? "" : " ", as),
            classes_text(found, differs));
}
/// Throws MismatchError where a model that knows its classes would get the parameters of others. It may know only the
/// first of them.
inline void require_taken_classes(const std::string& where, const ClassNames& own, const ClassNames& taken) {
    if (!classes_agree(taken, own)) throw_other_classes<MismatchError>(where, own, "as of the model", taken);
}

}  // namespace sigma::detail
