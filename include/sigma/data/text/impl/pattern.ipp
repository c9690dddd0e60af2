// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/text/pattern.hpp>
#include <sigma/data/text/tokenizer_model.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/storage/utf8.hpp>

#include <unicase.h>
#include <unictype.h>
#include <algorithm>
#include <functional>
#include <limits>

namespace sigma::data::detail {

/// Reads a pattern from its front to its end.
class PatternReader {
public:
    PatternReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

    std::vector<Pattern::Sequence> read() {
        std::vector<Pattern::Sequence> all = alternatives(false, 0);
        if (at_ < text_.size()) refuse("an opening before the closing parenthesis");
        return all;
    }

private:
    static constexpr std::size_t without_end = std::numeric_limits<std::size_t>::max();
    std::string_view text_;
    const std::string& name_;
    std::size_t at_ = 0;

    [[noreturn]] void refuse(const char* expected) const {
        throw DataError(name_, sentence("pattern ", storage::quotation(text_)), expected,
                        sentence(storage::quotation(text_.substr(std::min(at_, text_.size()), 12)), " at byte ", at_));
    }
    bool next_is(std::string_view what) const { return text_.substr(at_).starts_with(what); }
    bool take(std::string_view what) {
        if (!next_is(what)) return false;
        at_ += what.size();
        return true;
    }
    std::uint32_t character() {
        if (at_ >= text_.size()) refuse("a character");
        const std::uint32_t c = storage::utf8_character(text_.substr(at_));
        at_ += storage::utf8_length(text_.substr(at_, 4));
        return c;
    }
    std::size_t number() {
        std::size_t n = 0;
        if (at_ >= text_.size() || text_[at_] < '0' || text_[at_] > '9') refuse("a number");
        for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
            n = 10 * n + static_cast<std::size_t>(text_[at_] - '0');
            if (n > 1000) refuse("a number of at most 1000");
        }
        return n;
    }

    std::vector<Pattern::Sequence> alternatives(bool any_case, int depth) {
        if (depth > 16) refuse("groups within each other at most 16 deep");
        std::vector<Pattern::Sequence> all(1);
        while (at_ < text_.size() && !next_is(")")) {
            if (take("|")) all.emplace_back();
            else all.back().push_back(repeated(part(any_case, depth)));
        }
        return all;
    }
    Pattern::Part part(bool any_case, int depth) {
        Pattern::Part p;
        p.any_case = any_case;
        if (take("(")) {
            p.kind = Pattern::Part::Kind::group;
            if (take("?=") || next_is("?!")) {
                p.negative = take("?!");
                p.kind = Pattern::Part::Kind::ahead;
            } else if (take("?i:")) any_case = true;
            else if (!take("?:") && next_is("?")) refuse("a group (?:…), (?i:…), (?=…) or (?!…)");
            p.inside = alternatives(any_case, depth + 1);
            if (!take(")")) refuse("a closing parenthesis");
        } else if (take("[")) {
            p.negative = take("^");
            for (bool first = true; first || !next_is("]"); first = false) {
                if (at_ >= text_.size()) refuse("a closing bracket");
                if (next_is("[") || next_is("&&")) refuse("no brackets inside brackets");
                Pattern::Range r = one();
                if (r.categories == 0 && !r.space && !r.word && next_is("-") && !next_is("-]")) {
                    take("-");
                    const Pattern::Range end = one();
                    if (end.categories != 0 || end.space || end.word || end.first < r.first)
                        refuse("a range of characters");
                    r.last = end.first;
                }
                p.ranges.push_back(r);
            }
            take("]");
        } else if (take(".")) p.negative = true, p.ranges = {{'\n', '\n'}};
        else if (take("^")) p.kind = Pattern::Part::Kind::begin;
        else if (take("$")) p.kind = Pattern::Part::Kind::end;
        else if (next_is("*") || next_is("+") || next_is("?")) refuse("something to repeat");
        else p.ranges = {one()};
        return p;
    }
    /// Reads a character, or a class of characters.
    Pattern::Range one() {
        if (!take("\\")) {
            const std::uint32_t c = character();
            return {c, c};
        }
        const std::uint32_t c = character();
        Pattern::Range r;
        switch (c) {
            case 's': r.space = true; return r;
            case 'S': r.space = r.negative = true; return r;
            case 'w': r.word = true; return r;
            case 'W': r.word = r.negative = true; return r;
            case 'd': r.categories = UC_CATEGORY_MASK_Nd; return r;
            case 'D': r.categories = UC_CATEGORY_MASK_Nd, r.negative = true; return r;
            case 'r': return {'\r', '\r'};
            case 'n': return {'\n', '\n'};
            case 't': return {'\t', '\t'};
            case 'u':
            case 'x': return code(c == 'u' ? 4 : 2);
            case 'p':
            case 'P': return category(c == 'P');
            default: break;
        }
        if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) refuse("a class of characters");
        return {c, c};
    }
    Pattern::Range code(int digits) {
        std::uint32_t c = 0;
        const bool braces = take("{");
        for (int i = 0; braces ? !next_is("}") : i < digits; ++i) {
            const char d = at_ < text_.size() && i < 6 ? text_[at_] : '\0';
            const int value = d >= '0' && d <= '9'   ? d - '0'
                              : d >= 'a' && d <= 'f' ? d - 'a' + 10
                              : d >= 'A' && d <= 'F' ? d - 'A' + 10
                                                     : -1;
            if (value < 0) refuse("hexadecimal digits");
            c = 16 * c + static_cast<std::uint32_t>(value), ++at_;
        }
        if (braces) take("}");
        return {c, c};
    }
    Pattern::Range category(bool negative) {
        if (!take("{")) refuse("a category in braces");
        negative = take("^") != negative;
        const std::size_t end = text_.find('}', at_);
        if (end == text_.npos) refuse("a category in braces");
        const std::string name(text_.substr(at_, end - at_));
        Pattern::Range r;
        r.categories = ::uc_general_category_byname(name.c_str()).bitmask;
        r.negative = negative;
        if (r.categories == 0) refuse("a general category such as L or Nd");
        at_ = end + 1;
        return r;
    }
    Pattern::Part repeated(Pattern::Part p) {
        if (take("?")) p.least = 0, p.most = 1;
        else if (take("*")) p.least = 0, p.most = without_end;
        else if (take("+")) p.least = 1, p.most = without_end;
        else if (take("{")) {
            p.least = next_is(",") ? 0 : number();
            p.most = p.least;
            if (take(",")) p.most = next_is("}") ? without_end : number();
            if (!take("}") || p.most < p.least) refuse("a number of times {m,n}");
            if (next_is("*") || next_is("+") || next_is("?")) refuse("something to repeat");
            return p;
        } else return p;
        if (take("?")) p.lazy = true;
        else if (take("+")) p.possessive = true;
        if (next_is("*") || next_is("+") || next_is("?")) refuse("something to repeat");
        if (p.kind != Pattern::Part::Kind::one && (p.possessive || p.kind != Pattern::Part::Kind::group))
            refuse("a character to repeat, or a group without possessive repetition");
        return p;
    }
};

SIGMA_IMPL Pattern::Pattern(std::string text, const std::string& name) : text_(std::move(text)) {
    if (text_.size() > 1024) throw DataError(name, "", "a pattern of at most 1024 bytes", sentence(text_.size()));
    alternatives_ = PatternReader(text_, name).read();
}

/// Matches by trying alternatives in order, and the most repetitions first.
class PatternMatcher {
public:
    using Then = std::function<bool(std::size_t)>;

    PatternMatcher(std::string_view subject, std::size_t& steps_left) : subject_(subject), steps_left_(steps_left) {}

    bool any(const std::vector<Pattern::Sequence>& alternatives, std::size_t at, const Then& then) {
        for (const Pattern::Sequence& s : alternatives)
            if (from(s, 0, at, then)) return true;
        return false;
    }

private:
    std::string_view subject_;
    std::size_t& steps_left_;
    int depth_ = 0;

    /// Counts nested calls, which the stack limits, whatever pattern a file has.
    struct Deeper {
        explicit Deeper(int& depth) : depth_(depth) {
            if (++depth > 1500)
                throw ArgumentError("text", "at most 1500 nested parts of a match with its pattern", "more");
        }
        ~Deeper() { --depth_; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;

    private:
        int& depth_;
    };

    bool from(const Pattern::Sequence& s, std::size_t i, std::size_t at, const Then& then) {
        if (steps_left_-- == 0)
            throw ArgumentError("text", "less work to match its pattern", "2^22 steps and 256 for each byte");
        const Deeper deeper(depth_);
        if (i == s.size()) return then(at);
        const Pattern::Part& p = s[i];
        using Kind = Pattern::Part::Kind;
        if (p.kind == Kind::begin)  // of a line, as in Oniguruma
            return (at == 0 || subject_[at - 1] == '\n') && from(s, i + 1, at, then);
        if (p.kind == Kind::end) return (at == subject_.size() || subject_[at] == '\n') && from(s, i + 1, at, then);
        if (p.kind == Kind::ahead) {
            const bool there = any(p.inside, at, [](std::size_t) { return true; });
            return there != p.negative && from(s, i + 1, at, then);
        }
        if (p.kind == Kind::group) return groups(s, i, 0, at, then);
        std::size_t count = 0, end = at;
        const std::size_t least_end = p.lazy ? p.least : p.most;
        for (; count < least_end && end < subject_.size() && holds(p, end); ++count)
            end += storage::utf8_length(subject_.substr(end, 4));
        if (count < p.least) return false;
        if (p.lazy)
            for (;; ++count) {
                if (from(s, i + 1, end, then)) return true;
                if (count == p.most || end >= subject_.size() || !holds(p, end)) return false;
                end += storage::utf8_length(subject_.substr(end, 4));
            }
        for (;; --count) {
            if (from(s, i + 1, end, then)) return true;
            if (count == p.least || p.possessive) return false;
            end -= length_before(subject_, end);
        }
    }
    bool groups(const Pattern::Sequence& s, std::size_t i, std::size_t count, std::size_t at, const Then& then) {
        const Pattern::Part& p = s[i];
        const auto once_more = [&] {
            return count < p.most && any(
                                         p.inside, at,
                                         [&](std::size_t end) {
                                             return (end > at || count < p.least) && groups(s, i, count + 1, end, then);
                                         });
        };
        const auto go_on = [&] { return count >= p.least && from(s, i + 1, at, then); };
        return p.lazy ? go_on() || once_more() : once_more() || go_on();
    }
    bool holds(const Pattern::Part& p, std::size_t at) const {
        const std::uint32_t c = storage::utf8_character(subject_.substr(at));
        const auto in = [&](std::uint32_t x) {
            return std::ranges::any_of(p.ranges, [x](const Pattern::Range& r) {
                bool yes = x >= r.first && x <= r.last;
                if (r.space) yes = is_space(x);
                else if (r.word)
                    yes = ::uc_is_property_alphabetic(x) ||
                          ::uc_is_general_category_withtable(
                              x, UC_CATEGORY_MASK_M | UC_CATEGORY_MASK_Nd | UC_CATEGORY_MASK_Pc);
                else if (r.categories != 0) yes = ::uc_is_general_category_withtable(x, r.categories);
                return yes != r.negative;
            });
        };
        return (in(c) || (p.any_case && (in(::uc_tolower(c)) || in(::uc_toupper(c))))) != p.negative;
    }
};

SIGMA_IMPL std::size_t Pattern::end_of_match(std::string_view subject, std::size_t at, std::size_t& steps_left) const {
    std::size_t end = subject.npos;
    PatternMatcher(subject, steps_left).any(alternatives_, at, [&](std::size_t to) {
        end = to;
        return true;
    });
    return end;
}

SIGMA_IMPL std::vector<std::string_view> Cut::parts(std::string_view text) const {
    struct Part {
        std::size_t first, end;
        bool match;
    };
    std::vector<Part> all;
    std::size_t from = 0, steps_left = (std::size_t{1} << 22) + 256 * text.size();
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = pattern.end_of_match(text, at, steps_left);
        if (end == text.npos || end == at) {
            at += storage::utf8_length(text.substr(at, 4));
            continue;
        }
        if (from < at) all.push_back({from, at, inverted});
        all.push_back({at, end, !inverted});
        from = at = end;
    }
    if (from < text.size()) all.push_back({from, text.size(), inverted});
    std::vector<Part> kept;
    const auto join = [&](const auto& parts_in_order, auto grow) {
        bool before = false;
        for (const Part& p : parts_in_order) {
            const bool joins = matches == Matches::contiguous ? !kept.empty() && before == p.match
                                                              : p.match && !before && !kept.empty();
            if (joins) grow(kept.back(), p);
            else kept.push_back(p);
            before = p.match;
        }
    };
    switch (matches) {
        case Matches::isolated: kept = all; break;
        case Matches::removed:
            std::ranges::copy_if(all, std::back_inserter(kept), [](const Part& p) { return !p.match; });
            break;
        case Matches::contiguous:
        case Matches::with_previous: join(all, [](Part& to, const Part& p) { to.end = p.end; }); break;
        case Matches::with_next:
            std::ranges::reverse(all);
            join(all, [](Part& to, const Part& p) { to.first = p.first; });
            std::ranges::reverse(kept);
    }
    std::vector<std::string_view> found;
    for (const Part& p : kept) found.push_back(text.substr(p.first, p.end - p.first));
    return found;
}

SIGMA_IMPL std::size_t length_before(std::string_view text, std::size_t at) {
    std::size_t length = 1;
    while (length < at && (static_cast<unsigned char>(text[at - length]) & 0xC0) == 0x80) ++length;
    return length;
}

}  // namespace sigma::data::detail
