// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/text/token_rule.hpp>

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace sigma::data {

/// Which token gets the lower number: the one whose bytes come first, or the more frequent one, of equally frequent
/// ones that whose bytes come first.
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

}  // namespace sigma::data
