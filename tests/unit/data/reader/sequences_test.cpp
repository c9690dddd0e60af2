// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/reader/text.hpp>

#include "../support.hpp"
#include "../text/pieces.hpp"

using namespace sigma;
using namespace sigma::data;

namespace {

using Ids = std::vector<std::size_t>;

/// All records, read `most` at a time: values[s] of the result holds section s.
Block all_of(RecordReader& reader, std::size_t most) {
    Block all, part;
    all.values.resize(reader.sections().size());
    while (reader.read(most, part) > 0) {
        CHECK(part.records <= most);
        all.records += part.records;
        for (std::size_t s = 0; s < all.values.size(); ++s) {
            CHECK(part.values[s].floats().size() == part.records * reader.sections()[s].size());
            all.values[s].floats().insert(all.values[s].floats().end(), part.values[s].floats().begin(),
                                          part.values[s].floats().end());
        }
    }
    CHECK(reader.read(most, part) == 0);
    return all;
}

/// What the records should be, by a loop over a text in memory.
Block expected(const Ids& ids, std::size_t length, std::size_t offset, std::size_t step, std::optional<float> padding) {
    Block all{0, {{}, {}}};
    std::size_t covered = 0;
    const auto add = [&](std::size_t first) {
        for (std::size_t i = first; i < first + length; ++i) {
            all.values[0].floats().push_back(i < ids.size() ? static_cast<float>(ids[i]) : *padding);
            all.values[1].floats().push_back(i + offset < ids.size() ? static_cast<float>(ids[i + offset]) : *padding);
        }
        ++all.records;
        covered = first + length + offset;
    };
    std::size_t first = 0;
    for (; first + length + offset <= ids.size(); first += step) add(first);
    if (padding && first + offset < ids.size() && covered < ids.size()) add(first);
    return all;
}

}  // namespace

TEST_CASE("A text is read as sequences whose targets are one character later") {
    const Vocabulary vocabulary("abcdefgh");
    const auto text = characters<3>(pieces("abcdefgh"), vocabulary);
    static_assert(std::is_same_v<decltype(text)::Schema, Schema<SectionField<"inputs", Role::input, Extents<3>>,
                                                                SectionField<"targets", Role::target, Extents<3>>>>);
    CHECK(text.reader->sections() == std::vector<SectionInfo>{{"inputs", {3}, false}, {"targets", {3}, true}});
    const Block all = all_of(*text.reader, 10);
    CHECK(all.records == 2);
    CHECK(vocabulary.decode(all.values[0].floats()) == "abcdef");
    CHECK(vocabulary.decode(all.values[1].floats()) == "bcdefg");
    text.reader->rewind();
    CHECK(all_of(*text.reader, 1).values == all.values);
}

TEST_CASE("Words are read alike, unknown ones as <unk>") {
    const Vocabulary vocabulary("one two one two three", {.unit = Unit::word, .special = {"<pad>", "<unk>"}});
    const auto text = words<2>(pieces("one two four one three", 3), vocabulary, {.drop_last = false});
    const Block all = all_of(*text.reader, 7);
    CHECK(all.records == 2);
    CHECK(vocabulary.decode(all.values[0].floats()) == "one two <unk> one");
    CHECK(vocabulary.decode(all.values[1].floats()) == "two <unk> one three");
    const auto longer = words(pieces("one two one two"), vocabulary, 3, {.offset = 2, .drop_last = false});
    static_assert(!decltype(longer)::Schema::has("outputs"));
    const Block padded = all_of(*longer.reader, 7);
    CHECK(vocabulary.decode(padded.values[0].floats()) == "one two one");
    CHECK(vocabulary.decode(padded.values[1].floats()) == "one two <pad>");
}

TEST_CASE("Offsets, steps and padding are those of a loop over the text") {
    const std::string letters = "abcdefghij";
    const Vocabulary vocabulary(letters, {.special = {"<pad>"}});
    PhiloxSequence random{Philox(11)};
    for (int round = 0; round < 400; ++round) {
        std::string text;
        for (std::uint64_t i = 1 + random.bits() % 40; i > 0; --i) text += letters[random.bits() % letters.size()];
        const std::size_t length = 1 + random.bits() % 6, offset = random.bits() % 5, step = random.bits() % 9;
        const bool drop = random.bits() % 2 == 0;
        const auto padding = drop ? std::optional<float>() : std::optional<float>(0.0f);
        const Block wanted = expected(vocabulary.encode(text), length, offset, step == 0 ? length : step, padding);
        const auto pipeline = characters(pieces(text, 1 + random.bits() % 9), vocabulary, length,
                                         {.offset = offset, .step = step, .drop_last = drop});
        INFO(text << ' ' << length << ' ' << offset << ' ' << step << ' ' << drop);
        for (const std::size_t most : std::vector<std::size_t>{1, 3, 100}) {
            pipeline.reader->rewind();
            if (wanted.records == 0) {
                REQUIRE_THROWS_AS(all_of(*pipeline.reader, most), DataError);
                continue;
            }
            const Block found = all_of(*pipeline.reader, most);
            REQUIRE(found.records == wanted.records);
            REQUIRE(found.values == wanted.values);
        }
    }
}

TEST_CASE("A text that is longer than what is held in memory gives every record") {
    std::string text;
    for (unsigned i = 0; i < 300'000; ++i) text += static_cast<char>('a' + (i * i + i / 7) % 26);
    const Vocabulary vocabulary(text);
    const auto pipeline = characters<50>(pieces(text, 10'007), vocabulary);
    const Block all = all_of(*pipeline.reader, 128);
    CHECK(all.records == 299'999 / 50);
    CHECK(vocabulary.decode(all.values[0].floats()) == text.substr(0, all.records * 50));
    CHECK(vocabulary.decode(all.values[1].floats()) == text.substr(1, all.records * 50));
}

TEST_CASE("Texts that cannot be read say where") {
    const Vocabulary letters("abc"), of_words("one two", {.unit = Unit::word});
    const auto refusal = [](const auto& pipeline) { return data_error([&] { all_of(*pipeline.reader, 5); }); };
    CHECK(refusal(characters<3>(pieces(""), letters)).what() ==
          std::string("file 'corpus.txt': expected at least 4 characters, found 0"));
    CHECK(refusal(characters<3>(pieces("abc"), letters)).found == "3");
    CHECK(refusal(words<2>(pieces(" one  "), of_words)).expected == "at least 3 words");
    const DataError unknown = refusal(characters<3>(pieces("abcabcabcx"), letters));
    CHECK(unknown.place == "byte 9");
    CHECK(unknown.expected == "one of the 3 characters of the vocabulary");
    CHECK(unknown.found == "'x'");
    CHECK(refusal(words<1>(pieces("one, two"), of_words)).place == "byte 3");
    const Vocabulary utf8("abc", {.unit = Unit::character});
    CHECK(refusal(characters<1>(pieces("abc\xC3"), utf8)).place == "byte 3");
    const Vocabulary bytes("abc\x1F\x8B\x08");
    CHECK(refusal(characters<1>(pieces("\x1F\x8B\x08"), bytes)).what() ==
          std::string("file 'corpus.txt', byte 0: expected text in UTF-8, found data packed by gzip"));

    CHECK(error_text([&] { characters<3>(pieces("abc"), of_words); }) ==
          "characters of 'corpus.txt': expected a vocabulary of characters, found a vocabulary of words");
    CHECK_THROWS_AS(words<3>(pieces("abc"), letters), ArgumentError);
    CHECK(error_text([&] { characters<3>(pieces("abc"), letters, {.drop_last = false}); }) ==
          "characters of 'corpus.txt' with .drop_last = false: expected <pad> in the vocabulary, found "
          "none");
    CHECK_THROWS_AS(characters(pieces("abc"), letters, 0), ArgumentError);
    CHECK_THROWS_AS(characters(pieces("abc"), letters, std::size_t{1} << 40), ArgumentError);
    CHECK_THROWS_AS(characters(pieces("abc"), letters, 1, {.offset = ~std::size_t{0}}), ArgumentError);
    CHECK_THROWS_AS(characters(pieces("abc"), letters, 1, {.step = ~std::size_t{0}}), ArgumentError);
}

TEST_CASE("Readers of other texts, vocabularies and options have other keys") {
    const auto key = [](const std::string& text, const Vocabulary& v, const data::SequenceOptions& options = {}) {
        return characters<2>(pieces(text), v, options).reader->key();
    };
    const Vocabulary v("abc", {.special = {"<pad>"}});
    const std::vector<std::string> keys{key("abc", v),
                                        key("abd", v),
                                        key("abc", Vocabulary("abc")),
                                        key("abc", v, {.offset = 2}),
                                        key("abc", v, {.step = 1}),
                                        key("abc", v, {.drop_last = false})};
    CHECK(key("abc", v) == keys[0]);
    for (std::size_t i = 0; i < keys.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) CHECK(keys[i] != keys[j]);
}
