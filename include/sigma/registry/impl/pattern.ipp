// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/registry/pattern.hpp>

namespace sigma::detail {

SIGMA_IMPL bool has_tag(const Tags& tags, std::string_view tag) {
    for (const std::string& t : tags)
        if (t == tag) return true;
    return false;
}

SIGMA_IMPL Pattern::Positions Pattern::reach(Positions at) const {
    for (std::size_t i = 0; i < parts_.size(); ++i)
        if (parts_[i].deep && (at >> i & 1U)) at |= Positions{1} << (i + 1);
    return at;
}

SIGMA_IMPL void Pattern::refuse(std::string expected, std::string found) const {
    throw ArgumentError(sentence("pattern '", text_, "'"), std::move(expected), std::move(found));
}

SIGMA_IMPL void Pattern::read_tags(std::string_view list, PatternPart& part) const {
    while (true) {
        const std::size_t comma = list.find(',');
        std::string_view tag = list.substr(0, comma);
        while (!tag.empty() && tag.front() == ' ') tag.remove_prefix(1);
        while (!tag.empty() && tag.back() == ' ') tag.remove_suffix(1);
        if (tag.empty()) refuse("a tag before each ',' and '>'", "none");
        if (tag.find_first_of(".*") != tag.npos) refuse("tags without '.' and '*'", sentence("'", tag, "'"));
        part.tags.emplace_back(tag);
        if (comma == list.npos) return;
        list.remove_prefix(comma + 1);
    }
}

SIGMA_IMPL Pattern::Pattern(std::string_view text) : text_(text) {
    std::string_view rest = text_;
    while (true) {
        PatternPart part;
        const std::size_t end = rest.find_first_of(".<>");
        part.text = rest.substr(0, end);
        rest.remove_prefix(part.text.size());
        if (rest.starts_with('>')) refuse("a '<' before each '>'", sentence("'", part.text, ">'"));
        if (rest.starts_with('<')) {
            const std::size_t close = rest.find_first_of("<>", 1);
            if (close == rest.npos || rest[close] == '<') refuse("a '>' after each '<'", sentence("'", rest, "'"));
            if (part.text == "**") refuse("tags after a name or '*'", "tags after '**', which stands for many parts");
            if (part.text.empty()) part.text = "*";
            read_tags(rest.substr(1, close - 1), part);
            rest.remove_prefix(close + 1);
            if (!rest.empty() && rest.front() != '.') refuse("a '.' or the end after '>'", sentence("'", rest, "'"));
        }
        if (part.text.empty())
            refuse("a name, '*' or tags in each part", sentence("nothing in part ", parts_.size() + 1));
        part.deep = part.text == "**";
        if (!part.deep || parts_.empty() || !parts_.back().deep) parts_.push_back(std::move(part));
        if (parts_.size() > most_parts) refuse(sentence("at most ", most_parts, " parts"), "more");
        if (rest.empty()) return;
        rest.remove_prefix(1);
    }
}

}  // namespace sigma::detail
