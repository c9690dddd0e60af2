// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `characters` and `words`: records from texts, to learn the next token. Included by `<sigma/data/data.hpp>`.

#include <sigma/data/pipeline/pipeline.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/text/vocabulary.hpp>

#include <cstddef>
#include <memory>

namespace sigma::data {

/// Options of `characters`, `words` and `tokens`: how a text becomes records.
///
/// @see characters, words, tokens
struct SequenceOptions {
    std::size_t offset = 1;  ///< Tokens between an input and its target, from 0 to 2^32.
    /// Tokens between the beginnings of two records, at most 2^32. 0 (the default): the length of a record, so that no
    /// token is an input twice.
    std::size_t step = 0;
    bool drop_last = true;  ///< Leaves out a last, incomplete record; false: fills it up with `<pad>`.
};

namespace detail {

std::shared_ptr<RecordReader> sequence_reader(const Source& source, const Vocabulary& vocabulary, std::size_t length,
                                              const SequenceOptions& options, bool words);

template <class E>
using SequencePipeline =
    Pipeline<Schema<SectionField<"inputs", Role::input, E>, SectionField<"targets", Role::target, E>>>;

}  // namespace detail

/// Reads the characters of a text as records, to learn the next character.
///
/// @par Shape
/// Inputs (length) and targets (length), the same `offset` characters later. Both are numbers of the vocabulary.
///
/// @tparam length     characters in a record, at least 1
/// @param source      the text; compressed text needs `unpacked(source)`
/// @param vocabulary  the characters and their numbers
/// @param options     offset, step, last record
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws ArgumentError  if `vocabulary` is one of words; if `options.drop_last` is false and the vocabulary lacks
///                        "<pad>"; or if a number is out of its range
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const Source source = file("corpus.txt");
/// const Vocabulary vocabulary(source);
/// auto text = characters<64>(source, vocabulary) >> dataset("text");
/// @endcode
///
/// @see words, tokens, docs/text.md
template <int length>
    requires(length > 0)
auto characters(const Source& source, const Vocabulary& vocabulary, const SequenceOptions& options = {}) {
    return detail::SequencePipeline<Extents<length>>{
        detail::sequence_reader(source, vocabulary, length, options, false)};
}
/// Reads the characters of a text as records of a length that need not be a constant.
/// @param source      the text; compressed text needs `unpacked(source)`
/// @param vocabulary  the characters and their numbers
/// @param length      characters in a record, at least 1
/// @param options     offset, step, last record
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws ArgumentError  if `vocabulary` is one of words; if `options.drop_last` is false and the vocabulary lacks
///                        "<pad>"; or if a number is out of its range
inline auto characters(const Source& source, const Vocabulary& vocabulary, std::size_t length,
                       const SequenceOptions& options = {}) {
    return detail::SequencePipeline<UnknownExtents>{
        detail::sequence_reader(source, vocabulary, length, options, false)};
}

/// Reads words of a text as records, to learn the next word.
///
/// @par Shape
/// Inputs (length) and targets (length), the same `offset` words later. Both are numbers of the vocabulary.
///
/// @tparam length     words in a record, at least 1
/// @param source      the text; compressed text needs `unpacked(source)`
/// @param vocabulary  a vocabulary of words
/// @param options     offset, step, last record
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws ArgumentError  if `vocabulary` is one of characters; if `options.drop_last` is false and the vocabulary
///                        lacks "<pad>"; or if a number is out of its range
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const Source source = file("corpus.txt");
/// const Vocabulary vocabulary(source, {.unit = Unit::word, .max_size = 10'000, .special = {"<pad>", "<unk>"}});
/// auto text = words<32>(source, vocabulary) >> dataset("text");
/// @endcode
///
/// @see characters, tokens, docs/text.md
template <int length>
    requires(length > 0)
auto words(const Source& source, const Vocabulary& vocabulary, const SequenceOptions& options = {}) {
    return detail::SequencePipeline<Extents<length>>{
        detail::sequence_reader(source, vocabulary, length, options, true)};
}
/// Reads words of a text as records of a length that need not be a constant.
/// @param source      the text; compressed text needs `unpacked(source)`
/// @param vocabulary  a vocabulary of words
/// @param length      words in a record, at least 1
/// @param options     offset, step, last record
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws ArgumentError  if `vocabulary` is one of characters; if `options.drop_last` is false and the vocabulary
///                        lacks "<pad>"; or if a number is out of its range
inline auto words(const Source& source, const Vocabulary& vocabulary, std::size_t length,
                  const SequenceOptions& options = {}) {
    return detail::SequencePipeline<UnknownExtents>{detail::sequence_reader(source, vocabulary, length, options, true)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/text.ipp>
#endif
