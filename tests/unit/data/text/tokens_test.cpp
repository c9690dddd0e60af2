// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/text/tokens.hpp>

#include "../support.hpp"

using namespace sigma;
using namespace sigma::data;

namespace {

using Tokens = std::vector<std::pair<std::string, std::uint64_t>>;

Tokens with_places(TokenRule rule, std::string_view text, std::size_t piece) {
    Tokens all;
    const auto visit = [&](std::string_view token, std::uint64_t byte) { all.emplace_back(token, byte); };
    Tokenizer tokenizer(rule, "a.txt");
    for (std::size_t i = 0; i < text.size(); i += piece) tokenizer.feed(text.substr(i, piece), visit);
    tokenizer.finish(visit);
    return all;
}

std::string joined(TokenRule rule, std::string_view text) {
    std::string all;
    for (const auto& [token, byte] : with_places(rule, text, text.size() + 1)) all += token + "|";
    return all;
}

constexpr TokenRule words{Unit::word}, small_words{Unit::word, true}, spaced{Unit::spaced_word},
    characters{Unit::character};

}  // namespace

TEST_CASE("A text is cut into bytes, characters and words") {
    CHECK(joined({Unit::byte}, "a\xC3\xA4\n") == "a|\xC3|\xA4|\n|");
    CHECK(joined({Unit::byte, true}, "aB\xC4") == "a|b|\xC4|");
    CHECK(joined(characters, "aä€😀") == "a|ä|€|😀|");
    CHECK(joined({Unit::character, true}, "AÄΩЖß😀") == "a|ä|ω|ж|ß|😀|");
    CHECK(joined(words, "Don't  stop, it's 2 o’clock!") == "Don't|stop|,|it's|2|o’clock|!|");
    CHECK(joined(small_words, "Größe GRÖSSE") == "größe|grösse|");
    CHECK(joined(words, "'quoted' rock'n'roll dogs' '") == "'|quoted|'|rock'n'roll|dogs|'|'|");
    CHECK(joined(words, "a\u00A0b\u2003c\u3000d\te\r\nf") == "a|b|c|d|e|f|");
    CHECK(joined(words, "x_y-z") == "x|_|y|-|z|");
    CHECK(joined(words, "日本語 e\u0301t\u00E9") == "日本語|e\u0301t\u00E9|");  // an accent of its own joins
    CHECK(joined(spaced, " Don't stop,  <unk> ! ") == "Don't|stop,|<unk>|!|");
    CHECK(joined({Unit::spaced_word, true}, "ÉT\u00C9\n") == "ét\u00E9|");
    CHECK(joined(words, "").empty());
    CHECK(joined(words, " \n\t ").empty());
    CHECK(joined(words, std::string_view("a\0b", 3)) == std::string("a|\0|b|", 6));
}

TEST_CASE("A byte-order mark at the front is no part of a text") {
    CHECK(joined(characters, "\uFEFFa\uFEFF") == "a|\uFEFF|");
    CHECK(joined(words, "\uFEFFone two") == "one|two|");
    CHECK(joined({Unit::byte}, "\uFEFF").size() == 6);
    CHECK(with_places(words, "\uFEFFone", 1) == Tokens{{"one", 3}});
}

TEST_CASE("How a text is fed changes nothing") {
    const std::vector<std::string> parts{"a",  "B", "'", "’",      " ",      "\n", "ä",     "€",
                                         "😀", "1", ",", "\u0301", "\u2003", "Ж",  "\uFEFF"};
    PhiloxSequence random{Philox(7)};
    for (int round = 0; round < 200; ++round) {
        std::string text;
        for (std::uint64_t i = random.bits() % 30; i > 0; --i) text += parts[random.bits() % parts.size()];
        for (const Unit unit : {Unit::byte, Unit::character, Unit::word, Unit::spaced_word})
            for (const bool lower : {false, true}) {
                const Tokens whole = with_places({unit, lower}, text, text.size() + 1);
                for (const std::size_t piece : std::vector<std::size_t>{1, 2, 3, 5, 11})
                    REQUIRE(with_places({unit, lower}, text, piece) == whole);
                for (const auto& [token, byte] : whole) {
                    REQUIRE_FALSE(token.empty());
                    if (!lower) REQUIRE(text.substr(byte, token.size()) == token);
                }
            }
    }
}

TEST_CASE("Text that is not UTF-8 is refused with the byte") {
    struct Case {
        std::string text;
        std::size_t byte;
        std::string found;
    };
    const std::vector<Case> cases{
        {"ab\x80", 2, "'\\x80'"},                   // a later byte alone
        {"\xC3", 0, "'\\xc3'"},                     // cut
        {"ab \xC3(", 3, "'\\xc3('"},                // cut by a letter
        {"\xC0\xAF", 0, "'\\xc0\\xaf'"},            // longer than needed
        {"\xC1\xBF", 0, "'\\xc1\\xbf'"},            // longer than needed
        {"a\xE0\x80\x80", 1, "'\\xe0\\x80\\x80'"},  // longer than needed
        {"\xF0\x80\x80\x80", 0, "'\\xf0\\x80\\x80\\x80'"},
        {"a\xED\xA0\x80z", 1, "'\\xed\\xa0\\x80z'"},        // half of a surrogate pair
        {"\xED\xBF\xBF", 0, "'\\xed\\xbf\\xbf'"},           // the other half
        {"\xF4\x90\x80\x80", 0, "'\\xf4\\x90\\x80\\x80'"},  // above U+10FFFF
        {"\xF5\x80\x80\x80", 0, "'\\xf5\\x80\\x80\\x80'"},
        {"abc\xFF", 3, "'\\xff'"},
        {"\xFE\xFF"
         "a",
         0, "'\\xfe\\xffa'"},                        // UTF-16
        {"€\xE2\x82", 3, "'\\xe2\\x82'"},            // cut after two of three bytes
        {"😀\xF0\x9F\x98", 4, "'\\xf0\\x9f\\x98'"},  // cut after three of four bytes
    };
    for (const Case& each : cases)
        for (const Unit unit : {Unit::character, Unit::word, Unit::spaced_word})
            for (const std::size_t piece : std::vector<std::size_t>{1, 3, 100}) {
                INFO(each.byte << each.found);
                const DataError refusal = data_error([&] { with_places({unit}, each.text, piece); });
                CHECK(refusal.file == "a.txt");
                CHECK(refusal.place == sentence("byte ", each.byte));
                CHECK(refusal.expected == "a character of UTF-8");
                CHECK(refusal.found == each.found);
            }
    CHECK(joined({Unit::byte}, "\xFF\x80") == "\xFF|\x80|");
}

TEST_CASE("A file without white space is no text of words") {
    const std::string text = "one " + std::string(longest_word + 1, 'x');
    for (const Unit unit : {Unit::word, Unit::spaced_word}) {
        const DataError refusal = data_error([&] { with_places({unit}, text + "xx", 50'000); });
        CHECK(refusal.place == "byte 4");
        CHECK(refusal.expected == "a word of at most 65536 bytes");
        CHECK(with_places({unit}, "one " + std::string(longest_word, 'x') + " two", 50'000).size() == 3);
    }
}
