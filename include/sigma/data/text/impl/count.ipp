// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/task.hpp>
#include <sigma/data/source/plain_text.hpp>
#include <sigma/data/text/count.hpp>
#include <sigma/data/text/tokens.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace sigma::data::detail {

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
