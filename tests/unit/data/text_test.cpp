// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/text.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/source/source.hpp>

#include "support.hpp"

using namespace sigma;

namespace {

Dataset sequences(const std::string& text, std::size_t length, const data::Vocabulary& vocabulary) {
    return data::characters(data::memory(text, "text"), vocabulary, length) >> data::dataset("text");
}

}  // namespace

TEST_CASE("A vocabulary numbers the characters of a text in their order") {
    const data::Vocabulary v("to be\n");
    CHECK(v.size() == 6);
    CHECK(v.decode({0, 1, 2, 3, 4, 5}) == "\n beot");
    CHECK(v.encode("bet") == std::vector<std::size_t>{2, 3, 5});
    CHECK(v.decode(v.encode("to be")) == "to be");
    CHECK_FALSE(v.contains('x'));
    CHECK(error_text([&] { v.id('x'); }) == "vocabulary: expected one of its 6 characters, found 'x'");
    CHECK_THROWS_AS(v.character(6), ArgumentError);
    const data::Vocabulary bytes("\xC3\xA4");  // no sign extension
    CHECK(bytes.id('\xC3') == 1);
}

TEST_CASE("Targets are the characters one later") {
    const data::Vocabulary vocabulary("abcdefgh");
    const Dataset dataset = sequences("abcdefgh", 3, vocabulary);
    CHECK(dataset.size() == 2);
    CHECK(dataset.input_size() == 3);
    CHECK_FALSE(dataset.has_labels());  // one for each position
    CHECK(std::vector<float>(dataset.input(1).begin(), dataset.input(1).end()) == std::vector<float>{3, 4, 5});
    CHECK(std::vector<float>(dataset.target(1).begin(), dataset.target(1).end()) == std::vector<float>{4, 5, 6});
    CHECK(sequences("abcd", 3, vocabulary).size() == 1);
    CHECK(sequences("ba", 1, vocabulary).input(0)[0] == 1);
    CHECK_THROWS_WITH(sequences("abc", 3, vocabulary), "file 'text': expected at least 4 characters, found 3");
    CHECK_THROWS_WITH(sequences("", 1, vocabulary), "file 'text': expected at least 2 characters, found 0");
    CHECK_THROWS_AS(sequences("abc", 0, vocabulary), ArgumentError);
    CHECK_THROWS_WITH(sequences("xyz", 2, vocabulary),
                      "file 'text', byte 0: expected one of the 8 characters of the vocabulary, found 'x'");
}

TEST_CASE("Tiny Shakespeare begins with the first citizen") {
    unsetenv("SIGMA_DATA");
    const std::string text = data::tiny_shakespeare();
    CHECK(text.size() == 99844);
    CHECK(text.starts_with("First Citizen:\nBefore we proceed"));
    const data::Vocabulary vocabulary(text);
    const Dataset dataset = sequences(text, 64, vocabulary);
    CHECK(vocabulary.size() == 61);
    CHECK(dataset.size() == 99843 / 64);
    std::string first;
    for (const float id : dataset.target(0)) first += vocabulary.character(static_cast<std::size_t>(id));
    CHECK(first == text.substr(1, 64));

    const Scratch scratch;
    CHECK(data_error([&] { data::tiny_shakespeare(scratch.path.string()); }).file == "input.txt");
    scratch.write("input.txt", std::string("To be"));
    CHECK(data::tiny_shakespeare(scratch.path.string()) == "To be");
    setenv("SIGMA_DATA", scratch.path.c_str(), 1);
    CHECK(data::tiny_shakespeare().size() == 99844);  // sought in tinyshakespeare/ only, for the name says nothing
    unsetenv("SIGMA_DATA");
}
