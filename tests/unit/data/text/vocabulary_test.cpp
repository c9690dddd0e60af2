// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/text/vocabulary.hpp>
#include <sigma/storage/error.hpp>
#include <sigma/storage/utf8.hpp>

#include "../support.hpp"
#include "pieces.hpp"

using namespace sigma;
using namespace sigma::data;

namespace {

using Strings = std::vector<std::string>;
using Ids = std::vector<std::size_t>;

const std::string rhyme = "The cat sat. The cat ran, the dog sat.";

std::string random_text(PhiloxSequence& random, bool utf8) {
    static const Strings parts{"a",  "B", "'", " ",  "  ",  "\n", "ä",    "€",
                               "😀", "7", ",", "\\", "\\x", "\t", "word", "<unk>"};
    std::string text;
    for (std::uint64_t i = 1 + random.bits() % 40; i > 0; --i)
        text += utf8 ? parts[random.bits() % parts.size()] : std::string(1, static_cast<char>(random.bits() & 0xFF));
    return text;
}

}  // namespace

TEST_CASE("Tokens are numbered by their codes or by how often they are there") {
    CHECK(Vocabulary("banana").tokens() == Strings{"a", "b", "n"});
    CHECK(Vocabulary("banana", {.order = TokenOrder::frequency}).tokens() == Strings{"a", "n", "b"});
    CHECK(Vocabulary("bäbä", {.unit = Unit::character}).tokens() == Strings{"b", "ä"});
    CHECK(Vocabulary(rhyme, {.unit = Unit::word}).tokens() ==
          Strings{".", "The", "cat", "sat", ",", "dog", "ran", "the"});  // equally frequent ones by their codes
    CHECK(Vocabulary(rhyme, {.unit = Unit::word, .lower_case = true}).tokens().front() == "the");
    CHECK(Vocabulary(rhyme, {.unit = Unit::spaced_word, .order = TokenOrder::code}).tokens() ==
          Strings{"The", "cat", "dog", "ran,", "sat.", "the"});
}

TEST_CASE("Rare tokens are left out, special ones come first") {
    const Vocabulary v(rhyme, {.unit = Unit::word, .min_count = 2, .special = {"<pad>", "<unk>", "<start>", "<end>"}});
    CHECK(v.tokens() == Strings{"<pad>", "<unk>", "<start>", "<end>", ".", "The", "cat", "sat"});
    CHECK(v.special() == 4);
    CHECK(v.encode("The dog sat!") == Ids{5, 1, 7, 1});
    CHECK(v.decode({2, 5, 1, 7, 3}) == "<start> The <unk> sat <end>");
    CHECK(v.find(padding_token) == 0);
    CHECK(v.find("dog") == std::nullopt);
    CHECK_FALSE(v.contains("dog"));
    const Vocabulary small(rhyme, {.unit = Unit::word, .max_size = 3, .special = {"<unk>"}});
    CHECK(small.tokens() == Strings{"<unk>", ".", "The"});
    CHECK(Vocabulary("aabbbc", {.max_size = 2}).tokens() == Strings{"a", "b"});  // the most frequent ones, by code
    CHECK(Vocabulary("ab", {.max_size = 0, .special = {"<unk>"}}).tokens() == Strings{"<unk>"});
    CHECK(Vocabulary("a <unk> b", {.unit = Unit::spaced_word, .special = {"<unk>"}}).encode("b <unk> c") ==
          Ids{2, 0, 0});
}

TEST_CASE("A vocabulary from a source is that of its text") {
    for (const Unit unit : {Unit::byte, Unit::character, Unit::word, Unit::spaced_word})
        for (const std::size_t piece : std::vector<std::size_t>{1, 7, 1000}) {
            const VocabularyOptions options{.unit = unit, .special = {"<unk>"}};
            CHECK(Vocabulary(pieces(rhyme + " ä€", piece), options) == Vocabulary(rhyme + " ä€", options));
        }
    CHECK(Vocabulary("ab") != Vocabulary("abc"));
    CHECK(Vocabulary("ab") != Vocabulary("ab", {.unit = Unit::character}));
    CHECK(Vocabulary("ab") != Vocabulary("ab", {.lower_case = true}));
}

TEST_CASE("A vocabulary that was moved from has no tokens") {
    Vocabulary words(rhyme, {.unit = Unit::word});
    const Vocabulary moved = std::move(words);
    CHECK(moved.contains("cat"));
    CHECK(words.size() == 0);
    CHECK_FALSE(words.contains("cat"));
}

TEST_CASE("A packed text is no text") {
    const std::string packed("\x1F\x8B\x08\0\0\0\0\0\0\x03", 10);
    const std::string expected = "file 'corpus.txt', byte 0: expected text in UTF-8, found data packed by gzip";
    for (const Unit unit : {Unit::byte, Unit::character, Unit::word, Unit::spaced_word})
        CHECK(error_text([&] { Vocabulary(pieces(packed, 3), {.unit = unit}); }) == expected);
    CHECK(error_text([&] { Vocabulary::load(pieces(packed, 3)); }) == expected);
    CHECK(error_text([&] { Vocabulary(pieces("BZh91AY&SY", 100)); }).ends_with("found data packed by bzip2"));
    CHECK(Vocabulary(pieces("BZh91", 2)).size() == 5);
}

TEST_CASE("What is encoded is decoded to the same") {
    PhiloxSequence random{Philox(3)};
    for (int round = 0; round < 300; ++round) {
        const std::string bytes = random_text(random, false), text = random_text(random, true);
        const Vocabulary of_bytes(bytes), of_characters(text, {.unit = Unit::character});
        REQUIRE(of_bytes.decode(of_bytes.encode(bytes)) == bytes);
        REQUIRE(of_characters.decode(of_characters.encode(text)) == text);
        for (const Unit unit : {Unit::word, Unit::spaced_word}) {
            const Vocabulary words("x " + text, {.unit = unit});
            const Ids ids = words.encode(text);
            REQUIRE(words.encode(words.decode(ids)) == ids);
        }
    }
}

TEST_CASE("A vocabulary survives as text") {
    PhiloxSequence random{Philox(4)};
    for (int round = 0; round < 200; ++round)
        for (const Unit unit : {Unit::byte, Unit::character, Unit::word, Unit::spaced_word}) {
            const std::string text = "x " + random_text(random, unit != Unit::byte);
            const Vocabulary v(text, {.unit = unit, .lower_case = round % 2 == 0, .special = {"<pad>", "a \\ b"}});
            const std::string kept = v.text();
            const Vocabulary again = Vocabulary::parse(kept);
            REQUIRE(again == v);
            REQUIRE(again.text() == kept);
            REQUIRE(storage::utf8_fault(kept) == kept.npos);
        }
    CHECK(Vocabulary(" \\a\x7F\xC3", {.special = {"<unk>"}}).text() ==
          "sigma-vocabulary 1 unit=byte lower_case=no special=1 tokens=6\n<unk>\n\\x20\n\\\\\na\n\\x7f\n\\xc3\n");
}

TEST_CASE("A vocabulary survives in a file") {
    const Scratch scratch;
    const std::string path = (scratch.path / "words.txt").string();
    const Vocabulary v(rhyme, {.unit = Unit::word, .lower_case = true, .special = {"<unk>"}});
    v.save(path);
    CHECK(Vocabulary::load(path) == v);
    CHECK(Vocabulary::load(pieces(v.text(), 10)) == v);
    CHECK_THROWS_AS(v.save(scratch.path.string()), StorageError);
    CHECK(data_error([&] { Vocabulary::load((scratch.path / "none").string()); }).expected == "a readable file");
}

TEST_CASE("A vocabulary says what it cannot do") {
    const Vocabulary v("abc"), words("one two", {.unit = Unit::word});
    CHECK(error_text([&] { v.id("ab"); }) == "vocabulary: expected one of its 3 characters, found 'ab'");
    CHECK(error_text([&] { words.encode("one three"); }) == "vocabulary: expected one of its 2 words, found 'three'");
    CHECK(error_text([&] { v.token(3); }) == "vocabulary: expected a number from 0 to 2, found 3");
    CHECK(error_text([&] { words.character(0); }) == "vocabulary: expected a token of one byte, found 'one'");
    CHECK(v.decode(std::vector<float>{0, 2}) == "ac");
    for (const float wrong : {-1.0f, 0.5f, 3.0f, std::numeric_limits<float>::quiet_NaN(), 1e30f})
        CHECK_THROWS_AS(v.decode(std::vector<float>{wrong}), ArgumentError);
    CHECK(error_text([] { Vocabulary(""); }) == "vocabulary: expected a text with at least one token, found none");
    CHECK(error_text([] { Vocabulary(pieces(" \n"), {.unit = Unit::word}); }) ==
          "file 'corpus.txt': expected a text with at least one token, found none");
    CHECK_THROWS_AS(Vocabulary("a", {.min_count = 2}), ArgumentError);  // no token is left
    CHECK(error_text([] { Vocabulary("a", {.special = {"<pad>", "<pad>"}}); }) ==
          "token 1 of a vocabulary: expected each token once, found '<pad>' again");
    CHECK_THROWS_AS(Vocabulary("a", {.special = {"ä"}}), ArgumentError);
    CHECK_THROWS_AS(Vocabulary("a", {.special = {""}}), ArgumentError);
    CHECK_THROWS_AS(Vocabulary({Unit::word}, {"a b"}), ArgumentError);
    CHECK_THROWS_AS(Vocabulary({Unit::character}, {"ab"}), ArgumentError);
    CHECK_THROWS_AS(Vocabulary({Unit::byte}, {"ä"}), ArgumentError);
    CHECK_THROWS_AS(Vocabulary({Unit::byte}, {"a"}, 2), ArgumentError);
    CHECK(data_error([&] { Vocabulary(pieces("ab\xFF"), {.unit = Unit::character}); }).place == "byte 2");
}

TEST_CASE("Damaged vocabularies are refused with the line") {
    const std::string head = "sigma-vocabulary 1 unit=character lower_case=no special=1 tokens=3\n";
    const std::string good = head + "<unk>\na\n\\x20\n";
    CHECK(Vocabulary::parse(good).size() == 3);
    struct Case {
        std::string text;
        int line;
        std::string found;  // a part of it
    };
    const auto header = [](const std::string& rest) {
        return "sigma-vocabulary 1 unit=byte lower_case=no special=0 " + rest;
    };
    const std::vector<Case> cases{
        {"", 1, "the end"},
        {"sigma-vocabulary 1", 1, "'sigma-vocabulary 1'"},
        {"<html><body>404</body></html>\n", 1, "'<html>"},
        {"version https://git-lfs.github.com/spec/v1\n", 1, "'version"},
        {"\uFEFF" + good, 1, "sigma-vocabulary"},
        {"sigma-vocabulary 2 unit=byte lower_case=no special=0 tokens=1\na\n", 1, "'2'"},
        {"sigma-vocabulary 1 unit=letter lower_case=no special=0 tokens=1\na\n", 1, "'letter'"},
        {"sigma-vocabulary 1 unit=byte lower_case=maybe special=0 tokens=1\na\n", 1, "'maybe'"},
        {"sigma-vocabulary 1 lower_case=no unit=byte special=0 tokens=1\na\n", 1, "' lower_case"},
        {"sigma-vocabulary 1 unit=byte lower_case=no special=2 tokens=1\na\n", 1, "1 tokens and 2"},
        {header("tokens=0\n"), 1, "0 tokens"},
        {header("tokens=\na\n"), 1, "''"},
        {header("tokens=01\na\n"), 1, "'01'"},
        {header("tokens=-1\na\n"), 1, "'-1'"},
        {header("tokens=1x\na\n"), 1, "'1x'"},
        {header("tokens=1 \na\n"), 1, "' '"},
        {header("tokens=1\r\na\r\n"), 1, "'1\\x0d'"},
        {header("tokens=18446744073709551617\na\n"), 1, "'18446744073709551617'"},
        {header("tokens=16777216\na\n"), 1, "2 bytes"},
        {header("tokens=2\na\n"), 1, "2 bytes"},
        {header("tokens=2\na\nb"), 1, "3 bytes"},
        {header("tokens=2\n\\\\\n\\x20"), 3, "'\\x20'"},
        {header("tokens=1\na\nb\n"), 3, "'b'"},
        {header("tokens=1\na\n\n"), 3, "''"},
        {header("tokens=2\na\na\n"), 3, "line 2 again"},
        {header("tokens=1\nab\n"), 2, "more than one byte"},
        {header("tokens=1\n\n\n"), 2, "none"},
        {header("tokens=1\n\\\n"), 2, "'\\'"},
        {header("tokens=1\n\\n\n"), 2, "'\\n'"},
        {header("tokens=1\n\\x2\n"), 2, "'\\x2'"},
        {header("tokens=1\n\\x2G\n"), 2, "'\\x2G'"},
        {header("tokens=1\n\\xC3\n"), 2, "'\\xC3'"},
        {header("tokens=1\n\\x61\n"), 2, "'\\x61'"},  // the letter a
        {header("tokens=1\n \n"), 2, "' '"},          // a space not written \x20
        {header("tokens=1\n\x01\n"), 2, "'\\x01'"},
        {header("tokens=1\n\xC3\n"), 2, "'\\xc3'"},
        {head + "u\na\nb\n", 2, "a single character"},
        {head + "<unk>\n\\xff\nb\n", 3, "not UTF-8"},
        {head + "<unk>\nab\nc\n", 3, "more than one character"},
        {head + "<unk>\na\n<unk>\n", 4, "more than one character"},
        {"sigma-vocabulary 1 unit=word lower_case=no special=0 tokens=1\na\\x20b\n", 2, "white space"},
        {"sigma-vocabulary 1 unit=word lower_case=no special=0 tokens=1\na\u3000b\n", 2, "white space"},
        {"sigma-vocabulary 1 unit=spaced-word lower_case=no special=0 tokens=1\n\\xc3(\n", 2, "not UTF-8"},
    };
    CHECK(cases.size() >= 40);
    for (const Case& each : cases) {
        INFO(each.text);
        const DataError refusal = data_error([&] { Vocabulary::parse(each.text, "v.txt"); });
        CHECK(refusal.file == "v.txt");
        CHECK(refusal.place == sentence("line ", each.line));
        CHECK_FALSE(refusal.expected.empty());
        CHECK_THAT(refusal.found, Catch::Contains(each.found));
    }
    for (std::size_t i = 0; i < good.size(); ++i) {
        INFO(i);
        CHECK_THROWS_AS(Vocabulary::parse(good.substr(0, i)), DataError);
        const bool in_name = i >= head.size() && i < head.size() + 5;  // without a letter of it, <unk> is another one
        if (!in_name) CHECK_THROWS_AS(Vocabulary::parse(good.substr(0, i) + good.substr(i + 1)), DataError);
    }
}
