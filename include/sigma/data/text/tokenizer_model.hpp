// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/text/pattern.hpp>
#include <sigma/data/text/pieces.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sigma::data {
struct WordPieceOptions;
}

// Parts that the bodies of SubwordTokenizer share.
namespace sigma::data::detail {

inline constexpr std::size_t no_token = ~std::size_t{0};

/// A text that is one token wherever it occurs.
struct AddedToken {
    std::string content{};
    std::size_t id = 0;
    bool single_word = false;    ///< not inside words
    bool lstrip = false;         ///< includes white space before it
    bool rstrip = false;         ///< includes white space after it
    bool normalized = true;      ///< searched in the normalized text
    bool special = false;        ///< stands for no text
    bool in_vocabulary = false;  ///< true: a token of the model, too
    std::string wanted = {};     ///< the text to search for
};
struct Merge {
    std::uint32_t rank = 0, token = 0;
};
/// Changes of a text before it is cut into words, in this order.
struct TextRules {
    bool clean = false;          ///< removes control characters; makes every white space a space
    bool space_chinese = false;  ///< puts spaces around CJK characters
    bool strip_accents = false;  ///< removes marks that take no place
    bool lower_case = false;
    const char* form = nullptr;                                   ///< normal form of Unicode, "NFC"
    std::string prepended{};                                      ///< put before a text that is not empty
    std::vector<std::pair<std::string, std::string>> replaced{};  ///< texts and their replacements
};
/// The tokens of words seen before, up to a limit.
using WordCache = std::unordered_map<std::string, std::vector<std::uint32_t>, TextHash, std::equal_to<>>;

struct TokenizerModel {
    bool word_pieces = false;  ///< true: WordPiece; false: BPE
    std::vector<std::string> tokens{};
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> ids{};
    std::vector<AddedToken> added{};
    std::vector<bool> special{};     ///< special tokens, by number
    std::vector<bool> as_written{};  ///< added tokens that are their own text, not the result of merges, by number
    std::vector<std::size_t> front{}, back{};  ///< tokens around a text
    TextRules rules{};
    std::string unknown{};
    std::size_t unknown_id = no_token;

    // BPE
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs{};  ///< pairs to merge, the first ones first
    std::unordered_map<std::uint64_t, Merge> merges{};             ///< merge of each pair of numbers
    std::array<std::size_t, 256> of_byte{};
    bool add_prefix_space = false, words_by_rule = true, whole_words_first = false;
    /// True: tokens are texts, with bytes as "<0x0A>" for characters without a token; false: letters stand for bytes.
    bool by_characters = false;
    bool one_unknown = false;                                    ///< one unknown token for several characters in a row
    std::vector<std::pair<std::string, std::string>> decoded{};  ///< texts in tokens, and their meaning
    std::size_t stripped = 0;                                    ///< spaces to remove from the front of decoded text
    std::vector<Cut> cuts{};                                     ///< cuts before the rule for words

    // WordPiece
    std::string prefix = "##";  ///< mark of tokens inside words
    std::size_t most_characters = 100, longest_token = 0;
    bool cleanup = true;

    /// Computes the members that follow from the others. Throws DataError for `name`.
    void complete(const std::string& name);
    /// Returns the number of a token of the model itself, or no_token. Tokens that are only added are no part of words.
    std::size_t of_vocabulary(std::string_view token) const;

private:
    friend class AddedTokens;
    std::array<std::vector<std::uint32_t>, 2> in_order_{};  ///< added tokens by `wanted`, and the normalized ones
    std::vector<bool> only_added_{};
};

constexpr std::uint64_t both(std::size_t a, std::size_t b) { return std::uint64_t{a} << 32 | b; }

/// Appends tokens of one word, from the cache or by cut(word).
template <class Cut>
void append_word(WordCache& cache, std::string_view word, std::vector<std::size_t>& to, Cut cut) {
    const auto append = [&](const std::vector<std::uint32_t>& tokens) {
        to.insert(to.end(), tokens.begin(), tokens.end());
    };
    if (word.size() > 64) return append(cut(word));
    auto found = cache.find(word);
    if (found == cache.end()) {
        if (cache.size() == std::size_t{1} << 16) cache.clear();
        found = cache.emplace(word, cut(word)).first;
    }
    append(found->second);
}

/// Throws DataError unless the text is UTF-8. Its first byte has the number `first`.
void require_utf8(std::string_view text, const std::string& name, std::uint64_t first);
/// Normalizes valid UTF-8.
std::string normalized(const TextRules& rules, std::string_view text);
/// Appends the tokens of a text without special tokens around it. `begins` means that a text begins here, or after an
/// added token; it is updated for the next call.
void encode_text(const TokenizerModel& model, std::string_view text, bool& begins, WordCache& cache,
                 std::vector<std::size_t>& to);
/// Returns the last place at which both parts give the tokens of the whole text; 0 if there is none.
std::size_t last_cut(std::string_view text);
/// Throws DataError if so many bytes wait for such a place that they cannot be a text.
void require_white_space(const std::string& name, std::uint64_t byte, std::size_t waiting);

// BPE
/// Returns the end of a GPT-2 word that begins at a byte,
std::size_t end_of_gpt2_word(std::string_view text, std::size_t at);
void encode_by_pairs(const TokenizerModel& model, std::string_view text, bool begins, WordCache& cache,
                     std::vector<std::size_t>& to);
/// Returns the letters that stand for bytes in tokens (Radford et al. 2019).
std::string letters_of_bytes(std::string_view bytes);
void append_bytes_of_letters(std::string& to, std::string_view letters);
/// Returns the token of a byte: "<0x0A>".
std::string token_of_byte(unsigned char byte);
/// Appends the meaning of tokens of texts and bytes to a text.
void append_characters(const TokenizerModel& model, std::string& to, const std::vector<std::string_view>& tokens);
/// Replaces each `what` in a text.
std::string with_replaced(std::string text, const std::string& what, const std::string& by);

// WordPiece
void encode_by_pieces(const TokenizerModel& model, std::string_view text, WordCache& cache,
                      std::vector<std::size_t>& to);
void append_piece(const TokenizerModel& model, std::string& to, std::string_view token, bool first);

/// Returns the contents of a file of the whole tokenizer.
std::string tokenizer_text(const TokenizerModel& model);
TokenizerModel parse_tokenizer(std::string_view text, const std::string& name);
TokenizerModel parse_word_pieces(std::string_view text, const std::string& name, const WordPieceOptions& options);

}  // namespace sigma::data::detail
