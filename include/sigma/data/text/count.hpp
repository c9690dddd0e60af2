// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/source/source.hpp>
#include <sigma/data/text/vocabulary_options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace sigma::data::detail {

struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

using TokenCounts = std::unordered_map<std::string, std::uint64_t, TextHash, std::equal_to<>>;

TokenCounts count_tokens(std::string_view text, TokenRule rule);
TokenCounts count_tokens(const Source& source, TokenRule rule);

std::vector<std::string> chosen_tokens(const TokenCounts& counts, const VocabularyOptions& options);

}  // namespace sigma::data::detail

#ifndef SIGMA_COMPILED
#include <sigma/data/text/impl/count.ipp>
#endif
