// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/reader/text.hpp>
#include <sigma/data/text/tokenizer.hpp>

#include <cstddef>
#include <memory>

namespace sigma::data {

namespace detail {
std::shared_ptr<RecordReader> subword_reader(const Source& source, const SubwordTokenizer& tokenizer,
                                             std::size_t length, const SequenceOptions& options);
}

/// The tokens of a text as records to learn the next one from: inputs (length) and targets (length), the same `offset`
/// tokens later. A last record that is no whole one is left out, or filled up with the token "<pad>" or "[PAD]".
/// The text is read in pieces.
///
///     auto text = tokens<64>(source, tokenizer) >> dataset("text");
template <int length>
    requires(length > 0)
auto tokens(const Source& source, const SubwordTokenizer& tokenizer, const SequenceOptions& options = {}) {
    return detail::SequencePipeline<Extents<length>>{detail::subword_reader(source, tokenizer, length, options)};
}
/// The same with a length that is known when the program runs.
inline auto tokens(const Source& source, const SubwordTokenizer& tokenizer, std::size_t length,
                   const SequenceOptions& options = {}) {
    return detail::SequencePipeline<UnknownExtents>{detail::subword_reader(source, tokenizer, length, options)};
}

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/reader/impl/tokens.ipp>
#endif
