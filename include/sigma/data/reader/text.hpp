// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/text/vocabulary.hpp>

#include <cstddef>
#include <memory>

namespace sigma::data {

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
using SequencePipeline =
    Pipeline<Schema<SectionField<"inputs", Role::input, E>, SectionField<"targets", Role::target, E>>>;

}  // namespace detail

/// The characters of a text as records to learn the next one from: inputs (length) and targets (length), the same
/// `offset` characters later, as numbers of the vocabulary.
///
///     const Vocabulary vocabulary(source);
///     auto text = characters<64>(source, vocabulary) >> dataset("text");
template <int length>
    requires(length > 0)
auto characters(const Source& source, const Vocabulary& vocabulary, const SequenceOptions& options = {}) {
    return detail::SequencePipeline<Extents<length>>{
        detail::sequence_reader(source, vocabulary, length, options, false)};
}
/// The same with a length that is known when the program runs.
inline auto characters(const Source& source, const Vocabulary& vocabulary, std::size_t length,
                       const SequenceOptions& options = {}) {
    return detail::SequencePipeline<UnknownExtents>{
        detail::sequence_reader(source, vocabulary, length, options, false)};
}

/// The words of a text alike, with a vocabulary of words.
template <int length>
    requires(length > 0)
auto words(const Source& source, const Vocabulary& vocabulary, const SequenceOptions& options = {}) {
    return detail::SequencePipeline<Extents<length>>{
        detail::sequence_reader(source, vocabulary, length, options, true)};
}
inline auto words(const Source& source, const Vocabulary& vocabulary, std::size_t length,
                  const SequenceOptions& options = {}) {
    return detail::SequencePipeline<UnknownExtents>{detail::sequence_reader(source, vocabulary, length, options, true)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/text.ipp>
#endif
