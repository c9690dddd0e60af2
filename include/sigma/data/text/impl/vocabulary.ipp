// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/number_text.hpp>
#include <sigma/data/text/pieces.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/storage/workspace.hpp>

#include <unicase.h>
#include <unictype.h>
#include <uniwbrk.h>
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <new>
#include <unordered_map>

namespace sigma::data::detail {

using TokenCounts = std::unordered_map<std::string, std::uint64_t, TextHash, std::equal_to<>>;

class TokenCounter {
public:
    TokenCounter(TokenRule rule, std::string name) : tokenizer_(rule, std::move(name)) {}

    void feed(std::string_view bytes) {
        tokenizer_.feed(bytes, [this](std::string_view token, std::uint64_t) { add(token); });
    }
    TokenCounts finish() {
        tokenizer_.finish([this](std::string_view token, std::uint64_t) { add(token); });
        for (std::size_t i = 0; i < bytes_.size(); ++i)
            if (bytes_[i] > 0) counts_[std::string(1, static_cast<char>(static_cast<unsigned char>(i)))] += bytes_[i];
        return std::move(counts_);
    }

private:
    void add(std::string_view token) {
        if (token.size() == 1) {
            ++bytes_[static_cast<unsigned char>(token[0])];
        } else if (const auto found = counts_.find(token); found != counts_.end()) {
            ++found->second;
        } else {
            counts_.emplace(token, 1);
        }
    }

    Tokenizer tokenizer_;
    std::array<std::uint64_t, 256> bytes_{};
    TokenCounts counts_;
};

SIGMA_IMPL TokenCounts count_tokens(std::string_view text, TokenRule rule) {
    TokenCounter counter(rule, "text");
    counter.feed(text);
    TokenCounts counts = counter.finish();
    if (counts.empty()) throw ArgumentError("vocabulary", "a text with at least one token", "none");
    return counts;
}

SIGMA_IMPL TokenCounts count_tokens(const Source& source, TokenRule rule) {
    TokenCounter counter(rule, source.name());
    each_piece(source, [&](std::string_view piece) { counter.feed(piece); });
    TokenCounts counts = counter.finish();
    if (counts.empty()) throw DataError(source.name(), "", "a text with at least one token", "none");
    return counts;
}

SIGMA_IMPL std::vector<std::string> chosen_tokens(const TokenCounts& counts, const VocabularyOptions& options) {
    using Counted = std::pair<std::string_view, std::uint64_t>;
    std::vector<Counted> counted;
    for (const auto& [token, count] : counts)
        if (count >= options.min_count && std::ranges::find(options.special, token) == options.special.end())
            counted.emplace_back(token, count);
    const auto by_code = [](const Counted& a, const Counted& b) { return a.first < b.first; };
    const auto by_frequency = [](const Counted& a, const Counted& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    };
    std::ranges::sort(counted, by_frequency);
    const std::size_t special = options.special.size();
    counted.resize(std::min(counted.size(), options.max_size - std::min(special, options.max_size)));
    if (options.order.value_or(is_word(options.unit) ? TokenOrder::frequency : TokenOrder::code) == TokenOrder::code)
        std::ranges::sort(counted, by_code);
    std::vector<std::string> tokens = options.special;
    for (const Counted& each : counted) tokens.emplace_back(each.first);
    return tokens;
}

SIGMA_IMPL void append_escaped(std::string& to, std::string_view token) {
    for (std::size_t i = 0; i < token.size();) {
        const std::size_t length = storage::utf8_length(token.substr(i));
        const auto byte = static_cast<unsigned char>(token[i]);
        if (length == 0 || byte <= ' ' || byte == 0x7F) {
            to += "\\x";
            sigma::detail::append_hexadecimal(to, byte, 2);
        } else if (byte == '\\') {
            to += "\\\\";
        } else {
            to += token.substr(i, length);
        }
        i += length == 0 ? 1 : length;
    }
}

/// Returns why this text can be no token of a vocabulary, or null if it can.
SIGMA_IMPL const char* token_fault(std::string_view token, Unit unit, bool special) {
    if (token.empty()) return "none";
    if (!special && unit == Unit::byte) return token.size() == 1 ? nullptr : "more than one byte";
    if (storage::utf8_fault(token) != token.npos) return "bytes that are not UTF-8";
    const bool single = storage::utf8_length(token) == token.size();
    if (special) return single ? "a single character, which a text may have" : nullptr;
    if (unit == Unit::character) return single ? nullptr : "more than one character";
    for (std::size_t i = 0; i < token.size(); i += storage::utf8_length(token.substr(i)))
        if (is_space(storage::utf8_character(token.substr(i)))) return "white space";
    return token.size() > longest_word ? "a word that is too long" : nullptr;
}

SIGMA_IMPL const char* token_rule_text(Unit unit, bool special) {
    if (special) return "a special token of at least two characters";
    return unit == Unit::byte ? "one byte" : unit == Unit::character ? "one character" : "a word";
}

// A vocabulary as text: one line of properties, then a token a line, in the order of their numbers.
//
//     sigma-vocabulary 1 unit=word lower_case=yes special=2 tokens=10000
//     <pad>
//     <unk>
//     the
//
// Every line ends with \n. A backslash is written \\; spaces, control characters and bytes that are not UTF-8 are
// written \x and two digits of 0-9a-f. Nothing else may be escaped: each vocabulary has exactly one text.

inline constexpr std::array<std::string_view, 4> unit_words{"byte", "character", "word", "spaced-word"};

/// Parses the front of a text. Throws DataError with the line.
class VocabularyParser {
public:
    VocabularyParser(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

    [[noreturn]] void refuse(std::string expected, std::string found) const {
        throw DataError(name_, sentence("line ", line_), std::move(expected), std::move(found));
    }

    std::string_view line() {
        ++line_;
        if (text_.empty()) refuse("a line", "the end");
        const std::size_t end = text_.find('\n');
        if (end == text_.npos) refuse("a line with an end", storage::quotation(text_));
        const std::string_view found = text_.substr(0, end);
        text_.remove_prefix(end + 1);
        return found;
    }
    void finish() {
        if (text_.empty()) return;
        ++line_;
        refuse("the end", storage::quotation(text_.substr(0, text_.find('\n'))));
    }
    std::size_t left() const { return text_.size(); }

    /// Parses `key` and the text after it, up to the next space.
    std::string_view field(std::string_view& line, std::string_view key) const {
        if (!line.starts_with(key)) refuse(sentence("'", key, "'"), storage::quotation(line));
        line.remove_prefix(key.size());
        const std::string_view value = line.substr(0, line.find(' '));
        line.remove_prefix(value.size());
        return value;
    }
    std::size_t number(std::string_view digits) const {
        std::size_t value = 0;
        if (!sigma::detail::read_number(digits, value) || value > largest_vocabulary || sentence(value) != digits)
            refuse(sentence("a number from 0 to ", largest_vocabulary), storage::quotation(digits));
        return value;
    }

    std::string unescaped(std::string_view line) const {
        const auto digit = [](char c) {
            return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        };
        std::string token;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] != '\\') {
                token += line[i];
            } else if (line.substr(i).starts_with("\\\\")) {
                token += line[++i];
            } else {
                const bool complete = line.substr(i).starts_with("\\x") && i + 3 < line.size();
                const int high = complete ? digit(line[i + 2]) : -1, low = complete ? digit(line[i + 3]) : -1;
                if (high < 0 || low < 0)
                    refuse("\\\\ or \\x with two digits of 0-9a-f", storage::quotation(line.substr(i, 4)));
                token += static_cast<char>(static_cast<unsigned char>(16 * high + low));
                i += 3;
            }
        }
        std::string again;
        append_escaped(again, token);
        if (again != line) refuse(storage::quotation(again), storage::quotation(line));
        return token;
    }

private:
    std::string_view text_;
    std::string name_;
    std::size_t line_ = 0;
};

SIGMA_IMPL void append_lower_character(std::string& to, std::string_view character) {
    if (character.size() == 1) to += lower_byte(character[0]);
    else storage::append_utf8(to, ::uc_tolower(storage::utf8_character(character)));
}

/// Appends valid UTF-8 in small letters (The Unicode Standard, section 3.13).
SIGMA_IMPL void append_lower(std::string& to, std::string_view word) {
    if (std::ranges::all_of(word, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
        for (const char c : word) to += lower_byte(c);
        return;
    }
    std::size_t size = 0;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(word.data());
    const std::unique_ptr<std::uint8_t, decltype(&std::free)> lower(
        ::u8_tolower(bytes, word.size(), nullptr, nullptr, nullptr, &size), &std::free);
    if (!lower) throw std::bad_alloc();
    to.append(reinterpret_cast<const char*>(lower.get()), size);
}

// Rules WB4 to WB16 of Unicode Standard Annex #29, between white space. The breaks that they leave between two letters
// are those of scripts without spaces between words (Thai, Lao, Khmer, Burmese, Han, kana), which only a dictionary
// could find. None is made there, nor between a letter and an underscore.

SIGMA_IMPL bool is_word_letter(int kind) { return kind == WBP_ALETTER || kind == WBP_HL; }

/// Returns whether a character is a letter or digit of any script.
SIGMA_IMPL bool is_letter(std::uint32_t c, int kind) {
    return is_word_letter(kind) || kind == WBP_NUMERIC || kind == WBP_KATAKANA ||
           ::uc_is_general_category_withtable(c, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_Nd | UC_CATEGORY_MASK_Nl);
}

/// Decides, character by character, whether words continue.
class WordRule {
public:
    explicit WordRule(std::uint32_t first) { accept(first, ::uc_wordbreak_property(first)); }

    /// `unknown` if the next character that is no mark decides: then call resolved(c, that character).
    enum class Answer { on, ends, unknown };
    Answer next(std::uint32_t c) {
        const int kind = ::uc_wordbreak_property(c);
        if (kind == WBP_EXTEND || kind == WBP_FORMAT || kind == WBP_ZWJ) {  // WB4
            joiner_ = kind == WBP_ZWJ;
            return Answer::on;
        }
        const bool quote = kind == WBP_MIDNUMLET || kind == WBP_SQ;
        if ((joiner_ && ::uc_is_property_extended_pictographic(c)) ||                    // WB3c
            (kind_ == WBP_HL && kind == WBP_SQ) || (geresh_ && is_word_letter(kind)) ||  // WB7a, WB7
            (kind == WBP_EXTENDNUMLET && (letter_ || kind_ == WBP_EXTENDNUMLET)) ||      // WB13a
            (kind_ == WBP_RI && kind == WBP_RI && pair_) ||                              // WB15, WB16
            ((letter_ || kind_ == WBP_EXTENDNUMLET) && is_letter(c, kind))) {  // WB5, WB8 to WB10, WB13, WB13b
            accept(c, kind);
            return Answer::on;
        }
        if ((is_word_letter(kind_) && (quote || kind == WBP_MIDLETTER || (kind_ == WBP_HL && kind == WBP_DQ))) ||
            (kind_ == WBP_NUMERIC && (quote || kind == WBP_MIDNUM)))
            return Answer::unknown;
        return Answer::ends;
    }
    /// Returns whether `c`, for which next() returned `unknown`, and the marks behind it stand inside one word, which
    /// continues with `after`. Then `after` is the last character seen.
    bool resolved(std::uint32_t c, std::uint32_t after) {
        const int between = ::uc_wordbreak_property(c), kind = ::uc_wordbreak_property(after);
        const bool joined = between == WBP_DQ      ? kind == WBP_HL         // WB7b, WB7c
                            : kind_ == WBP_NUMERIC ? kind == WBP_NUMERIC    // WB11, WB12
                                                   : is_word_letter(kind);  // WB6, WB7
        if (joined) accept(after, kind);
        return joined;
    }

    /// Returns whether a character belongs to the character before it.
    static bool is_mark(std::uint32_t c) {
        const int kind = ::uc_wordbreak_property(c);
        return kind == WBP_EXTEND || kind == WBP_FORMAT || kind == WBP_ZWJ;
    }

private:
    void accept(std::uint32_t c, int kind) {
        pair_ = kind == WBP_RI && !(kind_ == WBP_RI && pair_);
        geresh_ = kind_ == WBP_HL && kind == WBP_SQ;
        joiner_ = kind == WBP_ZWJ;
        kind_ = kind;
        letter_ = is_letter(c, kind);
    }

    int kind_ = 0;         ///< kind of the last character that was no mark
    bool letter_ = false;  ///< true: that character is a letter or a digit
    bool geresh_ = false;  ///< true: that character is an apostrophe after a Hebrew letter
    bool joiner_ = false;  ///< true: the last character is U+200D
    bool pair_ = false;    ///< true: an odd number of regional indicators, which form flags, was seen
};

}  // namespace sigma::data::detail

namespace sigma::data {

struct Vocabulary::Ids : std::unordered_map<std::string, std::size_t, detail::TextHash, std::equal_to<>> {};

SIGMA_IMPL std::size_t Vocabulary::id(std::string_view token) const {
    if (const std::size_t found = id_or_unknown(token); found != none) return found;
    throw ArgumentError("vocabulary", sentence("one of its ", size(), " ", noun()), storage::quotation(token));
}

SIGMA_IMPL std::size_t Vocabulary::id_or_unknown(std::string_view token) const {
    const std::size_t found = own_id(token);
    return found == none ? unknown_ : found;
}

SIGMA_IMPL const std::string& Vocabulary::token(std::size_t id) const& {
    if (id >= size()) throw ArgumentError("vocabulary", sentence("a number from 0 to ", size() - 1), sentence(id));
    return tokens_[id];
}

SIGMA_IMPL char Vocabulary::character(std::size_t id) const {
    if (token(id).size() != 1) throw ArgumentError("vocabulary", "a token of one byte", storage::quotation(token(id)));
    return tokens_[id][0];
}

SIGMA_IMPL std::vector<std::size_t> Vocabulary::encode(std::string_view text) const {
    std::vector<std::size_t> ids;
    const auto visit = [&](std::string_view token, std::uint64_t) { ids.push_back(id(token)); };
    Tokenizer tokenizer(rule_, "text");
    tokenizer.feed(text, visit);
    tokenizer.finish(visit);
    return ids;
}

SIGMA_IMPL std::string Vocabulary::decode(const std::vector<std::size_t>& ids) const {
    std::string text;
    for (const std::size_t i : ids) append(text, i);
    return text;
}

SIGMA_IMPL std::string Vocabulary::decode(std::span<const float> ids) const {
    std::string text;
    for (const float number : ids) {
        if (!(number >= 0 && number < static_cast<float>(size()) && std::floor(number) == number))
            throw ArgumentError("vocabulary", sentence("a number from 0 to ", size() - 1), sentence(number));
        append(text, static_cast<std::size_t>(number));
    }
    return text;
}

SIGMA_IMPL std::optional<std::size_t> Vocabulary::optional(std::size_t id) {
    return id == none ? std::nullopt : std::optional<std::size_t>(id);
}

SIGMA_IMPL std::size_t Vocabulary::own_id(std::string_view token) const {
    if (token.size() == 1) return of_byte_[static_cast<unsigned char>(token[0])];
    if (!ids_) return none;  // of a moved-from vocabulary
    const auto found = ids_->find(token);
    return found == ids_->end() ? none : found->second;
}

SIGMA_IMPL void Vocabulary::append(std::string& text, std::size_t id) const {
    if (is_word(rule_.unit) && !text.empty()) text += ' ';
    text += token(id);
}

SIGMA_IMPL Vocabulary::Vocabulary(TokenRule rule, std::vector<std::string> tokens, std::size_t special)
    : rule_(rule), tokens_(std::move(tokens)), special_(special) {
    if (tokens_.empty() || tokens_.size() > largest_vocabulary || special_ > tokens_.size())
        throw ArgumentError("vocabulary", sentence("1 to ", largest_vocabulary, " tokens, special ones among them"),
                            sentence(tokens_.size(), " tokens and ", special_, " special ones"));
    of_byte_.fill(none);
    Ids ids;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const std::string& token = tokens_[i];
        if (const char* fault = detail::token_fault(token, rule_.unit, i < special_))
            throw ArgumentError(sentence("token ", i, " of a vocabulary"),
                                detail::token_rule_text(rule_.unit, i < special_), fault);
        if (!ids.emplace(token, i).second)
            throw ArgumentError(sentence("token ", i, " of a vocabulary"), "each token once",
                                sentence(storage::quotation(token), " again"));
        if (token.size() == 1) of_byte_[static_cast<unsigned char>(token[0])] = i;
    }
    ids_ = sigma::detail::SharedOwner<const Ids>::make(std::move(ids));
    unknown_ = own_id(unknown_token);
}

SIGMA_IMPL Vocabulary::Vocabulary(std::string_view text, const VocabularyOptions& options)
    : Vocabulary(options.rule(), detail::chosen_tokens(detail::count_tokens(text, options.rule()), options),
                 options.special.size()) {}

SIGMA_IMPL Vocabulary::Vocabulary(const Source& source, const VocabularyOptions& options)
    : Vocabulary(options.rule(), detail::chosen_tokens(detail::count_tokens(source, options.rule()), options),
                 options.special.size()) {}

SIGMA_IMPL std::string Vocabulary::text() const {
    std::string all =
        sentence("sigma-vocabulary 1 unit=", detail::unit_words[static_cast<std::size_t>(rule_.unit)],
                 " lower_case=", rule_.lower_case ? "yes" : "no", " special=", special_, " tokens=", size(), '\n');
    for (const std::string& token : tokens_) {
        detail::append_escaped(all, token);
        all += '\n';
    }
    return all;
}

SIGMA_IMPL Vocabulary Vocabulary::parse(std::string_view text, const std::string& name) {
    detail::refuse_packed(std::as_bytes(std::span(text)), name);
    detail::VocabularyParser parser(text, name);
    std::string_view header = parser.line();
    if (const auto version = parser.field(header, "sigma-vocabulary "); version != "1")
        parser.refuse("version 1", storage::quotation(version));
    const std::string_view unit = parser.field(header, " unit=");
    const auto found = std::ranges::find(detail::unit_words, unit);
    if (found == detail::unit_words.end())
        parser.refuse("unit byte, character, word or spaced-word", storage::quotation(unit));
    const std::string_view lower = parser.field(header, " lower_case=");
    if (lower != "yes" && lower != "no") parser.refuse("lower_case yes or no", storage::quotation(lower));
    const std::size_t special = parser.number(parser.field(header, " special="));
    const std::size_t count = parser.number(parser.field(header, " tokens="));
    if (!header.empty()) parser.refuse("the end of the line", storage::quotation(header));
    if (count == 0 || special > count)
        parser.refuse("at least one token, special ones among them",
                      sentence(count, " tokens and ", special, " special ones"));
    if (count > parser.left() / 2)  // each token has at least one character and an end of line
        parser.refuse(sentence("lines for ", count, " tokens"), sentence(parser.left(), " bytes"));

    const TokenRule rule{static_cast<Unit>(found - detail::unit_words.begin()), lower == "yes"};
    std::vector<std::string> tokens;
    std::unordered_map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < count; ++i) {
        tokens.push_back(parser.unescaped(parser.line()));
        if (const char* fault = detail::token_fault(tokens.back(), rule.unit, i < special))
            parser.refuse(detail::token_rule_text(rule.unit, i < special), fault);
        if (const auto [first, fresh] = seen.emplace(tokens.back(), i + 2); !fresh)
            parser.refuse("each token once", sentence("the token of line ", first->second, " again"));
    }
    parser.finish();
    return {rule, std::move(tokens), special};
}

SIGMA_IMPL void Vocabulary::save(const std::string& path) const {
    const std::string all = text();
    write_file_atomically(path, std::as_bytes(std::span(all)));
}

SIGMA_IMPL Vocabulary Vocabulary::load(const std::string& path) {
    return parse(read_text(file(storage::placed(path))), path);
}

SIGMA_IMPL Vocabulary Vocabulary::load(const Source& source) { return parse(read_text(source), source.name()); }

SIGMA_IMPL std::size_t Tokenizer::character(std::string_view text, std::size_t at, bool last) const {
    if (static_cast<unsigned char>(text[at]) < 0x80) return 1;
    const std::string_view rest = text.substr(at, 4);
    const std::size_t length = storage::utf8_length(rest);
    if (length == 0 && (last || rest.size() == 4))
        throw DataError(name_, sentence("byte ", position_ + at), "a character of UTF-8", storage::quotation(rest));
    return length;
}

SIGMA_IMPL std::size_t Tokenizer::next_of_word(std::string_view text, std::size_t first, std::size_t at,
                                               bool last) const {
    if (at == text.size()) return wait;
    if (at - first > longest_word)
        throw DataError(name_, sentence("byte ", position_ + first),
                        sentence("a word of at most ", longest_word, " bytes"), "a longer word");
    return character(text, at, last);
}

SIGMA_IMPL std::size_t Tokenizer::end_of_spaced_word(std::string_view text, std::size_t first, bool last) const {
    std::size_t end = first;
    while (const std::size_t length = next_of_word(text, first, end, last)) {
        if (detail::is_space(storage::utf8_character(text.substr(end)))) return end;
        end += length;
    }
    return last ? end : wait;
}

SIGMA_IMPL std::size_t Tokenizer::end_of_word(std::string_view text, std::size_t first, bool last) const {
    using Answer = detail::WordRule::Answer;
    detail::WordRule rule(storage::utf8_character(text.substr(first)));
    std::size_t end = first + character(text, first, last);
    while (const std::size_t length = next_of_word(text, first, end, last)) {
        const std::uint32_t c = storage::utf8_character(text.substr(end));
        const Answer answer = detail::is_space(c) ? Answer::ends : rule.next(c);
        if (answer == Answer::ends) return end;
        std::size_t at = end + length;
        if (answer == Answer::unknown) {
            std::size_t after = next_of_word(text, first, at, last);
            while (after != wait && detail::WordRule::is_mark(storage::utf8_character(text.substr(at))))
                after = next_of_word(text, first, at += after, last);
            if (after == wait) return last ? end : wait;
            if (!rule.resolved(c, storage::utf8_character(text.substr(at)))) return end;
            at += after;
        }
        end = at;
    }
    return last ? end : wait;
}

SIGMA_IMPL std::string_view Tokenizer::token(std::string_view text) {
    if (!rule_.lower_case) return text;
    lowered_.clear();
    if (rule_.unit == Unit::character) detail::append_lower_character(lowered_, text);
    else detail::append_lower(lowered_, text);
    return lowered_;
}

}  // namespace sigma::data
