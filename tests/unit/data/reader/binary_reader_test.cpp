// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/source/source.hpp>

#include "../source/packed.hpp"
#include "../support.hpp"
#include "binary_files.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <cstring>

using namespace sigma;
using namespace sigma::data;
using namespace test_binary;

namespace {

/// All numbers, read `most` records at a time.
template <class Array>
std::vector<float> numbers(const Array& array, std::size_t most = 1000) {
    std::vector<float> all;
    Block block;
    while (array.reader->read(most, block) > 0)
        block.values[0].visit([&](const auto& read) { all.insert(all.end(), read.begin(), read.end()); });
    return all;
}
template <class Array>
std::string extents_of(const Array& array) {
    return sigma::detail::shape_text(array.reader->sections()[0].shape);
}

}  // namespace

TEST_CASE("IDX files are read a block after the other, from plain, packed and archived sources") {
    std::string elements;
    std::vector<float> expected;
    for (int i = 0; i < 7 * 6; ++i) {
        elements += static_cast<char>(5 * i);
        expected.push_back(static_cast<float>(5 * i % 256));
    }
    const std::string plain = idx_file(8, {7, 2, 3}, elements);
    const Scratch scratch;
    for (const Source& source : std::vector<Source>{
             memory(plain), file(scratch.write("a", plain)), memory(test_packed::pack_with("gzip", plain)),
             memory(test_packed::pack_with("xz", plain)),
             entry(memory(test_packed::archive_of("zip", {{"x/y", plain, {}}, {"z", "", {}}})), "x/y")}) {
        const auto images = idx<2, 3>(source);
        CHECK(images.reader->size() == 7u);
        CHECK(extents_of(images) == "(2, 3)");
        CHECK(numbers(images) == expected);
        for (const std::size_t most : {1u, 2u, 3u, 7u, 8u}) {
            images.reader->rewind();
            CHECK(numbers(images, most) == expected);
        }
        CHECK(numbers(idx(source)) == expected);
    }
    STATIC_REQUIRE(std::is_same_v<decltype(idx(memory(""))), ArrayOf<UnknownExtents>>);
    STATIC_REQUIRE(std::is_same_v<decltype(idx<>(memory(""))), ArrayOf<Extents<>>>);
    STATIC_REQUIRE(std::is_same_v<decltype(bytes(memory(""))), ArrayOf<UnknownExtents>>);
    STATIC_REQUIRE(std::is_same_v<decltype(bytes<>(memory(""))), ArrayOf<Extents<>>>);
    STATIC_REQUIRE(std::is_same_v<decltype(npy(memory(""))), ArrayOf<UnknownExtents>>);
    STATIC_REQUIRE(std::is_same_v<decltype(npy<4>(memory(""))), ArrayOf<Extents<4>>>);
    CHECK(idx<2, 3>(memory(plain)).reader->key() != idx(memory(plain)).reader->key());
    CHECK(idx(memory(plain)).reader->key() != idx(memory(plain + "x")).reader->key());
}

TEST_CASE("A file with other extents than the program says is refused before the first record") {
    const Source images = memory(idx_file(8, {2, 2, 3}, "012345012345"), "x");
    const auto refusal = [](const auto& array) { return data_error([&] { array.reader->sections(); }); };
    CHECK(refusal(idx<3, 2>(images)).expected == "records of (3, 2)");
    CHECK(refusal(idx<3, 2>(images)).found == "(2, 3)");
    CHECK(refusal(idx<>(images)).place == "byte 3");
    CHECK(refusal(idx<6>(images)).found == "3 axes (images)");
    const Source array = memory(npy_file("<f4", false, "(2, 3)", std::string(24, '\0')), "x");
    CHECK(refusal(npy<4>(array)).expected == "records of (4)");
    CHECK(refusal(npy<>(array)).found == "(3)");
    CHECK(extents_of(npy<3>(array)) == "(3)");
}

TEST_CASE("A file without all of its data says how many bytes there are, and where they begin") {
    const std::string whole = npy_file("<f8", false, "(50, 3, 4)", std::string(4800, '\0'));
    const Scratch scratch;
    const Source cut = file(scratch.write("cut", whole.substr(0, whole.size() - 100)));
    const DataError refused = data_error([&] { npy(cut).reader->sections(); });
    CHECK(refused.place == sentence("byte ", whole.size() - 4800));
    CHECK(refused.expected == "4800 bytes of data for shape (50, 3, 4)");
    CHECK(refused.found == "4700");
}

TEST_CASE("MNIST is four files and one expression") {
    const std::string folder = SIGMA_TEST_DATA_DIR "/mnist/";
    // [idx]
    const auto digits = zip(inputs = idx<28, 28>(file(folder + "t10k-images-idx3-ubyte.gz")),
                            targets = idx<>(file(folder + "t10k-labels-idx1-ubyte.gz")));
    // [idx]
    STATIC_REQUIRE(decltype(digits)::Schema::has("inputs"));
    const auto& sections = digits.reader->sections();
    CHECK(sections == std::vector<SectionInfo>{{"inputs", {28, 28}, false}, {"targets", {}, true}});
    Block block;
    std::size_t records = 0;
    std::array<int, 10> counts{};
    while (digits.reader->read(1234, block) > 0) {
        records += block.records;
        CHECK(block.values[0].floats().size() == block.records * 784);
        for (const float label : block.values[1].floats()) ++counts[static_cast<std::size_t>(label)];
    }
    CHECK(records == 10000);
    CHECK(counts == std::array<int, 10>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009});
}

TEST_CASE("Records of bytes are read behind a header") {
    const std::string text = "header!!\x01\x02\x03\x04\xff\xfe";
    CHECK(numbers(bytes<3>(memory(text), {.header = 8})) == std::vector<float>{1, 2, 3, 4, 255, 254});
    CHECK(numbers(bytes<>(memory(text), {.header = 8}), 4) == std::vector<float>{1, 2, 3, 4, 255, 254});
    CHECK(extents_of(bytes(memory(text), {.header = 8, .extents = {3, 1}})) == "(3, 1)");
    CHECK(numbers(bytes<1>(memory(text), {.header = 12, .type = Dtype::i8})) == std::vector<float>{-1, -2});
    CHECK(numbers(bytes<1>(memory(text), {.header = 8, .type = Dtype::i16, .order = std::endian::big})) ==
          std::vector<float>{258, 772, -2});
    CHECK(numbers(bytes<1>(memory(text), {.header = 8, .type = Dtype::u16})) == std::vector<float>{513, 1027, 65279});
    CHECK(numbers(bytes<1>(memory(test_packed::pack_with("bzip2", text)), {.header = 8})).size() == 6);

    const Scratch scratch;
    const auto known = bytes<3>(file(scratch.write("x", text)), {.header = 8});
    CHECK(known.reader->size() == 2u);
    CHECK_FALSE(bytes<3>(memory(text), {.header = 8}).reader->size());
    CHECK_THROWS_AS(bytes(memory(text), {.extents = {3, 0}}), ArgumentError);
    CHECK_THROWS_AS(bytes(memory(text), {.extents = {std::size_t{1} << 40, std::size_t{1} << 40}}), ArgumentError);
    CHECK_THROWS_AS(bytes<3>(memory(text), {.extents = {3}}), ArgumentError);
    CHECK_THROWS_AS(bytes<3>(memory(text), {.type = Dtype::bf16}), ArgumentError);
}

TEST_CASE("Elements of every type and order are read") {
    const auto little = [](auto value) {
        std::string text(sizeof value, '\0');
        std::memcpy(text.data(), &value, sizeof value);
        return text;
    };
    const auto examine = [&](const std::string& type, auto value, float expected) {
        std::string text = little(value);
        CHECK(numbers(npy(memory(npy_file(sizeof value == 1 ? "|" + type : "<" + type, false, "(1,)", text)))) ==
              std::vector{expected});
        std::reverse(text.begin(), text.end());
        CHECK(numbers(npy(memory(npy_file(sizeof value == 1 ? "|" + type : ">" + type, false, "(1,)", text)))) ==
              std::vector{expected});
    };
    examine("u1", std::uint8_t{200}, 200);
    examine("i1", std::int8_t{-100}, -100);
    examine("b1", std::uint8_t{1}, 1);
    examine("u2", std::uint16_t{60000}, 60000);
    examine("i2", std::int16_t{-30000}, -30000);
    examine("u4", std::uint32_t{4000000000}, 4e9f);
    examine("i4", std::int32_t{-2000000000}, -2e9f);
    examine("u8", std::uint64_t{1} << 63, 0x1p63f);
    examine("i8", -(std::int64_t{1} << 62), -0x1p62f);
    examine("f2", std::uint16_t{0xC100}, -2.5f);
    examine("f4", 0.1f, 0.1f);
    examine("f8", -1e10, -1e10f);
    CHECK(std::isnan(numbers(npy(memory(npy_file("<f4", false, "(1,)", little(std::nanf(""))))))[0]));
}

TEST_CASE("NumPy's files are read, in C's and in Fortran's order") {
    std::string text;
    for (int i = 0; i < 24; ++i) text += static_cast<char>(i);
    std::vector<float> expected(24);
    for (std::size_t i = 0; i < 24; ++i) expected[i] = static_cast<float>(i);
    CHECK(numbers(npy<3, 2>(memory(npy_file("|u1", false, "(4, 3, 2)", text)))) == expected);

    std::vector<float> transposed;  // of (4, 3, 2) with the first axis running fastest
    for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t j = 0; j < 2; ++j) transposed.push_back(static_cast<float>(r + 4 * (i + 3 * j)));
    for (const std::size_t most : {1u, 3u, 9u})
        CHECK(numbers(npy<3, 2>(memory(npy_file("|u1", true, "(4, 3, 2)", text))), most) == transposed);
    const auto again = npy(memory(npy_file("|u1", true, "(4, 3, 2)", text)));
    CHECK(numbers(again) == transposed);
    again.reader->rewind();
    CHECK(numbers(again, 2) == transposed);

    for (const int version : {1, 2, 3})
        CHECK(numbers(npy(memory(npy_file("|u1", false, "(24,)", text, version)))) == expected);
    const std::string unusual = "{\"shape\" :( 12 ,2, ),'fortran_order':False,'descr':'|u1'}\n";
    CHECK(extents_of(npy(memory(npy_raw(unusual, text)))) == "(2)");

    const std::string archive = test_packed::archive_of("zip", {{"x.npy", npy_file("|u1", false, "(6, 4)", text), {}},
                                                                {"y.npy", npy_file("|u1", false, "(24,)", text), {}}});
    CHECK(extents_of(npz<4>(memory(archive), "x")) == "(4)");
    CHECK(numbers(npz(memory(archive), "y")) == expected);
    CHECK(data_error([&] { npz(memory(archive, "a.npz"), "z").reader->sections(); }).found == "'x.npy', 'y.npy'");
}
