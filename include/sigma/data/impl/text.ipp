// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/data/text.hpp>

#include <utility>
#include <vector>

namespace sigma::data {

SIGMA_IMPL TextSequences text_sequences(std::string_view text, std::size_t length, const Vocabulary& vocabulary,
                                        std::string name) {
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

SIGMA_IMPL TextSequences text_sequences(std::string_view text, std::size_t length, std::string name) {
    if (text.empty())
        throw ArgumentError(sentence("sequences of text '", name, "'"), "a text with at least two characters", "none");
    return text_sequences(text, length, Vocabulary(text), std::move(name));
}

}  // namespace sigma::data
