// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/text/tokenizer_model.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/storage/utf8.hpp>

#include <unictype.h>
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::data::detail {

/// Returns whether BERT counts a character as punctuation, which includes symbols of ASCII.
SIGMA_IMPL bool is_bert_punctuation(std::uint32_t c) {
    if (c < 0x80) return (c > 32 && c < 48) || (c > 57 && c < 65) || (c > 90 && c < 97) || (c > 122 && c < 127);
    return ::uc_is_general_category_withtable(c, UC_CATEGORY_MASK_P);
}

/// Returns the longest token at the front of the text, then the longest at the front of the rest, with the prefix. Any
/// unknown part makes the whole text unknown.
SIGMA_IMPL std::vector<std::uint32_t> tokens_by_pieces(const TokenizerModel& model, std::string_view word) {
    const std::vector<std::uint32_t> unknown{static_cast<std::uint32_t>(model.unknown_id)};
    const auto inside = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
    if (word.size() - static_cast<std::size_t>(std::ranges::count_if(word, inside)) > model.most_characters)
        return unknown;
    std::vector<std::uint32_t> tokens;
    std::string piece;
    for (std::size_t at = 0; at < word.size();) {
        piece = at == 0 ? "" : model.prefix;
        const std::size_t before = piece.size();
        piece += word.substr(at, model.longest_token);
        std::size_t id = no_token;
        for (; piece.size() > before; piece.pop_back()) {
            const std::size_t end = at + piece.size() - before;
            if (end < word.size() && inside(word[end])) continue;
            if ((id = model.of_vocabulary(piece)) != no_token) break;
        }
        if (id == no_token) return unknown;
        tokens.push_back(static_cast<std::uint32_t>(id));
        at += piece.size() - before;
    }
    return tokens;
}

SIGMA_IMPL void encode_by_pieces(const TokenizerModel& model, std::string_view text, WordCache& cache,
                                 std::vector<std::size_t>& to) {
    std::size_t from = 0;
    const auto word_ends = [&](std::size_t end) {
        if (end > from)
            append_word(cache, text.substr(from, end - from), to,
                        [&](std::string_view w) { return tokens_by_pieces(model, w); });
    };
    for (std::size_t at = 0; at < text.size();) {
        const std::uint32_t c = storage::utf8_character(text.substr(at));
        const std::size_t length = storage::utf8_length(text.substr(at, 4));
        const bool punctuation = is_bert_punctuation(c);
        if (punctuation || is_space(c)) {
            word_ends(at);
            from = at;
            if (punctuation) word_ends(at + length);
            from = at + length;
        }
        at += length;
    }
    word_ends(text.size());
}

/// Appends a token, with a space before it unless it is the first one or continues the last one.
SIGMA_IMPL void append_piece(const TokenizerModel& model, std::string& to, std::string_view token, bool first) {
    std::string piece(token);
    if (!first) {
        if (piece.starts_with(model.prefix)) piece.erase(0, model.prefix.size());
        else piece.insert(0, 1, ' ');
    }
    // As in Hugging Face's decoder for English, for each token by itself.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 11> closer{{{" .", "."},
                                                                                    {" ?", "?"},
                                                                                    {" !", "!"},
                                                                                    {" ,", ","},
                                                                                    {" ' ", "'"},
                                                                                    {" n't", "n't"},
                                                                                    {" 'm", "'m"},
                                                                                    {" do not", " don't"},
                                                                                    {" 's", "'s"},
                                                                                    {" 've", "'ve"},
                                                                                    {" 're", "'re"}}};
    for (const auto& [apart, joined] : closer)
        for (std::size_t at = 0; model.cleanup && (at = piece.find(apart, at)) != piece.npos; at += joined.size())
            piece.replace(at, apart.size(), joined);
    to += piece;
}

}  // namespace sigma::data::detail
