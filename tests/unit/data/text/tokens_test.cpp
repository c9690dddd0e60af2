// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/text/vocabulary.hpp>

#include <unictype.h>
#include <uniwbrk.h>

#include <clocale>

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
    CHECK(joined({Unit::character, true}, "AÄΩЖßİ😀") == "a|ä|ω|ж|ß|i|😀|");  // one character each
    CHECK(joined(words, "Don't  stop, it's 2 o’clock!") == "Don't|stop|,|it's|2|o’clock|!|");
    CHECK(joined(small_words, "Größe GRÖSSE ΟΔΟΣ ΣΑΣ' İI") == "größe|grösse|οδος|σας|'|i\u0307i|");
    CHECK(joined(words, "'quoted' rock'n'roll dogs' '") == "'|quoted|'|rock'n'roll|dogs|'|'|");
    CHECK(joined(words, "a\u00A0b\u2003c\u3000d\te\r\nf") == "a|b|c|d|e|f|");
    CHECK(joined(words, "x_y-z __a") == "x_y|-|z|__a|");
    CHECK(joined(words, "1,000.5 or 3, e.g. U.S.A. 12:30 a:b 1:a") ==
          "1,000.5|or|3|,|e.g|.|U.S.A|.|12|:|30|a:b|1|:|a|");
    CHECK(joined(spaced, " Don't stop,  <unk> ! ") == "Don't|stop,|<unk>|!|");
    CHECK(joined({Unit::spaced_word, true}, "ÉT\u00C9\n") == "ét\u00E9|");
    CHECK(joined(words, "").empty());
    CHECK(joined(words, " \n\t ").empty());
    CHECK(joined(words, std::string_view("a\0b", 3)) == std::string("a|\0|b|", 6));
}

TEST_CASE("Marks stay with the letter before them, and words of all scripts are whole") {
    const std::vector<std::string> whole{
        "\u0939\u093F\u0928\u094D\u0926\u0940",                                // Hindi
        "\u092A\u0922\u093C\u0928\u093E",                                      // with a nukta
        "\u0997\u09B2\u09CD\u09AA",                                            // Bengali
        "\u0BA4\u0BAE\u0BBF\u0BB4\u0BCD",                                      // Tamil
        "\u0C15\u0C32\u0C41\u0C38\u0C41\u0C15\u0C41\u0C28\u0C4D\u0C28\u0C3E",  // Telugu
        "\u0AB6\u0AAC\u0ACD\u0AA6",                                            // Gujarati
        "\u0D9A\u0DCA\u200D\u0DBB",                                            // Sinhala, with a joiner
        "\u1019\u103C\u1014\u103A\u1019\u102C",                                // Burmese
        "\u1781\u17D2\u1798\u17C2\u179A",                                      // Khmer
        "\u0E44\u0E21\u0E48\u0E08\u0E31\u0E19\u0E17\u0E23\u0E4C",              // Thai, two words without a space
        "\u0E9A\u0ECD\u0EC8",                                                  // Lao
        "\u05D1\u05B0\u05BC\u05E8\u05B5\u05D0\u05E9\u05B4\u0596\u05C1\u05D9",  // Hebrew, with points and accents
        "\u05E6\u05D4\"\u05DC",                                                // an abbreviation
        "\u0645\u064E\u0631\u0652\u062D\u064E\u0628\u0627",                    // Arabic
        "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645",                    // Persian, with a non-joiner
        "Vie\u0302\u0323t",
        "\u03B1\u0313\u0301\u03BD",
        "e\u0301t\u00E9",
        "paral\u00B7lel",                              // Catalan
        "\u304B\u3099",                                // kana in NFD
        "日本語のテキスト",                            // no spaces: as in Thai
        "\u1112\u1161\u11AB",                          // jamo
        "\u845B\U000E0100",                            // with a variation selector
        "co\u00ADop",                                  // soft hyphen
        "a\u2060b",                                    // word joiner
        "\U0001F469\u200D\U0001F469\u200D\U0001F467",  // a family
        "\U0001F44D\U0001F3FD",                        // a thumb and the colour of its skin
        "\U0001F1F3\U0001F1F1",                        // a flag
    };
    std::string text, cut;
    for (const std::string& word : whole) {
        CHECK(joined(words, word) == word + "|");
        CHECK(joined(small_words, word).ends_with("|"));
        text += word + " ";
        cut += word + "|";
    }
    CHECK(joined(words, text) == cut);
    // Tibetan puts a mark of its own, which is no space, between syllables.
    CHECK(joined(words, "\u0F56\u0F7C\u0F51\u0F0B\u0F61\u0F72\u0F42") ==
          "\u0F56\u0F7C\u0F51|\u0F0B|\u0F61\u0F72\u0F42|");
    CHECK(joined(words, "\U0001F1F3\U0001F1F1\U0001F1EB\U0001F1F7\U0001F1E9") ==
          "\U0001F1F3\U0001F1F1|\U0001F1EB\U0001F1F7|\U0001F1E9|");
    CHECK(joined(words, "\u0301a .\u0301") == "\u0301|a|.\u0301|");
}

// The same by the library's own function, for a text that it has as a whole.
TEST_CASE("Words end where Unicode says so") {
    const auto letter = [](std::uint32_t c) {
        const int kind = uc_wordbreak_property(c);
        return kind == WBP_ALETTER || kind == WBP_NUMERIC || kind == WBP_EXTENDNUMLET ||
               uc_is_general_category_withtable(c, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_Nd | UC_CATEGORY_MASK_Nl);
    };
    const auto attached = [](std::uint32_t c) {
        const int kind = uc_wordbreak_property(c);
        return kind == WBP_EXTEND || kind == WBP_FORMAT || kind == WBP_ZWJ;
    };
    std::vector<std::string> parts{" ",      "\n",     "\"",     "\u05D0", "\u05D1", "\u0301", "\u200D", "\u200C",
                                   "\u00AD", "\u0E44", "\u0E21", "\u0E48", "\u65E5", "\u304B", "\u30AB", "\u24B6",
                                   "\u00B2", "\u0663", "\u00B7", "\u2019", "\u0903", "\u0915", "\u0F0B", "\uFF0E"};
    for (const char* more : {"\U0001F1F3", "\U0001F469", "\U0001F44D", "\U0001F3FD", "\u2764", "\uFE0F", "\u066B"})
        parts.emplace_back(more);
    for (const char c : std::string_view("aB1_'.,:;-")) parts.emplace_back(1, c);
    PhiloxSequence random{Philox(11)};
    for (int round = 0; round < 20'000; ++round) {
        std::string text;
        for (std::uint64_t i = 1 + random.bits() % 12; i > 0; --i) text += parts[random.bits() % parts.size()];
        std::string breaks(text.size(), '\0');
        u8_wordbreaks(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), breaks.data());
        Tokens expected;
        std::uint32_t before = 0;  // the last character that was no mark
        bool fresh = true;         // white space, or nothing, stands before
        for (std::size_t i = 0; i < text.size(); i += storage::utf8_length(std::string_view(text).substr(i))) {
            const std::string_view rest = std::string_view(text).substr(i);
            const std::uint32_t c = storage::utf8_character(rest);
            const std::string_view here = rest.substr(0, storage::utf8_length(rest));
            if (data::detail::is_space(c)) {
                fresh = true;
                continue;
            }
            if (fresh || (breaks[i] != 0 && !(letter(before) && letter(c)))) expected.emplace_back(here, i);
            else expected.back().first += here;
            if (fresh || !attached(c)) before = c;
            fresh = false;
        }
        INFO(text);
        REQUIRE(with_places(words, text, text.size() + 1) == expected);
    }
}

TEST_CASE("Words are the same in every locale") {
    const std::string text = "Größe İSTANBUL I \u0928\u094D ΟΔΟΣ 1,5";
    const std::string usual = joined(small_words, text);
    CHECK(usual == "größe|i\u0307stanbul|i|\u0928\u094D|οδος|1,5|");
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* locale : {"C", "C.UTF-8", "tr_TR.UTF-8", "de_DE.UTF-8", "lt_LT.UTF-8", "ja_JP.EUC-JP"})
        if (std::setlocale(LC_ALL, locale) != nullptr) {
            INFO(locale);
            CHECK(joined(small_words, text) == usual);
        }
    std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("A byte-order mark at the front is no part of a text") {
    CHECK(joined(characters, "\uFEFFa\uFEFF") == "a|\uFEFF|");
    CHECK(joined(words, "\uFEFFone two") == "one|two|");
    CHECK(joined({Unit::byte}, "\uFEFF").size() == 6);
    CHECK(with_places(words, "\uFEFFone", 1) == Tokens{{"one", 3}});
}

TEST_CASE("How a text is fed changes nothing") {
    const std::vector<std::string> parts{"a",      "B",      "'",      "’",  " ",      "\n",     "ä",
                                         "€",      "😀",     "1",      ",",  "\u0301", "\u2003", "Ж",
                                         "\uFEFF", "\u200D", "\u05D0", "\"", "_",      "Σ",      ":"};
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
    std::string marks = "a:";  // what a word might go on behind is bounded, too
    for (std::size_t i = 0; i < longest_word; ++i) marks += "\u0301";
    CHECK(data_error([&] { with_places(words, marks, 50'000); }).expected == "a word of at most 65536 bytes");
    CHECK(with_places(words, std::string(longest_word * 2, '.'), 50'000).size() == longest_word * 2);
}
