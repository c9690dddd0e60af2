// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/reader/sliding.hpp>
#include <sigma/data/source/plain_text.hpp>
#include <sigma/data/text/vocabulary.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sigma::data {

/// The tokens of a text, one a record, as their numbers in a vocabulary. Reads 64 KiB at a time; a packed text wants
/// unpacked(source), else it is a DataError.
class TokenReader final : public RecordReader {
public:
    TokenReader(Source source, Vocabulary vocabulary) : source_(std::move(source)), vocabulary_(std::move(vocabulary)) {}

    std::string name() const override { return source_.name(); }
    const std::vector<SectionInfo>& sections() override { return sections_; }
    /// Throws DataError with the byte for a token that the vocabulary does not have, where it has no <unk> either.
    std::size_t read(std::size_t most, Block& to) override;
    void rewind() override;
    std::string key() const override { return sentence("tokens(", source_.key(), ";", vocabulary_.text(), ")"); }

private:
    void fill();

    Source source_;
    Vocabulary vocabulary_;
    std::vector<SectionInfo> sections_{{"tokens", {}, false}};
    std::unique_ptr<ByteStream> stream_;
    std::optional<Tokenizer> tokenizer_;
    std::vector<std::byte> piece_;
    std::vector<float> ids_;
    std::size_t at_ = 0;
    bool ended_ = false;
};

struct SequenceOptions {
    /// How many tokens later targets are than inputs.
    std::size_t offset = 1;
    /// How many tokens a record begins after the one before; 0 stands for its length: no token is an input twice.
    std::size_t step = 0;
    /// The end of the text, where it is no whole record, is left out; else it is filled up with <pad>.
    bool drop_last = true;
};

namespace detail {

std::shared_ptr<RecordReader> sequence_reader(const Source& source, const Vocabulary& vocabulary, std::size_t length,
                                              const SequenceOptions& options, bool words);

template <class E>
using SequencePipeline = Pipeline<Schema<SectionField<"inputs", Role::input, E>, SectionField<"targets", Role::target, E>>>;

}  // namespace detail

/// The characters of a text as records to learn the next one from: inputs (length) and targets (length), the same
/// `offset` characters later, as numbers of the vocabulary.
///
///     const Vocabulary vocabulary(source);
///     auto text = characters<64>(source, vocabulary) >> dataset("text");
template <int length>
    requires(length > 0)
auto characters(const Source& source, const Vocabulary& vocabulary, const SequenceOptions& options = {}) {
    return detail::SequencePipeline<Extents<length>>{detail::sequence_reader(source, vocabulary, length, options, false)};
}
/// The same with a length that is known when the program runs.
inline auto characters(const Source& source, const Vocabulary& vocabulary, std::size_t length,
                       const SequenceOptions& options = {}) {
    return detail::SequencePipeline<UnknownExtents>{detail::sequence_reader(source, vocabulary, length, options, false)};
}

/// The words of a text alike, with a vocabulary of words.
template <int length>
    requires(length > 0)
auto words(const Source& source, const Vocabulary& vocabulary, const SequenceOptions& options = {}) {
    return detail::SequencePipeline<Extents<length>>{detail::sequence_reader(source, vocabulary, length, options, true)};
}
inline auto words(const Source& source, const Vocabulary& vocabulary, std::size_t length, const SequenceOptions& options = {}) {
    return detail::SequencePipeline<UnknownExtents>{detail::sequence_reader(source, vocabulary, length, options, true)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/text.ipp>
#endif
