// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>
#include <sigma/data/text/vocabulary.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::data {

/// A text as records to learn the next character from.
struct TextSequences {
    Dataset dataset;  ///< inputs (records, length), targets (records, length): numbers of characters, as floats
    Vocabulary vocabulary;
};

/// Record r holds tokens r · length … (r + 1) · length - 1, its targets the token after each of them. What is left at the
/// end is dropped. Validation text takes the vocabulary of the training text. Texts that do not fit in memory are read by
/// characters<length>(source, vocabulary) of reader/text.hpp.
inline TextSequences text_sequences(std::string_view text, std::size_t length, const Vocabulary& vocabulary,
                                    std::string name = "text") {
    const std::vector<std::size_t> ids = vocabulary.encode(text);
    if (length == 0 || ids.size() <= length)
        throw ArgumentError(sentence("sequences of text '", name, "'"),
                            sentence("a length from 1 to ", ids.empty() ? 0 : ids.size() - 1), sentence(length));
    const std::size_t count = (ids.size() - 1) / length;
    Numbers from{{count, length}, {}}, to{{count, length}, {}};
    for (std::size_t i = 0; i < count * length; ++i) {
        from.values.push_back(static_cast<float>(ids[i]));
        to.values.push_back(static_cast<float>(ids[i + 1]));
    }
    return {Dataset(std::move(from), std::move(to), std::move(name)), vocabulary};
}
inline TextSequences text_sequences(std::string_view text, std::size_t length, std::string name = "text") {
    if (text.empty())
        throw ArgumentError(sentence("sequences of text '", name, "'"), "a text with at least two characters", "none");
    return text_sequences(text, length, Vocabulary(text), std::move(name));
}

}  // namespace sigma::data
