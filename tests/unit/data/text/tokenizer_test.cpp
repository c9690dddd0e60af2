// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/tokens.hpp>
#include <sigma/data/text/tokenizer.hpp>
#include <sigma/storage/error.hpp>

#include "../support.hpp"
#include "pieces.hpp"
#include "support/scratch.hpp"
#include "support/thrown.hpp"

#include <string>
#include <vector>

using namespace sigma;
using namespace sigma::data;

namespace {

using Ids = std::vector<std::size_t>;
using Strings = std::vector<std::string>;

/// Written by Hugging Face's tokenizers: vectors/make.js.
std::string vectors(const std::string& name) { return SIGMA_TEST_DATA_DIR "/../tests/unit/data/text/vectors/" + name; }
Strings parts(const std::string& text, char between) {
    Strings all(1);
    for (const char c : text)
        if (c == between) all.emplace_back();
        else all.back() += c;
    return all;
}
Strings lines(const std::string& name) {
    Strings all = parts(read_text(file(vectors(name))), '\n');
    all.pop_back();
    return all;
}
std::string from_hexadecimal(const std::string& digits) {
    std::string bytes;
    const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    for (std::size_t i = 0; i < digits.size(); i += 2)
        bytes += static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1]));
    return bytes;
}
Ids numbers(const std::string& text) {
    Ids ids;
    for (const std::string& number : parts(text, ' ')) {
        if (number.empty()) continue;
        ids.push_back(0);
        for (const char c : number) ids.back() = ids.back() * 10 + static_cast<std::size_t>(c - '0');
    }
    return ids;
}
/// All of a text by a stream of pieces.
Ids streamed(const SubwordTokenizer& tokenizer, const std::string& text, std::size_t piece) {
    data::detail::TokenStream stream(tokenizer, "text");
    Ids ids;
    for (std::size_t at = 0; at < text.size(); at += piece) stream.feed(std::string_view(text).substr(at, piece), ids);
    stream.finish(ids);
    return ids;
}
std::string refusal(const std::string& text) {
    return error_text<DataError>([&] { SubwordTokenizer::parse(text, "x"); });
}
void replace(std::string& text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != text.npos);
    text.replace(at, from.size(), to);
}
/// A file of BPE with a, b and ab.
std::string small(std::string_view from = "", std::string_view to = "") {
    std::string text =
        R"({"added_tokens":[{"id":3,"content":"<e>","special":true}],"normalizer":null,)"
        R"("pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false},"post_processor":null,"decoder":{"type":"ByteLevel"},)"
        R"("model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]}})";
    if (!from.empty()) replace(text, from, to);
    return text;
}
const std::string rhyme = "The cat sat. The cat ran, the dog sat.\n\n  The hat\xE2\x80\x99s flat! ";

}  // namespace

TEST_CASE("Tokenizers give what Hugging Face's give") {
    for (const std::string name :
         {"gpt2", "roberta", "bert", "bert_cased", "llama3", "starcoder", "cuts", "llama2", "gemma"}) {
        const auto tokenizer = SubwordTokenizer::load(vectors(name + ".json"));
        const auto saved = SubwordTokenizer::parse(tokenizer.text());
        CHECK(saved == tokenizer);
        const Strings all = lines(name + ".txt");
        REQUIRE(all.size() == 150);
        for (const std::string& line : all) {
            INFO(name << " " << line);
            const Strings columns = parts(line, '\t');
            REQUIRE(columns.size() == 5);
            const std::string text = from_hexadecimal(columns[0]);
            const Ids ids = tokenizer.encode(text);
            CHECK(ids == numbers(columns[1]));
            CHECK(tokenizer.encode(text, {.special = true}) == numbers(columns[2]));
            CHECK(tokenizer.decode(ids) == from_hexadecimal(columns[3]));
            CHECK(tokenizer.decode(ids, {.special = true}) == from_hexadecimal(columns[4]));
            CHECK(saved.encode(text, {.special = true}) == numbers(columns[2]));
            for (const std::size_t piece : {1u, 3u}) CHECK(streamed(tokenizer, text, piece) == ids);
        }
    }
}

TEST_CASE("A pattern that is not understood is a sentence with its place") {
    const auto said = [](const std::string& pattern, const std::string& behavior = "Isolated") {
        return refusal(small(R"({"type":"ByteLevel","add_prefix_space":false})",
                             R"({"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":")" + pattern +
                                 R"("},"behavior":")" + behavior + R"("},{"type":"ByteLevel"}]})"));
    };
    CHECK(said("a|b") == "no error");
    const auto says = [&](const std::string& pattern, const std::string& text) {
        CHECK_THAT(said(pattern), Catch::Contains(text));
    };
    says("a(b", "pattern 'a(b': expected a closing parenthesis, found '' at byte 3");
    says("a)", "expected an opening before the closing parenthesis");
    says("(?<=a)b", "expected a group (?:");
    says("*a", "expected something to repeat");
    says("[a", "expected a closing bracket");
    says("[b-a]", "expected a range of characters");
    says("\\\\p{Nothing}", "expected a general category such as L or Nd");
    says("\\\\b", "expected a class of characters");
    says("(a)++", "expected a character to repeat, or a group without possessive repetition");
    says("a{2,}+", "expected something to repeat");  // in Ruby's syntax another repetition, in Java's a possessive one
    says(std::string(1025, 'a'), "expected a pattern of at most 1024 bytes, found 1025");
    says("a{3,2}", "expected a number of times {m,n}");
    CHECK_THAT(said("a", "Elsewhere"), Catch::Contains("expected a behavior of Split, found 'Elsewhere'"));
    // What would try for ever ends in a sentence.
    const auto slow = SubwordTokenizer::parse(
        small(R"({"type":"ByteLevel","add_prefix_space":false})",
              R"({"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":"(?:a|aa)+b"},)"
              R"("behavior":"Isolated"},{"type":"ByteLevel","add_prefix_space":false}]})"),
        "x");
    CHECK_THAT(error_text<ArgumentError>([&] { slow.encode(std::string(60, 'a')); }),
               Catch::Contains("expected less work to match its pattern"));
    CHECK(slow.encode("abaab").size() == 3);
    CHECK_THAT(error_text<ArgumentError>([&] { slow.encode(std::string(100'000, 'a') + "b"); }),
               Catch::Contains("its pattern"));
}

TEST_CASE("BPE is learned as Hugging Face's trainer learns it") {
    const auto tokenizer = SubwordTokenizer::train(file(vectors("corpus.txt")), {.min_count = 1, .special = {"<s>"}});
    const Strings merges = lines("merges.txt");
    REQUIRE(tokenizer.size() <= 1 + 256 + merges.size());  // two merges may make one token
    const auto repeated = 1 + 256 + merges.size() - tokenizer.size();
    Strings learned;
    for (std::size_t id = 257; id < tokenizer.size(); ++id) learned.push_back(tokenizer.token(id));
    Strings wanted;
    for (const std::string& merge : merges) {
        const Strings two = parts(merge, ' ');
        const std::string joined = two[0] + two[1];
        if (std::find(wanted.begin(), wanted.end(), joined) == wanted.end()) wanted.push_back(joined);
    }
    CHECK(wanted.size() + repeated == merges.size());
    CHECK(learned == wanted);
    CHECK(tokenizer ==
          SubwordTokenizer::train(read_text(file(vectors("corpus.txt"))), {.min_count = 1, .special = {"<s>"}}));
}

TEST_CASE("A trained tokenizer") {
    const auto tokenizer = SubwordTokenizer::train(rhyme, {.vocabulary_size = 270, .special = {"<|end|>"}});
    CHECK(tokenizer.size() == 265);  // no pair is left that occurs twice
    CHECK(tokenizer.token(0) == "<|end|>");
    CHECK(tokenizer.is_special(0));
    CHECK_FALSE(tokenizer.is_special(1));
    CHECK(tokenizer.token(257) == "at");  // six times; the next pair, "he", four
    CHECK(tokenizer.id("he") == 258);
    CHECK(tokenizer.find("ran") == std::nullopt);
    const Ids ids = tokenizer.encode(rhyme + "<|end|>\xF0\x9F\x99\x82");
    CHECK(tokenizer.decode(ids) == rhyme + "\xF0\x9F\x99\x82");
    CHECK(tokenizer.decode(ids, {.special = true}) == rhyme + "<|end|>\xF0\x9F\x99\x82");
    CHECK(std::count(ids.begin(), ids.end(), 0u) == 1);
    CHECK(tokenizer.decode({ids.back()}) == "\x82");  // within a character
    CHECK(SubwordTokenizer::train(rhyme, {.vocabulary_size = 258}).token(256) == "at");
    // Many pairs that come again in the same words.
    const std::string runs = std::string(3000, 'a') + " " + std::string(2000, 'a') + std::string(2000, 'b') + " baab";
    const auto of_runs = SubwordTokenizer::train(runs, {.min_count = 1});
    CHECK(of_runs.size() < 350);
    CHECK(of_runs.encode(runs).size() == 3);
    CHECK(of_runs.decode(of_runs.encode(runs)) == runs);
    CHECK(SubwordTokenizer::train("", {}).size() == 256);
    CHECK(SubwordTokenizer::train(pieces(rhyme, 3), {.special = {"<|end|>"}}) ==
          SubwordTokenizer::train(rhyme, {.special = {"<|end|>"}}));

    CHECK(
        error_text<ArgumentError>([] { SubwordTokenizer::train("a", {.vocabulary_size = 256, .special = {"<s>"}}); }) ==
        "training of a tokenizer: expected a vocabulary_size from 257 (the bytes and special tokens) to 16777216, "
        "found 256");
    CHECK(error_text<ArgumentError>([] { SubwordTokenizer::train("a", {.special = {"<s>", "<s>"}}); }) ==
          "special tokens: expected different, non-empty texts, found '<s>'");
    CHECK(error_text<ArgumentError>([] { SubwordTokenizer::train("a", {.special = {"!"}}); }) ==
          "special tokens: expected tokens other than the letters of bytes, found '!'");
    CHECK(error_text<DataError>([] { SubwordTokenizer::train(pieces("ab \xFF")); }) ==
          "file 'corpus.txt', byte 3: expected a character of UTF-8, found '\\xff'");
    CHECK(error_text<DataError>([] { SubwordTokenizer::train(pieces(std::string((1 << 20) + 70'000, 'a'))); }) ==
          "file 'corpus.txt', byte 0: expected white space within 1048576 bytes, found none");
}

TEST_CASE("WordPiece from a vocab.txt") {
    const std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\n##se\ndon\n'\nt\n.\nThe\r\n";
    const auto tokenizer = SubwordTokenizer::word_pieces(memory(vocabulary));
    CHECK(tokenizer.size() == 11);
    CHECK(tokenizer.encode("These don't. Cat", {.special = true}) == Ids{2, 4, 5, 6, 7, 8, 9, 1, 3});
    CHECK(tokenizer.decode({2, 4, 5, 6, 7, 8, 9, 3}) == "these don ' t.");
    CHECK(tokenizer.encode("[SEP]th\xC3\xA9") == Ids{3, 4});
    CHECK(SubwordTokenizer::word_pieces(memory(vocabulary), {.lower_case = false}).encode("These the") ==
          Ids{10, 5, 4});
    CHECK(tokenizer.encode(std::string(100, 't')) == Ids{1});
    CHECK(SubwordTokenizer::parse(tokenizer.text()) == tokenizer);
    CHECK(error_text<DataError>([] { SubwordTokenizer::word_pieces(memory("a\nb\na\n")); }) ==
          "file 'memory', line 3: expected each token once, found 'a' again");
    CHECK(error_text<DataError>([] { SubwordTokenizer::word_pieces(memory("a\n")); }) ==
          "file 'memory': expected the token '[UNK]' for unknown text, found none");
}

TEST_CASE("A corpus becomes a dataset of token numbers") {
    std::string corpus;
    for (int i = 0; i < 30'000; ++i) corpus += i % 7 == 0 ? "\n\n  cat" : i % 3 == 0 ? " the" : " sat.";
    const auto tokenizer = SubwordTokenizer::train(rhyme, {.special = {"<pad>"}});
    const Ids ids = tokenizer.encode(corpus);
    const auto all = tokens<8>(memory(corpus), tokenizer) >> dataset("corpus");
    REQUIRE(all.size() == (ids.size() - 1) / 8);
    bool right = true;
    for (std::size_t r = 0; r < all.size(); ++r)
        for (std::size_t i = 0; i < 8; ++i)
            right = right && all.input(r)[i] == static_cast<float>(ids[8 * r + i]) &&
                    all.target(r)[i] == static_cast<float>(ids[8 * r + i + 1]);
    CHECK(right);
    CHECK(tokenizer.decode(all.input(0)) == tokenizer.decode(Ids(ids.begin(), ids.begin() + 8)));
    const auto padded = tokens(memory("the cat"), tokenizer, 4, {.drop_last = false}) >> dataset("short");
    CHECK(tokenizer.decode(padded.input(padded.size() - 1), {.special = true}).find("<pad>") != std::string::npos);
    CHECK(error_text<ArgumentError>(
              [&] { tokens<4>(memory("the cat"), SubwordTokenizer::train(rhyme), {.drop_last = false}); }) ==
          "tokens of 'memory' with .drop_last = false: expected <pad> or [PAD] in the tokenizer, found "
          "neither");
    for (const std::string bytes : {"\xF9 ", "\xF9\xF9 \xF9 ", "\x80\x80\x80\x80\x80 "})
        CHECK_THROWS_AS(tokens<4>(memory(bytes), tokenizer) >> dataset("bad"), DataError);
    CHECK(error_text<DataError>([&] { tokens<4>(memory("the \xC3 cat"), tokenizer) >> dataset("bad"); }) ==
          "file 'memory', byte 4: expected a character of UTF-8, found '\\xc3'");
}

TEST_CASE("Of added tokens the longest that is there is taken") {
    std::string added;
    const Strings contents{"<", "<a", "<ab", "<abcd", "<b", "a<a", "bb", "ba"};
    for (std::size_t i = 0; i < contents.size(); ++i)
        added += sentence(R"(,{"id":)", 4 + i, R"(,"content":")", contents[i], R"("})");
    const auto tokenizer = SubwordTokenizer::parse(small(R"("special":true})", R"("special":true})" + added));
    const auto strings = [&](std::string_view text) {
        std::string all;
        for (const std::size_t id : tokenizer.encode(text)) all += tokenizer.token(id) + " ";
        return all;
    };
    CHECK(strings("<abcd<ab<a<<b<e>") == "<abcd <ab <a < <b <e> ");
    CHECK(strings("bab<ab") == "ba b <ab ");
    CHECK(strings("aab<") == "a ab < ");
    CHECK(strings("a<ab") == "a<a b ");
    CHECK(strings("bbab") == "bb ab ");
}

TEST_CASE("An added token is its own text, whatever letters it has") {
    // Letters of Latin-1 stand for single bytes in tokens of BPE: U+00E9 for the byte 0xE9, which is no UTF-8.
    const std::string cafe = "caf\xC3\xA9",
                      opening =
                          "<d\xC3\xA9"
                          "but>",
                      macron = "\xC4\xA0x", far = "\xE2\x82\xAC";
    std::string added = sentence(R"(,{"id":4,"content":")", opening, R"(","special":true})");
    const std::string more[] = {cafe, macron, far};
    for (std::size_t i = 0; i < 3; ++i) added += sentence(R"(,{"id":)", 5 + i, R"(,"content":")", more[i], R"("})");
    for (const bool in_vocabulary : {false, true}) {
        std::string text = small(R"("special":true})", R"("special":true})" + added);
        if (in_vocabulary) replace(text, R"("ab":2)", sentence(R"("ab":2,")", opening, R"(":4,")", cafe, R"(":5)"));
        const auto tokenizer = SubwordTokenizer::parse(text);
        const std::string all = "ab" + cafe + macron + "a" + far;
        CHECK(tokenizer.encode(all) == Ids{2, 5, 6, 0, 7});
        CHECK(tokenizer.decode(tokenizer.encode(all)) == all);
        CHECK(tokenizer.decode(tokenizer.encode(opening + "b"), {.special = true}) == opening + "b");
        CHECK(tokenizer.decode(tokenizer.encode(opening + "b")) == "b");
    }
}

TEST_CASE("A tokenizer is saved and loaded") {
    const Scratch scratch;
    const auto tokenizer = SubwordTokenizer::train(rhyme);
    tokenizer.save(scratch / "tokenizer.json");
    CHECK(SubwordTokenizer::load(scratch / "tokenizer.json") == tokenizer);
    CHECK_FALSE(SubwordTokenizer::train("abab ab") == tokenizer);
    CHECK_THROWS_AS(tokenizer.save(scratch / "no/where.json"), StorageError);
    CHECK_THROWS_AS(SubwordTokenizer::load(scratch / "none.json"), DataError);
}

TEST_CASE("Files that say what is not known are refused") {
    CHECK(refusal(small()) == "no error");
    CHECK(SubwordTokenizer::parse(small(R"(["a b"])", R"([["a", "b"]])")).encode("abba<e>") == Ids{2, 1, 0, 3});
    CHECK(refusal(small(R"("normalizer":null)", R"("normalizer":{"type":"Lowercase"})")) ==
          "file 'x', byte 79: expected no normalizer, or a form of Unicode, found 'Lowercase'");
    CHECK(refusal(small(R"({"type":"ByteLevel","add_prefix_space":false})", "null"))
              .find("a pre-tokenizer ByteLevel, found null") != std::string::npos);
    CHECK(refusal(small(R"({"type":"ByteLevel"})", R"({"type":"Fuse"})")).find("a decoder ByteLevel, found 'Fuse'") !=
          std::string::npos);
    CHECK(refusal(small(R"("BPE")", R"("Unigram")")).find("a model BPE or WordPiece, found 'Unigram'") !=
          std::string::npos);
    CHECK(refusal(small(R"("merges")", R"("byte_fallback":true,"merges")"))
              .find("no pre-tokenizer beside byte_fallback, found an object") != std::string::npos);
    CHECK(refusal(small(R"("ab":2)", R"("ab":7)")) ==
          "file 'x': expected each of the numbers 0 to 3 for one token, found 7");
    CHECK(refusal(small(R"("ab":2)", R"("ab":1)")) ==
          "file 'x': expected each of the numbers 0 to 3 for one token, found 1 for two");
    CHECK(refusal(small(R"("ab":2)", R"("a":2)")).find("each token once, found 'a' again") != std::string::npos);
    CHECK(refusal(small(R"("a b")", R"("a c")")) == "file 'x', merge 0: expected tokens of the vocabulary, found 'c'");
    CHECK(refusal(small(R"("a b")", R"("b a")")) ==
          "file 'x', merge 0: expected two tokens that form a token of the vocabulary, found 'ba'");
    CHECK(refusal(small(R"("a b")", R"("a b c")"))
              .find("two tokens with one space between them, found a text of another form") != std::string::npos);
    CHECK(refusal(small(R"("ab":2)", R"("ab":16777216)")).find("a number below 16777216, found 16777216") !=
          std::string::npos);
    CHECK(refusal(small(R"("special":true)", R"("special":1)")).find("true or false as special, found 1") !=
          std::string::npos);
    CHECK(refusal(small(R"("<e>")", '"' + std::string(1025, 'e') + '"')).find("an added token of 1 to 1024 bytes") !=
          std::string::npos);
    CHECK(
        refusal(R"({"model":{"type":"WordPiece","unk_token":"a","max_input_chars_per_word":1001,"vocab":{"a":0}}})") ==
        "file 'x', byte 72: expected words of at most 1000 characters, found 1001");
    CHECK(refusal("{}") == "file 'x': expected a model of a tokenizer, found none");
    CHECK(refusal(small() + "x").find("the end of the text, found 'x'") != std::string::npos);
    CHECK(refusal(std::string(100'000, '[')) == "file 'x', byte 0: expected '{', found '['");
    CHECK(refusal("{\"a\":" + std::string(100'000, '[')) ==
          "file 'x', byte 37: expected values within values at most 32 deep, found '['");
    CHECK(refusal("{\"a\":[" + [] {
              std::string many = "0";
              for (int i = 0; i < 1'100'000; ++i) many += ",0";
              return many;
          }()) == "file 'x', byte 2097156: expected at most 1048576 values beside the vocabulary, found '0'");
    const auto tokenizer = SubwordTokenizer::parse(small());
    CHECK(error_text<ArgumentError>([&] { tokenizer.encode("abc"); }) ==
          "text: expected bytes with a token in the vocabulary, found 'c'");
    CHECK(error_text<DataError>([&] { tokenizer.encode("ab\xE2\x82"); }) ==
          "file 'text', byte 2: expected a character of UTF-8, found '\\xe2\\x82'");
    CHECK(error_text<ArgumentError>([&] { tokenizer.decode({4}); }) == "token: expected a number below 4, found 4");
    CHECK(error_text<ArgumentError>([&] { tokenizer.decode(std::vector<float>{0.5f}); }) ==
          "token: expected a whole number below 4, found 0.5");
    CHECK(error_text<ArgumentError>([&] { tokenizer.id("c"); }) ==
          "token: expected one of the 4 of the tokenizer, found 'c'");
}

TEST_CASE("Whatever a file of a tokenizer has become, it is one or refused") {
    PhiloxSequence random{Philox(3)};
    for (const std::string name : {"gpt2", "roberta", "bert"}) {
        const std::string whole_text = read_text(file(vectors(name + ".json")));
        int refused = 0;
        for (int i = 0; i < 300; ++i) {
            std::string text = whole_text;
            if (i % 3 == 0) text.resize(random.bits() % text.size());
            else
                for (std::uint64_t n = 1 + random.bits() % 3; n > 0; --n)
                    text[random.bits() % text.size()] = static_cast<char>(random.bits() & 0xFF);
            try {
                SubwordTokenizer::parse(text).encode("the cat");
            } catch (const DataError&) { ++refused; } catch (const ArgumentError&) {
                ++refused;  // a byte has lost its token
            }
        }
        CHECK(refused >= 100);  // all that are cut off
    }
}
