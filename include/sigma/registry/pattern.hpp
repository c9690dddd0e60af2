// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/pattern.hpp>

#include <utility>
#include <vector>

namespace sigma::detail {

using Tags = std::vector<std::string>;

bool has_tag(const Tags& tags, std::string_view tag);

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

    const std::string& text() const& { return text_; }
    std::string text() && { return std::move(text_); }
    const std::vector<PatternPart>& parts() const& { return parts_; }
    std::vector<PatternPart> parts() && { return std::move(parts_); }

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
    Positions reach(Positions at) const;

    void read_tags(std::string_view list, PatternPart& part) const;
    [[noreturn]] void refuse(std::string expected, std::string found) const;

    std::string text_;
    std::vector<PatternPart> parts_;
};

}  // namespace sigma::detail

#ifndef SIGMA_COMPILED
#include <sigma/registry/impl/pattern.ipp>
#endif
