// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/task.hpp>
#include <sigma/data/source/plain_text.hpp>
#include <sigma/data/text/tokens.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sigma::data {

/// Which token gets the lower number: the one whose bytes come first, or the more frequent one, of equally frequent ones
/// that whose bytes come first.
enum class TokenOrder { code, frequency };

struct VocabularyOptions {
    Unit unit = Unit::byte;
    bool lower_case = false;
    /// Without it words by frequency, characters by code.
    std::optional<TokenOrder> order{};
    /// Tokens that are rarer are left out.
    std::size_t min_count = 1;
    /// Only the most frequent tokens; with the special ones there are at most that many.
    std::size_t max_size = std::numeric_limits<std::size_t>::max();
    /// Numbers 0, 1, …: any of <unk>, <pad>, <start>, <end>, and others as the user likes.
    std::vector<std::string> special{};

    TokenRule rule() const { return {unit, lower_case}; }
};

namespace detail {

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

TokenCounts count_tokens(std::string_view text, TokenRule rule);
TokenCounts count_tokens(const Source& source, TokenRule rule);

std::vector<std::string> chosen_tokens(const TokenCounts& counts, const VocabularyOptions& options);

}  // namespace detail

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/text/impl/count.ipp>
#endif
