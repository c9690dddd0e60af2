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

/// What the parts of a SubwordTokenizer share, for its bodies only.
namespace sigma::data::detail {

inline constexpr std::size_t no_token = ~std::size_t{0};

/// A text that is one token wherever it stands.
struct AddedToken {
    std::string content{};
    std::size_t id = 0;
    bool single_word = false;    ///< not within a word
    bool lstrip = false;         ///< white space before it is part of it
    bool rstrip = false;         ///< and behind it
    bool normalized = true;      ///< found in what the normalizer has left
    bool special = false;        ///< stands for no text
    bool in_vocabulary = false;  ///< of the model, too
    std::string wanted = {};     ///< what is looked for
};
struct Merge {
    std::uint32_t rank = 0, token = 0;
};
/// What happens to a text before words are looked for: in this order.
struct TextRules {
    bool clean = false;          ///< no control characters, every white space is a space
    bool space_chinese = false;  ///< spaces around characters of CJK
    bool strip_accents = false;  ///< marks that take no place
    bool lower_case = false;
    const char* form = nullptr;                                   ///< of Unicode, "NFC"
    std::string prepended{};                                      ///< to a text that is not empty
    std::vector<std::pair<std::string, std::string>> replaced{};  ///< each such text by the other
};
/// Words whose tokens are known, as long as there are not too many of them.
using WordCache = std::unordered_map<std::string, std::vector<std::uint32_t>, TextHash, std::equal_to<>>;

struct TokenizerModel {
    bool word_pieces = false;  ///< else BPE
    std::vector<std::string> tokens{};
    std::unordered_map<std::string, std::size_t, TextHash, std::equal_to<>> ids{};
    std::vector<AddedToken> added{};
    std::vector<bool> special{};     ///< by number
    std::vector<bool> as_written{};  ///< by number: an added token that no bytes are merged to, which is its own text
    std::vector<std::size_t> front{}, back{};  ///< of a text
    TextRules rules{};
    std::string unknown{};
    std::size_t unknown_id = no_token;

    // of BPE
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs{};  ///< that are merged, the first ones first
    std::unordered_map<std::uint64_t, Merge> merges{};             ///< of both numbers
    std::array<std::size_t, 256> of_byte{};
    bool add_prefix_space = false, words_by_rule = true, whole_words_first = false;
    /// Its tokens are texts, and bytes of what has none, "<0x0A>"; else letters stand for bytes.
    bool by_characters = false;
    bool one_unknown = false;                                    ///< for several characters in a row
    std::vector<std::pair<std::string, std::string>> decoded{};  ///< texts in tokens, and what they mean
    std::size_t stripped = 0;                                    ///< spaces at the front of what is decoded
    std::vector<Cut> cuts{};                                     ///< before the rule for words

    // of WordPiece
    std::string prefix = "##";  ///< of a token within a word
    std::size_t most_characters = 100, longest_token = 0;
    bool cleanup = true;

    /// What follows from the rest. Throws DataError for `name`.
    void complete(const std::string& name);
    /// Of the model itself: what is only added is no part of a word.
    std::size_t of_vocabulary(std::string_view token) const;

private:
    friend class AddedTokens;
    std::array<std::vector<std::uint32_t>, 2> in_order_{};  ///< added tokens by what is looked for; those normalized
    std::vector<bool> only_added_{};
};

constexpr std::uint64_t both(std::size_t a, std::size_t b) { return std::uint64_t{a} << 32 | b; }

/// Where added tokens stand in a text: those that are found before the text is normalized, or those behind.
class AddedTokens {
public:
    /// visit_text(text), visit_token(number) in order.
    template <class VisitText, class VisitToken>
    static void split(const TokenizerModel& model, std::string_view text, bool normalized, VisitText visit_text,
                      VisitToken visit_token) {
        std::size_t from = 0;
        for (std::size_t at = 0; !model.added.empty() && at < text.size();) {
            const AddedToken* const found = at_front(model, text.substr(at), normalized);
            if (found == nullptr) {
                ++at;
                continue;
            }
            std::size_t first = at, last = at += found->wanted.size();
            if (found->single_word && !stands_alone(text, first, last)) continue;
            if (found->lstrip) first = from + without_space_behind(text.substr(from, first - from));
            if (found->rstrip) at = last = without_space_before(text, last);
            if (from < first) visit_text(text.substr(from, first - from));
            visit_token(found->id);
            from = last;
        }
        if (from < text.size()) visit_text(text.substr(from));
    }

private:
    static const AddedToken* at_front(const TokenizerModel& model, std::string_view text, bool normalized);
    static bool stands_alone(std::string_view text, std::size_t first, std::size_t last);
    static std::size_t without_space_behind(std::string_view text);
    static std::size_t without_space_before(std::string_view text, std::size_t at);
};

/// Appends the tokens of a word, which are cut(word) where the cache has them not.
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

/// Throws DataError where it is no UTF-8; its first byte has the number `first`.
void require_utf8(std::string_view text, const std::string& name, std::uint64_t first);
/// Of valid UTF-8.
std::string normalized(const TextRules& rules, std::string_view text);
/// The length of the character that ends there.
std::size_t length_before(std::string_view text, std::size_t at);
/// Appends a text without special tokens around it. `begins`: does a text begin there, or behind an added token? Then
/// it says whether the next one does.
void encode_text(const TokenizerModel& model, std::string_view text, bool& begins, WordCache& cache,
                 std::vector<std::size_t>& to);
/// Where a text may be cut so that both parts give what the whole does: the last such place, 0 if there is none.
std::size_t last_cut(std::string_view text);
/// Throws DataError where so many bytes wait for such a place that they cannot be a text.
void require_white_space(const std::string& name, std::uint64_t byte, std::size_t waiting);

// BPE.
/// Where the word ends that begins there, by GPT-2's rule.
std::size_t end_of_gpt2_word(std::string_view text, std::size_t at);
void encode_by_pairs(const TokenizerModel& model, std::string_view text, bool begins, WordCache& cache,
                     std::vector<std::size_t>& to);
/// The letter that stands for each byte in tokens (Radford et al. 2019).
std::string letters_of_bytes(std::string_view bytes);
void append_bytes_of_letters(std::string& to, std::string_view letters);
/// "<0x0A>"
std::string token_of_byte(unsigned char byte);
/// Appends to a text what tokens of texts and bytes mean.
void append_characters(const TokenizerModel& model, std::string& to, const std::vector<std::string_view>& tokens);
/// Each `what` of a text by another.
std::string with_replaced(std::string text, const std::string& what, const std::string& by);

// WordPiece.
void encode_by_pieces(const TokenizerModel& model, std::string_view text, WordCache& cache,
                      std::vector<std::size_t>& to);
void append_piece(const TokenizerModel& model, std::string& to, std::string_view token, bool first);

/// The file that says all of it.
std::string tokenizer_text(const TokenizerModel& model);
TokenizerModel parse_tokenizer(std::string_view text, const std::string& name);
TokenizerModel parse_word_pieces(std::string_view text, const std::string& name, const WordPieceOptions& options);

}  // namespace sigma::data::detail
