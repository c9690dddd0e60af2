// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/reader/token_reader.hpp>
#include <sigma/data/reader/tokens.hpp>

#include <optional>
#include <string_view>

namespace sigma::data::detail {

SIGMA_IMPL std::shared_ptr<RecordReader> subword_reader(const Source& source, const SubwordTokenizer& tokenizer,
                                                        std::size_t length, const SequenceOptions& options) {
    std::optional<float> padding;
    for (const std::string_view token : {"[PAD]", "<pad>"})
        if (const auto id = tokenizer.find(token); id && !options.drop_last) padding = static_cast<float>(*id);
    if (!options.drop_last && !padding)
        throw ArgumentError(sentence("tokens of '", source.name(), "' with .drop_last = false"),
                            "<pad> or [PAD] in the tokenizer", "neither");
    return sequences_of(std::make_shared<TokenReader<SubwordTokenizer, TokenStream>>(source, tokenizer), length,
                        options, padding, "tokens");
}

}  // namespace sigma::data::detail
