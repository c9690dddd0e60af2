// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <string_view>

namespace sigma::detail {

/// What a part of a pattern says, in the order in which it counts.
struct PartWeight {
    bool deep = false;  // "**"
    int letters = 0;    // other than '*', outside of tags
    bool star = false;
    int tags = 0;

    constexpr explicit PartWeight(std::string_view part) {
        const std::size_t open = part.find('<');
        const std::string_view name = part.substr(0, open);
        deep = name == "**";
        for (char c : name) c == '*' ? void(star = true) : void(++letters);
        if (open == part.npos) return;
        star = star || name.empty();  // "<fc>" is "*<fc>"
        tags = 1;
        for (char c : part.substr(open)) tags += c == ',';
    }
    constexpr int compare(const PartWeight& other) const {
        if (deep != other.deep) return deep ? -1 : 1;
        if (letters != other.letters) return letters - other.letters;
        if (star != other.star) return star ? -1 : 1;
        return tags - other.tags;
    }
};

constexpr int count_parts(std::string_view pattern) {
    int count = 0;
    while (true) {
        const std::size_t dot = pattern.find('.');
        count += pattern.substr(0, dot) != "**";
        if (dot == pattern.npos) return count;
        pattern.remove_prefix(dot + 1);
    }
}

/// compare_specificity for patterns with tags: positive where `a` says more than `b`, negative where less, 0 where
/// alike. More parts say more (`**` is none); with as many, the first part that differs decides: by its letters, then
/// by having no `*`, then by its tags. Patterns without tags and `**` are ordered as compare_specificity orders them.
constexpr int compare_tagged_specificity(std::string_view a, std::string_view b) {
    if (const int parts = detail::count_parts(a) - detail::count_parts(b); parts != 0) return parts;
    while (true) {
        const std::size_t i = a.find('.'), j = b.find('.');
        const int order = detail::PartWeight(a.substr(0, i)).compare(detail::PartWeight(b.substr(0, j)));
        if (order != 0) return order;
        if (i == a.npos || j == b.npos) return (i == a.npos) - (j == b.npos);  // "**" is left
        a.remove_prefix(i + 1);
        b.remove_prefix(j + 1);
    }
}

}  // namespace sigma::detail
