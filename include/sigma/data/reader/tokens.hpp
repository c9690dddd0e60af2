// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// `tokens`: records from texts by a tokenizer, to learn the next token. Include it yourself.

#include <sigma/data/reader/text.hpp>
#include <sigma/data/text/tokenizer.hpp>

#include <cstddef>
#include <memory>

namespace sigma::data {

namespace detail {
std::shared_ptr<RecordReader> subword_reader(const Source& source, const SubwordTokenizer& tokenizer,
                                             std::size_t length, const SequenceOptions& options);
}

/// Reads the tokens of a text as records, to learn the next token. Reads the text in pieces.
///
/// An incomplete last record is left out, or filled up with the token "<pad>" or "[PAD]".
///
/// @par Shape
/// Inputs (length) and targets (length), the same `offset` tokens later. Both are numbers of tokens.
///
/// @tparam length    tokens in a record, at least 1
/// @param source     the text; compressed text needs `unpacked(source)`
/// @param tokenizer  the tokenizer
/// @param options    offset, step, last record
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws ArgumentError  if `options.drop_last` is false and the tokenizer has neither "<pad>" nor "[PAD]"; or if a
///                        number is out of its range
///
/// @par Example
/// @code
/// using namespace sigma::data;
/// const auto tokenizer = SubwordTokenizer::load("tokenizer.json");
/// auto text = tokens<64>(file("corpus.txt"), tokenizer) >> dataset("text");
/// @endcode
///
/// @see SubwordTokenizer, docs/text.md
template <int length>
    requires(length > 0)
auto tokens(const Source& source, const SubwordTokenizer& tokenizer, const SequenceOptions& options = {}) {
    return detail::SequencePipeline<Extents<length>>{detail::subword_reader(source, tokenizer, length, options)};
}
/// Reads the tokens of a text as records of a length that need not be a constant.
/// @param source     the text; compressed text needs `unpacked(source)`
/// @param tokenizer  the tokenizer
/// @param length     tokens in a record, at least 1
/// @param options    offset, step, last record
/// @return a pipeline with the sections `inputs` and `targets`
/// @throws ArgumentError  if `options.drop_last` is false and the tokenizer has neither "<pad>" nor "[PAD]"; or if a
///                        number is out of its range
inline auto tokens(const Source& source, const SubwordTokenizer& tokenizer, std::size_t length,
                   const SequenceOptions& options = {}) {
    return detail::SequencePipeline<UnknownExtents>{detail::subword_reader(source, tokenizer, length, options)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/tokens.ipp>
#endif
