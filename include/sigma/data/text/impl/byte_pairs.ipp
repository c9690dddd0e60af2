// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/text/tokenizer_model.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/storage/utf8.hpp>

#include <unictype.h>
#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <string_view>
#include <tuple>
#include <vector>

namespace sigma::data::detail {

/// The class of a character in GPT-2's rule.
enum class LetterKind { space, letter, number, other };

SIGMA_IMPL LetterKind letter_kind(std::uint32_t c) {
    if (is_space(c)) return LetterKind::space;
    if (::uc_is_general_category_withtable(c, UC_CATEGORY_MASK_L)) return LetterKind::letter;
    return ::uc_is_general_category_withtable(c, UC_CATEGORY_MASK_N) ? LetterKind::number : LetterKind::other;
}
SIGMA_IMPL LetterKind letter_kind(std::string_view text) {
    static const auto ascii = [] {
        std::array<LetterKind, 128> kinds{};
        for (std::uint32_t c = 0; c < kinds.size(); ++c) kinds[c] = letter_kind(c);
        return kinds;
    }();
    const auto byte = static_cast<unsigned char>(text[0]);
    return byte < 0x80 ? ascii[byte] : letter_kind(storage::utf8_character(text));
}

/// Implements the rule 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+.
SIGMA_IMPL std::size_t end_of_gpt2_word(std::string_view text, std::size_t at) {
    if (text[at] == '\'')
        for (const std::string_view behind : {"s", "t", "re", "ve", "m", "ll", "d"})
            if (text.substr(at + 1).starts_with(behind)) return at + 1 + behind.size();
    std::size_t end = at;
    if (text[at] == ' ' && at + 1 < text.size() && letter_kind(text.substr(at + 1)) != LetterKind::space) end = at + 1;
    const LetterKind kind = letter_kind(text.substr(end));
    std::size_t last = end;  // begin of the last character
    while (end < text.size() && letter_kind(text.substr(end)) == kind) {
        last = end;
        end += storage::utf8_length(text.substr(end, 4));
    }
    // The last white space belongs to the following token.
    return kind == LetterKind::space && end < text.size() && last > at ? last : end;
}

/// Returns the characters that stand for bytes: letters for themselves, the others from number 256 on.
SIGMA_IMPL const std::array<std::uint32_t, 256>& byte_letters() {
    static const auto letters = [] {
        std::array<std::uint32_t, 256> all{};
        std::uint32_t next = 256;
        for (std::uint32_t b = 0; b < 256; ++b) all[b] = (b > 32 && b < 127) || (b > 160 && b != 173) ? b : next++;
        return all;
    }();
    return letters;
}
SIGMA_IMPL std::string letters_of_bytes(std::string_view bytes) {
    std::string letters;
    for (const char c : bytes) storage::append_utf8(letters, byte_letters()[static_cast<unsigned char>(c)]);
    return letters;
}
SIGMA_IMPL void append_bytes_of_letters(std::string& to, std::string_view letters) {
    static const auto bytes = [] {
        std::array<int, 324> all{};
        all.fill(-1);
        for (std::size_t b = 0; b < 256; ++b) all[byte_letters()[b]] = static_cast<int>(b);
        return all;
    }();
    const std::size_t begun = to.size();
    for (std::size_t i = 0; i < letters.size(); i += storage::utf8_length(letters.substr(i, 4))) {
        const std::uint32_t c = storage::utf8_character(letters.substr(i));
        if (c >= bytes.size() || bytes[c] < 0) {  // an added token, which is its own text
            to.resize(begun);
            to += letters;
            return;
        }
        to += static_cast<char>(static_cast<unsigned char>(bytes[c]));
    }
}

SIGMA_IMPL std::string token_of_byte(unsigned char byte) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    return {'<', '0', 'x', digits[byte / 16], digits[byte % 16], '>'};
}
/// Returns the byte that a token stands for, or -1.
SIGMA_IMPL int byte_of_token(std::string_view token) {
    if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') return -1;
    int byte = 0;
    for (const char c : token.substr(3, 2)) {
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                 : -1;
        if (digit < 0) return -1;
        byte = 16 * byte + digit;
    }
    return byte;
}
SIGMA_IMPL void append_characters(const TokenizerModel& model, std::string& to,
                                  const std::vector<std::string_view>& tokens) {
    std::string bytes;
    const std::size_t begun = to.size();
    const auto flush = [&] {
        if (storage::utf8_fault(bytes) == bytes.npos) to += bytes;
        else
            for (std::size_t i = 0; i < bytes.size(); ++i) to += "\xEF\xBF\xBD";  // as Hugging Face's decoder
        bytes.clear();
    };
    for (const std::string_view token : tokens) {
        if (const int byte = byte_of_token(token); byte >= 0) {
            bytes += static_cast<char>(static_cast<unsigned char>(byte));
            continue;
        }
        flush();
        std::string text(token);
        for (const auto& [what, means] : model.decoded) text = with_replaced(std::move(text), what, means);
        to += text;
    }
    flush();
    for (std::size_t i = 0; i < model.stripped && to.size() > begun && to[begun] == ' '; ++i) to.erase(begun, 1);
}

/// Merges neighbors in words into tokens: the pair that was learned first comes first, and of equal pairs the one at
/// the front.
class PairMerger {
public:
    PairMerger(const TokenizerModel& model, std::vector<std::uint32_t> tokens) : model_(model) {
        parts_.reserve(tokens.size());
        for (std::size_t i = 0; i < tokens.size(); ++i) parts_.push_back({tokens[i], i == 0 ? 0 : i - 1, i + 1});
        for (std::size_t i = 0; i + 1 < parts_.size(); ++i) propose(i);
    }
    std::vector<std::uint32_t> merged() {
        while (!waiting_.empty()) {
            const auto [rank, at, token] = waiting_.top();
            waiting_.pop();
            // A part that was merged since forms another pair, or none.
            if (parts_[at].token == gone) continue;
            const Merge* const now = merge_at(at);
            if (now == nullptr || now->token != token) continue;
            Part& left = parts_[at];
            const std::size_t right = left.next;
            left.token = token;
            left.next = parts_[right].next;
            parts_[right].token = gone;
            if (left.next < parts_.size()) parts_[left.next].previous = at;
            propose(at);
            if (left.previous != at) propose(left.previous);
        }
        std::vector<std::uint32_t> tokens;
        for (std::size_t i = 0; i < parts_.size(); i = parts_[i].next) tokens.push_back(parts_[i].token);
        return tokens;
    }

private:
    static constexpr std::uint32_t gone = ~std::uint32_t{0};
    struct Part {
        std::uint32_t token;
        std::size_t previous, next;  ///< neighbors; the first part is its own previous one
    };
    const Merge* merge_at(std::size_t at) const {
        const std::size_t next = parts_[at].next;
        if (next >= parts_.size()) return nullptr;
        const auto found = model_.merges.find(both(parts_[at].token, parts_[next].token));
        return found == model_.merges.end() ? nullptr : &found->second;
    }
    void propose(std::size_t at) {
        if (const Merge* const m = merge_at(at)) waiting_.push({m->rank, at, m->token});
    }

    const TokenizerModel& model_;
    std::vector<Part> parts_;
    using Proposal = std::tuple<std::uint32_t, std::size_t, std::uint32_t>;
    std::priority_queue<Proposal, std::vector<Proposal>, std::greater<>> waiting_;
};

SIGMA_IMPL std::vector<std::uint32_t> tokens_by_pairs(const TokenizerModel& model, std::string_view word) {
    if (model.whole_words_first)
        if (const std::size_t id =
                model.of_vocabulary(model.by_characters ? std::string(word) : letters_of_bytes(word));
            id != no_token)
            return {static_cast<std::uint32_t>(id)};
    std::vector<std::uint32_t> tokens;
    if (model.by_characters) {
        bool after_unknown = false;
        for (std::size_t at = 0; at < word.size();) {
            const std::string_view one = word.substr(at, storage::utf8_length(word.substr(at, 4)));
            at += one.size();
            const std::size_t known = model.of_vocabulary(one);
            const auto byte = [&](char c) { return model.of_byte[static_cast<unsigned char>(c)]; };
            const bool as_bytes = std::ranges::all_of(one, [&](char c) { return byte(c) != no_token; });
            if (known != no_token) tokens.push_back(static_cast<std::uint32_t>(known));
            else if (as_bytes)
                for (const char c : one) tokens.push_back(static_cast<std::uint32_t>(byte(c)));
            else if (model.unknown_id == no_token)
                throw ArgumentError("text", "characters with a token in the vocabulary", storage::quotation(one));
            else if (!model.one_unknown || !after_unknown)
                tokens.push_back(static_cast<std::uint32_t>(model.unknown_id));
            after_unknown = known == no_token && !as_bytes;
        }
        return PairMerger(model, std::move(tokens)).merged();
    }
    for (const char c : word) {
        std::size_t id = model.of_byte[static_cast<unsigned char>(c)];
        if (id == no_token) id = model.unknown_id;
        if (id == no_token)
            throw ArgumentError("text", "bytes with a token in the vocabulary",
                                sentence("'", letters_of_bytes({&c, 1}), "'"));
        tokens.push_back(static_cast<std::uint32_t>(id));
    }
    return PairMerger(model, std::move(tokens)).merged();
}

SIGMA_IMPL void encode_by_pairs(const TokenizerModel& model, std::string_view text, bool begins, WordCache& cache,
                                std::vector<std::size_t>& to) {
    std::vector<std::string_view> pieces{text};
    for (const Cut& cut : model.cuts) {
        std::vector<std::string_view> smaller;
        for (const std::string_view piece : pieces) {
            const std::vector<std::string_view> parts = cut.parts(piece);
            smaller.insert(smaller.end(), parts.begin(), parts.end());
        }
        pieces = std::move(smaller);
    }
    for (std::string_view piece : pieces) {
        std::string spaced;
        if (model.add_prefix_space && (begins || !model.cuts.empty()) && !piece.starts_with(' ')) {
            spaced = " ";
            piece = spaced += piece;
        }
        for (std::size_t at = 0; at < piece.size();) {
            const std::size_t end = model.words_by_rule ? end_of_gpt2_word(piece, at) : piece.size();
            append_word(cache, piece.substr(at, end - at), to,
                        [&](std::string_view w) { return tokens_by_pairs(model, w); });
            at = end;
        }
    }
}

}  // namespace sigma::data::detail
