// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `Vocabulary`: numbers of characters and words, and how a text is cut into them. Included by `<sigma/data/data.hpp>`.

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

/// The unit of a token: what a text is cut into.
///
/// @see VocabularyOptions
enum class Unit {
    byte,       ///< One byte each; works with any text.
    character,  ///< One character of UTF-8 each.
    /// Words by Unicode's rule, UAX #29. Two letters are never cut apart, which only a dictionary could do. Every other
    /// character except white space is a token of its own, with its marks.
    word,
    spaced_word  ///< Everything between white space.
};
/// Returns whether a unit is one of words.
/// @param unit  the unit
///
/// @see Unit
constexpr bool is_word(Unit unit) { return unit == Unit::word || unit == Unit::spaced_word; }

/// The rule by which a text becomes tokens.
///
/// Lower case means A to Z for bytes; all characters that have one small letter, for characters; and the Unicode
/// Standard, for words. The locale does not matter. Unless the unit is a byte, a byte-order mark at the front of a text
/// is skipped.
///
/// @see Vocabulary, VocabularyOptions
struct TokenRule {
    Unit unit = Unit::byte;   ///< Unit of a token.
    bool lower_case = false;  ///< Converts texts to lower case.

    /// Compares both members.
    friend bool operator==(const TokenRule&, const TokenRule&) = default;
};

/// The order of the numbers of tokens.
///
/// @see VocabularyOptions
enum class TokenOrder {
    code,      ///< Bytewise order.
    frequency  ///< The most frequent token first; equally frequent tokens by their bytes.
};

/// Options of `Vocabulary`.
///
/// @see Vocabulary
struct VocabularyOptions {
    Unit unit = Unit::byte;   ///< Unit of a token.
    bool lower_case = false;  ///< Converts texts to lower case.
    /// Order of the tokens. Default: words by frequency, characters and bytes by code.
    std::optional<TokenOrder> order{};
    std::size_t min_count = 1;  ///< Leaves out tokens that occur less often.
    /// Largest number of tokens, with special ones. Keeps the most frequent tokens.
    std::size_t max_size = std::numeric_limits<std::size_t>::max();
    /// Special tokens 0, 1, …: "<unk>", "<pad>", "<start>", "<end>", or your own.
    std::vector<std::string> special{};

    /// Returns the rule by which these options cut texts.
    TokenRule rule() const { return {unit, lower_case}; }
};

/// The special token `<unk>`, for tokens that are not in the vocabulary.
///
/// @see VocabularyOptions::special
inline constexpr std::string_view unknown_token = "<unk>";
/// The special token `<pad>`, which fills up incomplete records.
///
/// @see VocabularyOptions::special
inline constexpr std::string_view padding_token = "<pad>";
/// The special token `<start>`, for the beginning of a text.
///
/// @see VocabularyOptions::special
inline constexpr std::string_view start_token = "<start>";
/// The special token `<end>`, for the end of a text.
///
/// @see VocabularyOptions::special
inline constexpr std::string_view end_token = "<end>";

/// The largest vocabulary, 2^24 tokens: records store numbers of tokens as floats, which hold integers up to this one.
///
/// @see Vocabulary
inline constexpr std::size_t largest_vocabulary = std::size_t{1} << 24;

/// The tokens of a text and their numbers 0 to size() - 1: special tokens first, then the others in their order.
///
/// A vocabulary stores how texts are cut, so that it encodes new texts by the same rule.
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const Source text = memory(tiny_shakespeare());
/// const Vocabulary letters(text);  // bytes, by their codes
/// const Vocabulary vocabulary(text, {.unit = Unit::word, .max_size = 10'000, .special = {"<pad>", "<unk>"}});
/// const auto numbers = vocabulary.encode("To be");
/// @endcode
///
/// @see characters, words, SubwordTokenizer, docs/text.md
class Vocabulary {
public:
    /// Constructs the vocabulary of a text.
    /// @param text     the text
    /// @param options  unit, order, size, special tokens
    /// @throws DataError      if the text is not UTF-8 (unless the unit is a byte)
    /// @throws ArgumentError  if an option is out of range
    explicit Vocabulary(std::string_view text, const VocabularyOptions& options = {});
    /// Constructs the vocabulary of a text, which is read once, a piece at a time.
    /// @param source   the text; compressed text needs `unpacked(source)`
    /// @param options  unit, order, size, special tokens
    /// @throws DataError      if the text cannot be read, is compressed, or is not UTF-8 (unless the unit is a byte)
    /// @throws ArgumentError  if an option is out of range
    explicit Vocabulary(const Source& source, const VocabularyOptions& options = {});
    /// Constructs a vocabulary of given tokens.
    /// @param rule     how texts are cut
    /// @param tokens   tokens 0, 1, …
    /// @param special  how many of the first tokens are special ones, default 0
    /// @throws ArgumentError  if a token occurs twice or is no token by the rule
    Vocabulary(TokenRule rule, std::vector<std::string> tokens, std::size_t special = 0);

    /// Returns the number of tokens.
    std::size_t size() const { return tokens_.size(); }
    /// Returns the rule by which texts are cut.
    TokenRule rule() const { return rule_; }
    /// Returns all tokens, in the order of their numbers.
    const std::vector<std::string>& tokens() const& { return tokens_; }
    /// @copydoc tokens
    std::vector<std::string> tokens() && { return std::move(tokens_); }
    /// Returns the number of special tokens. They have the first numbers.
    std::size_t special() const { return special_; }

    /// Returns the number of a token, or nothing if there is no such token.
    /// @param token  the token
    std::optional<std::size_t> find(std::string_view token) const { return optional(own_id(token)); }
    /// Returns whether there is such a token.
    /// @param token  the token
    bool contains(std::string_view token) const { return find(token).has_value(); }
    /// Returns whether there is such a token.
    /// @param byte  the token, one byte
    bool contains(char byte) const { return contains(std::string_view(&byte, 1)); }

    /// Returns the number of a token, or that of `<unk>` if there is no such token.
    /// @param token  the token
    /// @throws ArgumentError  if there is neither the token nor `<unk>`
    std::size_t id(std::string_view token) const;
    /// Returns the number of a token of one byte, or that of `<unk>` if there is no such token.
    /// @param byte  the token, one byte
    /// @throws ArgumentError  if there is neither the token nor `<unk>`
    std::size_t id(char byte) const { return id(std::string_view(&byte, 1)); }
    /// Returns the number of a token, or that of `<unk>`, or `none` if there is neither.
    /// @param token  the token
    std::size_t id_or_unknown(std::string_view token) const;
    static constexpr std::size_t none = ~std::size_t{0};  ///< The number of no token.

    /// Returns a token.
    /// @param id  number of the token, from 0
    /// @throws ArgumentError  if there is no such token
    const std::string& token(std::size_t id) const&;
    /// @copydoc token
    std::string token(std::size_t id) && { return token(id); }
    /// Returns a token of one byte.
    /// @param id  number of the token, from 0
    /// @throws ArgumentError  if there is no such token, or it is not one byte
    char character(std::size_t id) const;

    /// Converts a text to the numbers of its tokens.
    /// @param text  the text
    /// @return numbers of tokens
    /// @throws DataError      if the text is not UTF-8 (unless the unit is a byte)
    /// @throws ArgumentError  if a token is not in the vocabulary and there is no `<unk>`
    std::vector<std::size_t> encode(std::string_view text) const;
    /// Converts numbers of tokens to a text, words with a space between them.
    /// @param ids  numbers of tokens
    /// @return the text
    /// @throws ArgumentError  if a number is that of no token
    std::string decode(const std::vector<std::size_t>& ids) const;
    /// Converts numbers of tokens to a text, as records hold them: `decode(dataset.input(0))`.
    /// @param ids  numbers of tokens
    /// @return the text
    /// @throws ArgumentError  if a number is that of no token
    std::string decode(std::span<const float> ids) const;

    /// Returns the vocabulary as a text with a line for each token, to be stored with a model. See vocabulary.ipp.
    std::string text() const;
    /// Reads a text of `text()`.
    /// @param text  the text
    /// @param name  name in errors, default "vocabulary"
    /// @return the vocabulary
    /// @throws DataError  if the text is invalid; the error names the line
    static Vocabulary parse(std::string_view text, const std::string& name = "vocabulary");
    /// Writes a file of `text()`.
    /// @param path  path of the file, which is replaced as a whole
    /// @throws StorageError  if the file cannot be written
    void save(const std::string& path) const;
    /// Reads a file of `save`.
    /// @param path  path of the file
    /// @return the vocabulary
    /// @throws DataError  if the file cannot be read or is invalid
    static Vocabulary load(const std::string& path);
    /// Reads a file of `save`.
    /// @param source  the bytes of the file
    /// @return the vocabulary
    /// @throws DataError  if the file cannot be read or is invalid
    static Vocabulary load(const Source& source);

    /// Compares rules and tokens.
    /// @param left  one vocabulary
    /// @param right  the other one
    friend bool operator==(const Vocabulary& left, const Vocabulary& right) {
        return left.rule_ == right.rule_ && left.special_ == right.special_ && left.tokens_ == right.tokens_;
    }

    /// Returns the name of tokens in errors: "characters" or "words".
    const char* noun() const { return is_word(rule_.unit) ? "words" : "characters"; }

private:
    static std::optional<std::size_t> optional(std::size_t id);
    std::size_t own_id(std::string_view token) const;
    void append(std::string& text, std::size_t id) const;

    TokenRule rule_;
    std::vector<std::string> tokens_;
    std::size_t special_ = 0;
    struct Ids;
    sigma::detail::SharedOwner<const Ids> ids_;  ///< Numbers of all tokens, also of those of several bytes.
    std::array<std::size_t, 256> of_byte_{};
    std::size_t unknown_ = none;
};

}  // namespace sigma::data

// Properties of Unicode characters, by libunistring, which does not depend on the locale.
namespace sigma::data::detail {

/// Returns whether a character has the property White_Space of the Unicode Character Database.
constexpr bool is_space(std::uint32_t c) {
    if (c < 0x80) return c == ' ' || (c >= 9 && c <= 13);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

constexpr char lower_byte(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

}  // namespace sigma::data::detail

namespace sigma::data {

/// The limit of words, in bytes: a file that is no text may have no white space at all.
///
/// @see Tokenizer
inline constexpr std::size_t longest_word = std::size_t{1} << 16;

/// Cuts a text into tokens, a piece at a time. Throws DataError with the number of the byte if a text is not UTF-8.
///
/// @see Vocabulary
class Tokenizer {
public:
    /// Constructs a tokenizer.
    /// @param rule  how the text is cut
    /// @param name  name of the text in errors
    Tokenizer(TokenRule rule, std::string name) : rule_(rule), name_(std::move(name)) {}

    /// Cuts the next bytes of the text.
    /// @param bytes  the bytes
    /// @param visit  called as `visit(token, byte)` for each token that ends in what was fed so far, with the number of
    /// its
    ///               first byte; the memory of the token is valid during the call only
    template <class Visit>
    void feed(std::string_view bytes, Visit&& visit) {
        if (!rest_.empty()) bytes = rest_ += bytes;
        const std::size_t used = cut(bytes, false, visit);
        rest_ = std::string(bytes.substr(used));
        position_ += used;
    }
    /// Ends the text, and cuts the last tokens.
    /// @param visit  called as by `feed`
    template <class Visit>
    void finish(Visit&& visit) {
        position_ += cut(rest_, true, visit);
        rest_.clear();
    }

private:
    static constexpr std::size_t wait = 0;

    /// Returns how many bytes of `text` are done.
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

    /// Returns the length of the character at `at`, or `wait` if its last bytes may still follow.
    std::size_t character(std::string_view text, std::size_t at, bool last) const;

    // Returns the end of one word that begins at `first`, or `wait` if more of it may follow.
    std::size_t end_of_word(std::string_view text, std::size_t first, bool last) const;
    std::size_t end_of_spaced_word(std::string_view text, std::size_t first, bool last) const;

    /// Returns the length of the next character inside words, at `at`; `wait` as above, and at the end of the text.
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
