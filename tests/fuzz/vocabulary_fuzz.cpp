// SPDX-License-Identifier: BSL-1.0
// Any bytes are either refused with a DataError or a vocabulary: then its text is these bytes, and the same bytes taken
// as a text are cut into tokens in the same way whole and in pieces.
#include <sigma/data/text/vocabulary.hpp>

#include "target.hpp"

namespace {

using fuzz::require;
using namespace sigma::data;

std::string cut(TokenRule rule, std::string_view text, std::size_t piece) {
    std::string all;
    const auto visit = [&](std::string_view token, std::uint64_t byte) {
        require(!token.empty());
        all += sigma::sentence(byte, ":", token, ";");
    };
    try {
        Tokenizer tokenizer(rule, "text");
        for (std::size_t i = 0; i < text.size(); i += piece) tokenizer.feed(text.substr(i, piece), visit);
        tokenizer.finish(visit);
    } catch (const sigma::DataError& refusal) { all += refusal.what(); }
    return all;
}

}  // namespace

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const Unit unit : {Unit::byte, Unit::character, Unit::word, Unit::spaced_word}) {
        const TokenRule rule{unit, size % 2 == 0};
        require(cut(rule, text, size + 1) == cut(rule, text, 1 + size % 13));
    }
    const Vocabulary vocabulary = Vocabulary::parse(text, "fuzz");
    require(vocabulary.text() == text);
    require(Vocabulary(vocabulary.rule(), vocabulary.tokens(), vocabulary.special()) == vocabulary);
    for (std::size_t i = 0; i < vocabulary.size(); ++i) require(vocabulary.id(vocabulary.token(i)) == i);
    return true;
} catch (const sigma::DataError& refusal) {
    fuzz::require_printable(refusal);
    return false;
}
