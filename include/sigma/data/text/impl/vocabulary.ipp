// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/core/task.hpp>
#include <sigma/data/source/packing.hpp>
#include <sigma/data/text/tokens.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/storage/utf8.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

namespace sigma::data::detail {

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

using TokenCounts = std::unordered_map<std::string, std::uint64_t, TextHash, std::equal_to<>>;

/// Calls feed(piece) for all of the text that the source holds, in pieces of 64 KiB.
template <class Feed>
void each_piece(const Source& source, Feed&& feed) {
    const auto stream = plain_text(source.open(), source.name());
    Task task(TaskKind::read, source.name());
    std::vector<std::byte> piece(std::size_t{1} << 16);
    for (bool more = true; more;) {
        std::size_t size = 0;
        while (size < piece.size() && more) {
            const std::size_t count = stream->read(std::span(piece).subspan(size));
            size += count;
            more = count > 0;
        }
        task.advance(size);
        feed(std::string_view(reinterpret_cast<const char*>(piece.data()), size));
    }
}

class TokenCounter {
public:
    TokenCounter(TokenRule rule, std::string name) : tokenizer_(rule, std::move(name)) {}

    void feed(std::string_view bytes);
    TokenCounts finish();

private:
    void add(std::string_view token);

    Tokenizer tokenizer_;
    std::array<std::uint64_t, 256> bytes_{};
    TokenCounts counts_;
};

SIGMA_IMPL void TokenCounter::feed(std::string_view bytes) {
    tokenizer_.feed(bytes, [this](std::string_view token, std::uint64_t) { add(token); });
}

SIGMA_IMPL TokenCounts TokenCounter::finish() {
    tokenizer_.finish([this](std::string_view token, std::uint64_t) { add(token); });
    for (std::size_t i = 0; i < bytes_.size(); ++i)
        if (bytes_[i] > 0) counts_[std::string(1, static_cast<char>(static_cast<unsigned char>(i)))] += bytes_[i];
    return std::move(counts_);
}

SIGMA_IMPL void TokenCounter::add(std::string_view token) {
    if (token.size() == 1) {
        ++bytes_[static_cast<unsigned char>(token[0])];
    } else if (const auto found = counts_.find(token); found != counts_.end()) {
        ++found->second;
    } else {
        counts_.emplace(token, 1);
    }
}

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
        if (is_space(storage::utf8_character(token.substr(i)))) return "white space";
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
