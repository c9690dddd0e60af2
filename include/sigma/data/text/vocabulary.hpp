// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/shared_owner.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/text/vocabulary_options.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::data {

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

namespace detail {

/// Why this can be no token of a vocabulary; null where it can.
const char* token_fault(std::string_view token, Unit unit, bool special);

const char* token_rule_text(Unit unit, bool special);

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/text/impl/vocabulary.ipp>
#include <sigma/data/text/impl/vocabulary_file.ipp>
#endif
