// SPDX-License-Identifier: BSL-1.0
// Any bytes are either refused with a DataError or a tokenizer: then what it writes is the same tokenizer, and the
// bytes taken as a text are cut into the same tokens whole and in pieces. A BPE with all bytes gives the text back.
#include <sigma/data/text/tokenizer.hpp>

#include "target.hpp"

#include <vector>

namespace {

using fuzz::require;
using namespace sigma::data;
using Ids = std::vector<std::size_t>;

void cut(const SubwordTokenizer& tokenizer, std::string_view text) try {
    const Ids ids = tokenizer.encode(text);
    Ids streamed;
    detail::TokenStream stream(tokenizer, "text");
    const std::size_t piece = 1 + text.size() % 13;
    for (std::size_t i = 0; i < text.size(); i += piece) stream.feed(text.substr(i, piece), streamed);
    stream.finish(streamed);
    require(streamed == ids);
    for (const std::size_t id : ids) require(id < tokenizer.size());
    tokenizer.decode(ids, {.special = true});
} catch (const sigma::DataError&) {
    require(sigma::storage::utf8_fault(text) != std::string_view::npos);
} catch (const sigma::ArgumentError& refusal) {
    fuzz::require_printable(refusal);  // a byte has no token
}

}  // namespace

bool fuzz_accepts(const std::uint8_t* data, std::size_t size) try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (size < 4096) {
        static const auto bytes = SubwordTokenizer::train("the cat sat, the dog sat", {.special = {"<e>"}});
        cut(bytes, text);
        if (sigma::storage::utf8_fault(text) == std::string_view::npos) {
            require(bytes.decode(bytes.encode(text), {.special = true}) == text);
            if (size < 200) {  // of longer texts it takes longer than all else
                const auto own = SubwordTokenizer::train(text, {.vocabulary_size = 300, .min_count = 1});
                require(own.decode(own.encode(text)) == text);
            }
        }
    }
    const auto tokenizer = SubwordTokenizer::parse(text, "fuzz");
    require(SubwordTokenizer::parse(tokenizer.text()).text() == tokenizer.text());
    for (std::size_t id = 0; id < tokenizer.size(); ++id) require(tokenizer.id(tokenizer.token(id)) == id);
    if (size < 4096) cut(tokenizer, text);
    cut(tokenizer, " a ab\n\xC3\xA9 the  cat's 12 <e>!\xE4\xBD\xA0");
    return true;
} catch (const sigma::DataError& refusal) {
    fuzz::require_printable(refusal);
    return false;
}
