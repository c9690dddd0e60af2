// SPDX-License-Identifier: BSL-1.0
#include <sigma/storage/utf8.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace sigma::storage;

TEST_CASE("Every character of Unicode is UTF-8, and halves of surrogate pairs are not") {
    for (std::uint32_t character = 0; character < 0x110000; ++character) {
        std::string text;
        append_utf8(text, character);
        const std::size_t length = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
        const bool half = character >= 0xD800 && character < 0xE000;
        if (text.size() != length || utf8_length(text) != (half ? 0 : length)) FAIL(character);
        for (std::size_t cut = 1; cut < length; ++cut)
            if (utf8_length(std::string_view(text).substr(0, cut)) != 0) FAIL(character);
    }
}

TEST_CASE("What is no UTF-8 is found where it is") {
    for (const char* bad : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF",
                            "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xFE", "\xC3", "\xC3(", "\xE2\x82",
                            "\xE2(\xAC", "\xF0\x9F\x98(", "\xED\xA0\x80"}) {
        CAPTURE(bad);
        CHECK(utf8_length(bad) == 0);
        CHECK(utf8_fault(std::string("a\xC3\xA4") + bad) == 3);
    }
    CHECK(utf8_fault("") == std::string_view::npos);
    CHECK(utf8_fault("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80") == std::string_view::npos);
}

TEST_CASE("Quotations are short and printable") {
    CHECK(quotation("a\n\xFF\xC3\xA4") == "'a\\x0a\\xff\xC3\xA4'");
    CHECK(quotation("1\u00A0234,\u202F5 \uFEFF\U000E0100") == "'1<U+00A0>234,<U+202F>5 <U+FEFF><U+E0100>'");
    CHECK(quotation("e\u0301 é 日 \u00A9") == "'e\u0301 é 日 \u00A9'");
    CHECK(quotation(std::string(1000, 'x')).size() < 50);
}
