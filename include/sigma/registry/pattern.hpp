// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/pattern.hpp>

#include <vector>

namespace sigma::detail {

using Tags = std::vector<std::string>;

inline bool has_tag(const Tags& tags, std::string_view tag) {
    for (const std::string& t : tags)
        if (t == tag) return true;
    return false;
}

/// One part of a pattern: "d*<fc,dense>". `deep` is the part "**", which stands for any number of parts.
struct PatternPart {
    std::string text;
    Tags tags;
    bool deep = false;

    bool plain() const { return tags.empty() && text.find('*') == text.npos; }
};

/// Parts between dots that names are walked along: which parts have matched is a set of positions, one bit each, so
/// that a name is visited once however many `**` could claim it.
class Pattern {
public:
    static constexpr std::size_t most_parts = 62;
    using Positions = std::uint64_t;

    /// ArgumentError where the pattern is malformed.
    explicit Pattern(std::string_view text);

    const std::string& text() const { return text_; }
    const std::vector<PatternPart>& parts() const { return parts_; }

    Positions start() const { return reach(1); }
    bool accepts(Positions at) const { return at >> parts_.size() & 1U; }

    /// What has matched after one more part of a name; `tags` is asked only where the pattern has some.
    template <class TagsOf>
    Positions step(Positions at, std::string_view name, TagsOf tags) const {
        Positions next = 0;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (!(at >> i & 1U)) continue;
            if (parts_[i].deep) {
                next |= Positions{1} << i;
            } else if (matches(parts_[i].text, name) && carries(parts_[i].tags, tags)) {
                next |= Positions{1} << (i + 1);
            }
        }
        return reach(next);
    }

private:
    template <class TagsOf>
    static bool carries(const Tags& wanted, TagsOf tags) {
        if (wanted.empty()) return true;
        const auto present = tags();
        for (const std::string& tag : wanted)
            if (!has_tag(*present, tag)) return false;
        return true;
    }
    /// `**` may also stand for nothing.
    Positions reach(Positions at) const {
        for (std::size_t i = 0; i < parts_.size(); ++i)
            if (parts_[i].deep && (at >> i & 1U)) at |= Positions{1} << (i + 1);
        return at;
    }

    void read_tags(std::string_view list, PatternPart& part) const;
    [[noreturn]] void refuse(std::string expected, std::string found) const {
        throw ArgumentError(sentence("pattern '", text_, "'"), std::move(expected), std::move(found));
    }

    std::string text_;
    std::vector<PatternPart> parts_;
};

inline void Pattern::read_tags(std::string_view list, PatternPart& part) const {
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

inline Pattern::Pattern(std::string_view text) : text_(text) {
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
