// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/text/count.hpp>
#include <sigma/data/text/tokens.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/storage/utf8.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <utility>

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

SIGMA_IMPL const std::string& Vocabulary::token(std::size_t id) const {
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
    if (!ids_) return none;  // moved from
    const auto found = ids_->find(token);
    return found == ids_->end() ? none : found->second;
}

SIGMA_IMPL void Vocabulary::append(std::string& text, std::size_t id) const {
    if (is_word(rule_.unit) && !text.empty()) text += ' ';
    text += token(id);
}

}  // namespace sigma::data

namespace sigma::data::detail {

SIGMA_IMPL const char* token_fault(std::string_view token, Unit unit, bool special) {
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

SIGMA_IMPL const char* token_rule_text(Unit unit, bool special) {
    if (special) return "a special token of at least two characters";
    return unit == Unit::byte ? "one byte" : unit == Unit::character ? "one character" : "a word";
}

}  // namespace sigma::data::detail

namespace sigma::data {

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

}  // namespace sigma::data
