// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/data/reader/text.hpp>
#include <sigma/data/reader/token_reader.hpp>
#include <sigma/storage/utf8.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sigma::data {

/// Converts the tokens of a text to their numbers in a vocabulary.
class VocabularyStream {
public:
    VocabularyStream(const Vocabulary& vocabulary, const std::string& name)
        : vocabulary_(vocabulary), name_(name), tokenizer_(vocabulary.rule(), name) {}

    void feed(std::string_view bytes, std::vector<std::size_t>& to) {
        tokenizer_.feed(bytes, [&](std::string_view token, std::uint64_t byte) { to.push_back(id(token, byte)); });
    }
    void finish(std::vector<std::size_t>& to) {
        tokenizer_.finish([&](std::string_view token, std::uint64_t byte) { to.push_back(id(token, byte)); });
    }

private:
    /// Returns the number of a token. Throws DataError with the byte if the vocabulary has neither the token nor <unk>.
    std::size_t id(std::string_view token, std::uint64_t byte) const {
        const std::size_t found = vocabulary_.id_or_unknown(token);
        if (found == Vocabulary::none)
            throw DataError(name_, sentence("byte ", byte),
                            sentence("one of the ", vocabulary_.size(), " ", vocabulary_.noun(), " of the vocabulary"),
                            storage::quotation(token));
        return found;
    }

    const Vocabulary& vocabulary_;
    std::string name_;
    Tokenizer tokenizer_;
};

}  // namespace sigma::data

namespace sigma::data::detail {

SIGMA_IMPL std::shared_ptr<RecordReader> sequence_reader(const Source& source, const Vocabulary& vocabulary,
                                                         std::size_t length, const SequenceOptions& options,
                                                         bool words) {
    if (is_word(vocabulary.rule().unit) != words)
        throw ArgumentError(sentence(words ? "words" : "characters", " of '", source.name(), "'"),
                            sentence("a vocabulary of ", words ? "words" : "characters"),
                            sentence("a vocabulary of ", vocabulary.noun()));
    std::optional<float> padding;
    if (!options.drop_last) {
        const auto id = vocabulary.find(padding_token);
        if (!id)
            throw ArgumentError(sentence(vocabulary.noun(), " of '", source.name(), "' with .drop_last = false"),
                                "<pad> in the vocabulary", "none");
        padding = static_cast<float>(*id);
    }
    return sequences_of(std::make_shared<TokenReader<Vocabulary, VocabularyStream>>(source, vocabulary), length,
                        options, padding, vocabulary.noun());
}

}  // namespace sigma::data::detail
