// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/owners.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/storage/utf8.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::data {

/// What a text is cut into.
///   byte         one byte each; any text
///   character    one character of UTF-8 each
///   word         by Unicode's rule, UAX #29, but two letters are never cut apart: only a dictionary could do that;
///                every other character but white space by itself, with its marks
///   spaced_word  whatever stands between white space
enum class Unit { byte, character, word, spaced_word };

constexpr bool is_word(Unit unit) { return unit == Unit::word || unit == Unit::spaced_word; }

/// How a text becomes tokens. Small letters: A-Z where the unit is a byte; of characters all that have one small
/// letter; of words as The Unicode Standard has it. No locale matters. Where the unit is no byte, a byte-order mark at
/// the front of a text is not part of it.
struct TokenRule {
    Unit unit = Unit::byte;
    bool lower_case = false;

    friend bool operator==(const TokenRule&, const TokenRule&) = default;
};

/// Which token gets the lower number: the one whose bytes come first, or the more frequent one, of equally frequent
/// ones that whose bytes come first.
enum class TokenOrder { code, frequency };

struct VocabularyOptions {
    Unit unit = Unit::byte;
    bool lower_case = false;
    /// Without it words by frequency, characters by code.
    std::optional<TokenOrder> order{};
    /// Tokens that are rarer are left out.
    std::size_t min_count = 1;
    /// Only the most frequent tokens; with the special ones there are at most that many.
    std::size_t max_size = std::numeric_limits<std::size_t>::max();
    /// Numbers 0, 1, …: any of <unk>, <pad>, <start>, <end>, and others as the user likes.
    std::vector<std::string> special{};

    TokenRule rule() const { return {unit, lower_case}; }
};

/// Tokens that stand for no text. <unk> is what a token that is not in the vocabulary becomes.
inline constexpr std::string_view unknown_token = "<unk>", padding_token = "<pad>", start_token = "<start>",
                                  end_token = "<end>";

/// Numbers of tokens are stored as floats, which hold integers up to this.
inline constexpr std::size_t largest_vocabulary = std::size_t{1} << 24;

/// The tokens of a text and their numbers 0 … size() - 1: the special ones first, as they are given, then the others in
/// their order. It knows how text is cut, so that what it encodes is what it was made of.
///
///     const Vocabulary letters(text);                                                  // bytes, by their codes
///     const Vocabulary words(source, {.unit = Unit::word, .max_size = 10'000, .special = {"<pad>", "<unk>"}});
class Vocabulary {
public:
    explicit Vocabulary(std::string_view text, const VocabularyOptions& options = {});
    /// Reads the source once, a piece after the other; a packed one wants unpacked(source), else it is a DataError.
    explicit Vocabulary(const Source& source, const VocabularyOptions& options = {});
    /// The first `special` tokens are special ones. Throws ArgumentError where a token is there twice or cannot be one.
    Vocabulary(TokenRule rule, std::vector<std::string> tokens, std::size_t special = 0);

    std::size_t size() const { return tokens_.size(); }
    TokenRule rule() const { return rule_; }
    const std::vector<std::string>& tokens() const& { return tokens_; }
    std::vector<std::string> tokens() && { return std::move(tokens_); }
    /// How many special tokens there are: those with the first numbers.
    std::size_t special() const { return special_; }

    std::optional<std::size_t> find(std::string_view token) const { return optional(own_id(token)); }
    bool contains(std::string_view token) const { return find(token).has_value(); }
    bool contains(char c) const { return contains(std::string_view(&c, 1)); }

    /// The number of a token, of <unk> where it has none. Throws ArgumentError where there is no <unk> either.
    std::size_t id(std::string_view token) const;
    std::size_t id(char c) const { return id(std::string_view(&c, 1)); }
    /// The same, but `none` instead of the error.
    std::size_t id_or_unknown(std::string_view token) const;
    static constexpr std::size_t none = ~std::size_t{0};

    const std::string& token(std::size_t id) const&;
    std::string token(std::size_t id) && { return token(id); }
    /// The same where every token is a byte.
    char character(std::size_t id) const;

    /// Throws DataError where the text is not UTF-8 (unless the unit is a byte), ArgumentError as id() does.
    std::vector<std::size_t> encode(std::string_view text) const;
    /// The tokens one after the other, words with a space between them.
    std::string decode(const std::vector<std::size_t>& ids) const;
    /// The same for numbers as records hold them: decode(dataset.input(0)).
    std::string decode(std::span<const float> ids) const;

    /// All of it as text, to be stored with a model; a line for each token. impl/vocabulary_file.ipp has the format.
    std::string text() const;
    /// From such a text. Throws DataError with the line; `name` is what errors call it.
    static Vocabulary parse(std::string_view text, const std::string& name = "vocabulary");
    /// To and from a file of this text. Throws StorageError and DataError.
    void save(const std::string& path) const;
    static Vocabulary load(const std::string& path);
    static Vocabulary load(const Source& source);

    friend bool operator==(const Vocabulary& a, const Vocabulary& b) {
        return a.rule_ == b.rule_ && a.special_ == b.special_ && a.tokens_ == b.tokens_;
    }

    /// "characters", "words": what errors call tokens.
    const char* noun() const { return is_word(rule_.unit) ? "words" : "characters"; }

private:
    static std::optional<std::size_t> optional(std::size_t id);
    std::size_t own_id(std::string_view token) const;
    void append(std::string& text, std::size_t id) const;

    TokenRule rule_;
    std::vector<std::string> tokens_;
    std::size_t special_ = 0;
    struct Ids;
    sigma::detail::SharedOwner<const Ids> ids_;  ///< of tokens of several bytes, too
    std::array<std::size_t, 256> of_byte_{};
    std::size_t unknown_ = none;
};

}  // namespace sigma::data

/// What the characters of Unicode are: by libunistring, which asks no locale.
namespace sigma::data::detail {

/// White_Space of the Unicode Character Database.
constexpr bool is_space(std::uint32_t c) {
    if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

constexpr char lower_byte(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

}  // namespace sigma::data::detail

namespace sigma::data {

/// A word may be so many bytes long: a file that is no text may not have a white space at all.
inline constexpr std::size_t longest_word = std::size_t{1} << 16;

/// Cuts a text into tokens, a piece after the other. Throws DataError with the byte where text is not UTF-8.
class Tokenizer {
public:
    /// `name` is what errors call the text.
    Tokenizer(TokenRule rule, std::string name) : rule_(rule), name_(std::move(name)) {}

    /// Calls visit(token, byte) for each token that ends in what has been fed so far, with the place of its first byte;
    /// the token's memory is there for that call only.
    template <class Visit>
    void feed(std::string_view bytes, Visit&& visit) {
        if (!rest_.empty()) bytes = rest_ += bytes;
        const std::size_t used = cut(bytes, false, visit);
        rest_ = std::string(bytes.substr(used));
        position_ += used;
    }
    /// The text ends: the last tokens.
    template <class Visit>
    void finish(Visit&& visit) {
        position_ += cut(rest_, true, visit);
        rest_.clear();
    }

private:
    static constexpr std::size_t wait = 0;

    /// How many bytes of `text` are done with.
    template <class Visit>
    std::size_t cut(std::string_view text, bool last, Visit& visit) {
        if (rule_.unit == Unit::byte) return cut_bytes(text, visit);
        std::size_t at = 0;
        if (position_ == 0) {
            constexpr std::string_view mark = "\xEF\xBB\xBF";
            if (!last && text.size() < mark.size()) return 0;
            if (text.starts_with(mark)) at = mark.size();
        }
        while (at < text.size()) {
            const std::size_t length = character(text, at, last);
            if (length == wait) break;
            std::size_t end = at + length;
            if (is_word(rule_.unit)) {
                const std::uint32_t first = storage::utf8_character(text.substr(at));
                if (detail::is_space(first)) {
                    at = end;
                    continue;
                }
                end = rule_.unit == Unit::word ? end_of_word(text, at, last) : end_of_spaced_word(text, at, last);
                if (end == wait) break;
            }
            visit(token(text.substr(at, end - at)), position_ + at);
            at = end;
        }
        return at;
    }

    template <class Visit>
    std::size_t cut_bytes(std::string_view text, Visit& visit) {
        for (std::size_t i = 0; i < text.size(); ++i) {
            const char c = rule_.lower_case ? detail::lower_byte(text[i]) : text[i];
            visit(std::string_view(&c, 1), position_ + i);
        }
        return text.size();
    }

    /// The length of the character at `at`; `wait` where its last bytes may still come.
    std::size_t character(std::string_view text, std::size_t at, bool last) const;

    // Where the word that begins at `first` ends; `wait` where more of it may still come.
    std::size_t end_of_word(std::string_view text, std::size_t first, bool last) const;
    std::size_t end_of_spaced_word(std::string_view text, std::size_t first, bool last) const;

    /// The length of the next character of a word, at `at`: `wait` as above, and at the end of the text.
    std::size_t next_of_word(std::string_view text, std::size_t first, std::size_t at, bool last) const;

    std::string_view token(std::string_view text);

    TokenRule rule_;
    std::string name_;
    std::string rest_, lowered_;
    std::uint64_t position_ = 0;
};

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/text/impl/vocabulary.ipp>
#endif
