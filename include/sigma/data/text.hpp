// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>
#include <sigma/data/text/vocabulary.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace sigma::data {

/// A text as records to learn the next character from.
struct TextSequences {
    Dataset dataset;  ///< inputs (records, length), targets (records, length): numbers of characters, as floats
    Vocabulary vocabulary;
};

/// Record r holds tokens r · length … (r + 1) · length - 1, its targets the token after each of them. What is left at the
/// end is dropped. Validation text takes the vocabulary of the training text. Texts that do not fit in memory are read by
/// characters<length>(source, vocabulary) of reader/text.hpp.
TextSequences text_sequences(std::string_view text, std::size_t length, const Vocabulary& vocabulary,
                             std::string name = "text");
TextSequences text_sequences(std::string_view text, std::size_t length, std::string name = "text");

}  // namespace sigma::data

#ifndef SIGMA_COMPILED
#include <sigma/data/impl/text.ipp>
#endif
