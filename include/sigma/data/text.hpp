// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/data/dataset.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma::data {

/// The characters (bytes) of a text and their numbers, 0 … size() - 1 in the order of their codes.
class Vocabulary {
public:
    explicit Vocabulary(std::string_view text) {
        ids_.fill(-1);
        for (const char c : text) ids_[code(c)] = 0;
        for (std::size_t i = 0; i < ids_.size(); ++i)
            if (ids_[i] == 0) {
                ids_[i] = static_cast<int>(characters_.size());
                characters_ += static_cast<char>(static_cast<unsigned char>(i));
            }
    }
    std::size_t size() const { return characters_.size(); }
    bool contains(char c) const { return ids_[code(c)] >= 0; }
    /// Throws ArgumentError for a character that the text did not have.
    std::size_t id(char c) const {
        if (!contains(c))
            throw ArgumentError("vocabulary", sentence("one of its ", size(), " characters"), sentence("'", std::string(1, c), "'"));
        return static_cast<std::size_t>(ids_[code(c)]);
    }
    char character(std::size_t id) const {
        if (id >= size()) throw ArgumentError("vocabulary", sentence("a number from 0 to ", size() - 1), sentence(id));
        return characters_[id];
    }
    std::vector<std::size_t> encode(std::string_view text) const {
        std::vector<std::size_t> ids;
        for (const char c : text) ids.push_back(id(c));
        return ids;
    }
    std::string decode(const std::vector<std::size_t>& ids) const {
        std::string text;
        for (const std::size_t i : ids) text += character(i);
        return text;
    }
    friend bool operator==(const Vocabulary&, const Vocabulary&) = default;

private:
    std::string characters_;
    std::array<int, 256> ids_{};

    static std::size_t code(char c) { return static_cast<unsigned char>(c); }
};

/// A text as records to learn the next character from.
struct TextSequences {
    Dataset dataset;  ///< inputs (records, length), targets (records, length): numbers of characters, as floats
    Vocabulary vocabulary;
};

/// Record r holds characters r · length … (r + 1) · length - 1, its targets the character after each of them. What is left
/// at the end is dropped. Validation text takes the vocabulary of the training text.
inline TextSequences text_sequences(std::string_view text, std::size_t length, const Vocabulary& vocabulary,
                                    std::string name = "text") {
    if (length == 0 || text.size() <= length)
        throw ArgumentError(sentence("sequences of text '", name, "'"),
                            sentence("a length from 1 to ", text.empty() ? 0 : text.size() - 1), sentence(length));
    const std::size_t count = (text.size() - 1) / length;
    Numbers inputs{{count, length}, {}}, targets{{count, length}, {}};
    for (std::size_t i = 0; i < count * length; ++i) {
        inputs.values.push_back(static_cast<float>(vocabulary.id(text[i])));
        targets.values.push_back(static_cast<float>(vocabulary.id(text[i + 1])));
    }
    return {Dataset(std::move(inputs), std::move(targets), std::move(name)), vocabulary};
}
inline TextSequences text_sequences(std::string_view text, std::size_t length, std::string name = "text") {
    return text_sequences(text, length, Vocabulary(text), std::move(name));
}

}  // namespace sigma::data
