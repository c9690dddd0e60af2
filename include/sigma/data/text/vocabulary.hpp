// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/source/source.hpp>
#include <sigma/data/text/count.hpp>
#include <sigma/data/text/tokens.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
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
    const TokenRule& rule() const { return rule_; }
    const std::vector<std::string>& tokens() const { return tokens_; }
    /// How many special tokens there are: those with the first numbers.
    std::size_t special() const { return special_; }

    std::optional<std::size_t> find(std::string_view token) const { return optional(own_id(token)); }
    bool contains(std::string_view token) const { return find(token).has_value(); }
    bool contains(char c) const { return contains(std::string_view(&c, 1)); }

    /// The number of a token, of <unk> where it has none. Throws ArgumentError where there is no <unk> either.
    std::size_t id(std::string_view token) const {
        if (const std::size_t found = id_or_unknown(token); found != none) return found;
        throw ArgumentError("vocabulary", sentence("one of its ", size(), " ", noun()), storage::quotation(token));
    }
    std::size_t id(char c) const { return id(std::string_view(&c, 1)); }
    /// The same, but `none` instead of the error.
    std::size_t id_or_unknown(std::string_view token) const {
        const std::size_t found = own_id(token);
        return found == none ? unknown_ : found;
    }
    static constexpr std::size_t none = ~std::size_t{0};

    const std::string& token(std::size_t id) const {
        if (id >= size()) throw ArgumentError("vocabulary", sentence("a number from 0 to ", size() - 1), sentence(id));
        return tokens_[id];
    }
    /// The same where every token is a byte.
    char character(std::size_t id) const {
        if (token(id).size() != 1) throw ArgumentError("vocabulary", "a token of one byte", storage::quotation(token(id)));
        return tokens_[id][0];
    }

    /// Throws DataError where the text is not UTF-8 (unless the unit is a byte), ArgumentError as id() does.
    std::vector<std::size_t> encode(std::string_view text) const {
        std::vector<std::size_t> ids;
        const auto visit = [&](std::string_view token, std::uint64_t) { ids.push_back(id(token)); };
        Tokenizer tokenizer(rule_, "text");
        tokenizer.feed(text, visit);
        tokenizer.finish(visit);
        return ids;
    }
    /// The tokens one after the other, words with a space between them.
    std::string decode(const std::vector<std::size_t>& ids) const {
        std::string text;
        for (const std::size_t i : ids) append(text, i);
        return text;
    }
    /// The same for numbers as records hold them: decode(dataset.input(0)).
    std::string decode(std::span<const float> ids) const {
        std::string text;
        for (const float number : ids) {
            if (!(number >= 0 && number < static_cast<float>(size()) && std::floor(number) == number))
                throw ArgumentError("vocabulary", sentence("a number from 0 to ", size() - 1), sentence(number));
            append(text, static_cast<std::size_t>(number));
        }
        return text;
    }

    /// All of it as text, to be stored with a model; a line for each token. vocabulary_file.hpp has the format.
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
    static std::optional<std::size_t> optional(std::size_t id) {
        return id == none ? std::nullopt : std::optional<std::size_t>(id);
    }
    std::size_t own_id(std::string_view token) const {
        if (token.size() == 1) return of_byte_[static_cast<unsigned char>(token[0])];
        const auto found = ids_.find(token);
        return found == ids_.end() ? none : found->second;
    }
    void append(std::string& text, std::size_t id) const {
        if (is_word(rule_.unit) && !text.empty()) text += ' ';
        text += token(id);
    }

    TokenRule rule_;
    std::vector<std::string> tokens_;
    std::size_t special_ = 0;
    std::unordered_map<std::string, std::size_t, detail::TextHash, std::equal_to<>> ids_;
    std::array<std::size_t, 256> of_byte_{};
    std::size_t unknown_ = none;
};

namespace detail {

/// Why this can be no token of a vocabulary; null where it can.
inline const char* token_fault(std::string_view token, Unit unit, bool special) {
    if (token.empty()) return "none";
    if (!special && unit == Unit::byte) return token.size() == 1 ? nullptr : "more than one byte";
    if (storage::utf8_fault(token) != token.npos) return "bytes that are not UTF-8";
    const bool single = storage::utf8_length(token) == token.size();
    if (special) return single ? "a single character, which a text may have" : nullptr;
    if (unit == Unit::character) return single ? nullptr : "more than one character";
    for (std::size_t i = 0; i < token.size(); i += storage::utf8_length(token.substr(i)))
        if (is_space(code_point(token.substr(i)))) return "white space";
    return token.size() > longest_word ? "a word that is too long" : nullptr;
}

inline const char* token_rule_text(Unit unit, bool special) {
    if (special) return "a special token of at least two characters";
    return unit == Unit::byte ? "one byte" : unit == Unit::character ? "one character" : "a word";
}

}  // namespace detail

[[gnu::cold]] inline Vocabulary::Vocabulary(TokenRule rule, std::vector<std::string> tokens, std::size_t special)
    : rule_(rule), tokens_(std::move(tokens)), special_(special) {
    if (tokens_.empty() || tokens_.size() > largest_vocabulary || special_ > tokens_.size())
        throw ArgumentError("vocabulary", sentence("1 to ", largest_vocabulary, " tokens, special ones among them"),
                            sentence(tokens_.size(), " tokens and ", special_, " special ones"));
    of_byte_.fill(none);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const std::string& token = tokens_[i];
        if (const char* fault = detail::token_fault(token, rule_.unit, i < special_))
            throw ArgumentError(sentence("token ", i, " of a vocabulary"), detail::token_rule_text(rule_.unit, i < special_),
                                fault);
        if (!ids_.emplace(token, i).second)
            throw ArgumentError(sentence("token ", i, " of a vocabulary"), "each token once",
                                sentence(storage::quotation(token), " again"));
        if (token.size() == 1) of_byte_[static_cast<unsigned char>(token[0])] = i;
    }
    unknown_ = own_id(unknown_token);
}

inline Vocabulary::Vocabulary(std::string_view text, const VocabularyOptions& options)
    : Vocabulary(options.rule(), detail::chosen_tokens(detail::count_tokens(text, options.rule()), options),
                 options.special.size()) {}

inline Vocabulary::Vocabulary(const Source& source, const VocabularyOptions& options)
    : Vocabulary(options.rule(), detail::chosen_tokens(detail::count_tokens(source, options.rule()), options),
                 options.special.size()) {}

}  // namespace sigma::data

#include <sigma/data/text/vocabulary_file.hpp>
