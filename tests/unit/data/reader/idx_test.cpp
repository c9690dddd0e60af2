// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/reader/binary.hpp>
#include <sigma/data/source/source.hpp>

#include "../support.hpp"

using namespace sigma;
using data::idx;
using Bytes = std::vector<std::uint8_t>;

namespace {

Bytes bytes_of(std::uint8_t type, const std::vector<std::uint32_t>& extents, const Bytes& elements) {
    Bytes bytes{0, 0, type, static_cast<std::uint8_t>(extents.size())};
    for (const std::uint32_t extent : extents)
        for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(extent >> shift));
    bytes.insert(bytes.end(), elements.begin(), elements.end());
    return bytes;
}

const Bytes labels = bytes_of(8, {3}, {7, 0, 255});
const Bytes images = bytes_of(8, {2, 1, 2}, {0, 51, 102, 255});

/// The array in a file of these bytes; what is refused is said of "x".
template <class Array>
data::Block read(const Bytes& bytes, Array&& array) {
    const Scratch scratch;
    const std::string path = scratch.write("x", bytes);
    try {
        const auto reader = array(data::file(path)).reader;
        data::Block block;
        reader->read(reader->size().value(), block);
        return block;
    } catch (const DataError& refused) {
        CHECK(refused.file == path);
        throw DataError("x", refused.place, refused.expected, refused.found);
    }
}
std::vector<float> read(const Bytes& bytes) {
    const data::Block block = read(bytes, [](const data::Source& source) { return idx(source); });
    return block.values[0].visit([](const auto& all) { return std::vector<float>(all.begin(), all.end()); });
}
std::string refusal(const Bytes& bytes) {
    return error_text([&] { read(bytes); });
}

}  // namespace

TEST_CASE("Arrays of every element type are read") {
    CHECK(read(labels)[2] == 255.0f);
    const Scratch scratch;
    const auto reader = idx(data::file(scratch.write("images", images))).reader;
    CHECK(reader->size() == 2u);
    CHECK(detail::shape_text(reader->sections()[0].shape) == "(1, 2)");
    CHECK(read(images)[2] == 102.0f);
    CHECK(read(bytes_of(0x09, {2}, {0xff, 0x7f}))[0] == -1.0f);
    CHECK(read(bytes_of(0x0B, {1}, {0xff, 0xfe}))[0] == -2.0f);
    CHECK(read(bytes_of(0x0C, {1}, {0xff, 0xff, 0xff, 0xfd}))[0] == -3.0f);
    CHECK(read(bytes_of(0x0D, {1}, {0x3f, 0xc0, 0, 0}))[0] == 1.5f);
    CHECK(read(bytes_of(0x0E, {1}, {0xbf, 0xf8, 0, 0, 0, 0, 0, 0}))[0] == -1.5f);
}

TEST_CASE("A file cut anywhere is refused") {
    for (const Bytes& whole : {labels, images, bytes_of(0x0E, {1}, Bytes(8, 0))}) {
        for (std::size_t end = 0; end < whole.size(); ++end) {
            const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(end));
            CHECK_THROWS_AS(read(cut), DataError);
        }
        Bytes longer = whole;
        longer.push_back(0);
        CHECK_THROWS_AS(read(longer), DataError);
    }
    CHECK(refusal({}) == "file 'x', byte 0: expected the first 4 bytes of an IDX file, found the end of the file");
    CHECK(refusal({0, 0, 8, 3, 0, 0}) == "file 'x', byte 6: expected extent 1 of 3, found the end of the file");
    CHECK(refusal(bytes_of(8, {3}, {1, 2})) == "file 'x', byte 8: expected 3 bytes of data for shape (3), found 2");
    CHECK(refusal(bytes_of(0x0E, {2}, {1, 2})) == "file 'x', byte 8: expected 16 bytes of data for shape (2), found 2");
}

TEST_CASE("A file of another kind is refused") {
    const std::string expected = "an IDX file, which begins with 0x0000, a type and a rank";
    CHECK(refusal({'h', 'e', 'l', 'l', 'o'}) == "file 'x', byte 0: expected " + expected + ", found 0x68656c6c");
    CHECK(refusal({0, 0, 7, 1, 0, 0, 0, 0}) == "file 'x', byte 0: expected " + expected + ", found 0x00000701");
    CHECK(refusal({0, 0, 8, 0, 0, 0, 0, 0}) == "file 'x', byte 0: expected " + expected + ", found 0x00000800");
    const auto as_labels = [](const Bytes& bytes) {
        return error_text([&] { read(bytes, [](const data::Source& source) { return idx<>(source); }); });
    };
    const auto as_images = [](const Bytes& bytes) {
        return error_text([&] { read(bytes, [](const data::Source& source) { return idx<1, 2>(source); }); });
    };
    CHECK(as_labels(images) == "file 'x', byte 3: expected 1 axis (labels), found 3 axes (images)");
    CHECK(as_images(labels) == "file 'x', byte 3: expected 3 axes (images), found 1 axis (labels)");
}

TEST_CASE("Absurd extents are refused before memory is taken for them") {
    const std::uint32_t huge = 0xFFFFFFFF;
    CHECK(refusal(bytes_of(8, {huge}, {1})) ==
          "file 'x', byte 8: expected 4294967295 bytes of data for shape (4294967295), found 1");
    CHECK(refusal(bytes_of(8, {huge, huge, huge}, {1})) ==
          "file 'x', byte 16: expected a shape within the limits of a file, found (4294967295, 4294967295, "
          "4294967295)");
    // The product is 2^64, which is 0 in 64 bits.
    CHECK(refusal(bytes_of(8, {0x80000000, 0x80000000, 4}, {})).starts_with("file 'x', byte 16: expected a shape "));
    CHECK(refusal(bytes_of(8, {0}, {})) == "file 'x', byte 4: expected an extent above 0, found 0");
    CHECK_THROWS_AS(read(bytes_of(8, std::vector<std::uint32_t>(255, huge), {1})), DataError);
    CHECK_THROWS_AS(read(bytes_of(8, std::vector<std::uint32_t>(255, 1), {})), DataError);
}

TEST_CASE("Images and labels are records together") {
    const Scratch scratch;
    const std::string pictures = scratch.write("images", images);
    const auto with = [&](const Bytes& others) {
        return zip(data::inputs = idx<1, 2>(data::file(pictures)),
                   data::targets = idx<>(data::file(scratch.write("labels", others))))
            .reader;
    };
    const auto reader = with(bytes_of(8, {2}, {1, 0}));
    CHECK(reader->size() == 2u);
    data::Block block;
    reader->read(2, block);
    CHECK(block.values[0].floats() == std::vector<float>{0, 51, 102, 255});
    CHECK(block.values[1].floats() == std::vector<float>{1, 0});

    const auto failing = [&](const Bytes& wrong) {
        const DataError found = data_error([&] { with(wrong)->size(); });
        CHECK(found.file == (scratch.path / "labels").string());
        return found.place + ": " + found.expected + ", " + found.found;
    };
    CHECK(failing(labels) == ": as many records as '" + pictures + "' has, 2, 3");
    CHECK(failing(images) == "byte 3: 1 axis (labels), 3 axes (images)");
}
