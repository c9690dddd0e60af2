// SPDX-License-Identifier: BSL-1.0
#include <sigma/storage/json.hpp>

#include <support/thrown.hpp>

#include <string>

using namespace sigma::storage;

namespace {

const std::string name = "x";

std::string parsed(std::string_view text) {
    JsonTokens tokens(text, name, 100);
    std::string out = tokens.string("a string");
    CHECK(tokens.at_end());
    return out;
}
std::string refusal(std::string_view text) {
    return error_text([&] { JsonTokens(text, name, 100).string("a string"); });
}
std::string number_refusal(std::string_view text) {
    return error_text([&] { JsonTokens(text, name, 100).number(); });
}

}  // namespace

TEST_CASE("Strings lose their quotes and escapes") {
    CHECK(parsed(R"("")").empty());
    CHECK(parsed(R"("a b")") == "a b");
    CHECK(parsed(" \t\r\n\"a\"") == "a");
    CHECK(parsed(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
    CHECK(parsed(R"("\u0041\u00e4\u20AC")") == "A\xC3\xA4\xE2\x82\xAC");
    CHECK(parsed(R"("\ud83d\ude00")") == "\xF0\x9F\x98\x80");
    CHECK(parsed(R"("\u0000")") == std::string(1, '\0'));
    CHECK(parsed("\"\xF0\x9F\x98\x80\x7F\"") == "\xF0\x9F\x98\x80\x7F");
}

TEST_CASE("Wrong strings are refused at their byte") {
    CHECK(refusal("a") == "file 'x', byte 100: expected a string, found 'a'");
    CHECK(refusal("") == "file 'x', byte 100: expected a string, found the end of the header");
    CHECK(refusal("\"ab") == "file 'x', byte 103: expected the end of a string, found the end of the header");
    CHECK(refusal("\"a\n\"") ==
          "file 'x', byte 102: expected an escape in place of a control character, found '\\x0a'");
    CHECK(refusal("\"a\xFF\"") == "file 'x', byte 102: expected UTF-8, found '\\xff'");
    CHECK(refusal(R"("\x41")") ==
          "file 'x', byte 102: expected one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u, found 'x'");
    CHECK(refusal(R"("\u00g0")") == "file 'x', byte 105: expected four hexadecimal digits, found 'g'");
    CHECK(refusal(R"("\u00)") == "file 'x', byte 105: expected four hexadecimal digits, found the end of the header");
    CHECK(refusal("\"\\") == "file 'x', byte 102: expected an escape, found the end of the header");
    const std::string alone = "file 'x', byte 101: expected both halves of a surrogate pair, found the first half";
    CHECK(refusal(R"("\ud83d")") == alone);
    CHECK(refusal(R"("\ud83dx")") == alone);
    CHECK(refusal(R"("\ud83d\n")") == alone);
    CHECK(refusal(R"("\ud83d\u0041")") == alone);
    CHECK(refusal(R"("\ud83d\ud83d")") == alone);
    CHECK(refusal(R"("\ude00")") ==
          "file 'x', byte 101: expected the first half of a surrogate pair, found the second half");
}

TEST_CASE("Numbers are whole and fit into 64 bits") {
    const auto number = [](std::string_view text) { return JsonTokens(text, name, 0).number(); };
    CHECK(number("0") == 0);
    CHECK(number(" 12,") == 12);
    CHECK(number("18446744073709551615") == 18446744073709551615u);
    CHECK(number_refusal("18446744073709551616") ==
          "file 'x', byte 100: expected a number below 2^64, found a larger number");
    CHECK(number_refusal("184467440737095516150") ==
          "file 'x', byte 100: expected a number below 2^64, found a larger number");
    CHECK(number_refusal("-1") == "file 'x', byte 100: expected a whole number of 0 or more, found '-'");
    CHECK(number_refusal("+1") == "file 'x', byte 100: expected a whole number of 0 or more, found '+'");
    CHECK(number_refusal("01") == "file 'x', byte 100: expected a number without leading zeros, found '0'");
    for (const char* text : {"1.0", "1e3", "1E3"})
        CHECK(number_refusal(text) ==
              "file 'x', byte 100: expected a whole number, found a number with a fraction or an exponent");
}

TEST_CASE("What is written is read back") {
    std::string all;
    for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
    all += "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80";
    std::string out;
    append_json_string(out, all);
    CHECK(parsed(out) == all);
    out.clear();
    append_json_string(out, "\b\t\n\v\f\r\x1f\x01\"\\/");
    CHECK(out == R"("\b\t\n\u000b\f\r\u001f\u0001\"\\/")");
}
