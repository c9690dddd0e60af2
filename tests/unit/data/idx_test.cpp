// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/idx.hpp>

#include "support.hpp"

#include <limits>

using namespace sigma;
using data::parse_idx;
using Bytes = std::vector<std::uint8_t>;

namespace {

Bytes idx(std::uint8_t type, const std::vector<std::uint32_t>& extents, const Bytes& elements) {
    Bytes bytes{0, 0, type, static_cast<std::uint8_t>(extents.size())};
    for (const std::uint32_t extent : extents)
        for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::uint8_t>(extent >> shift));
    bytes.insert(bytes.end(), elements.begin(), elements.end());
    return bytes;
}

const Bytes labels = idx(8, {3}, {7, 0, 255});
const Bytes images = idx(8, {2, 1, 2}, {0, 51, 102, 255});

std::string refusal(const Bytes& bytes, std::size_t rank = 0) {
    return error_text([&] { parse_idx(bytes, "x", rank); });
}

}  // namespace

TEST_CASE("Arrays of every element type are read") {
    const auto read = [](const Bytes& bytes) { return parse_idx(bytes, "x"); };
    CHECK(read(labels).values[2] == 255.0f);
    CHECK(shape_text(read(images).shape) == "(2, 1, 2)");
    CHECK(read(images).values[2] == 102.0f);
    CHECK(read(idx(0x09, {2}, {0xff, 0x7f})).values[0] == -1.0f);
    CHECK(read(idx(0x0B, {1}, {0xff, 0xfe})).values[0] == -2.0f);
    CHECK(read(idx(0x0C, {1}, {0xff, 0xff, 0xff, 0xfd})).values[0] == -3.0f);
    CHECK(read(idx(0x0D, {1}, {0x3f, 0xc0, 0, 0})).values[0] == 1.5f);
    CHECK(read(idx(0x0E, {1}, {0xbf, 0xf8, 0, 0, 0, 0, 0, 0})).values[0] == -1.5f);
}

TEST_CASE("A file cut anywhere is refused") {
    for (const Bytes& whole : {labels, images, idx(0x0E, {1}, Bytes(8, 0))}) {
        for (std::size_t end = 0; end < whole.size(); ++end) {
            const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(end));
            CHECK_THROWS_AS(parse_idx(cut, "x"), DataError);
        }
        Bytes longer = whole;
        longer.push_back(0);
        CHECK_THROWS_AS(parse_idx(longer, "x"), DataError);
    }
    CHECK(refusal({}) == "file 'x', byte 0: expected the 4 bytes at which an IDX file begins, found the end of the file");
    CHECK(refusal({0, 0, 8, 3, 0, 0}) == "file 'x', byte 6: expected extent 1 of 3, found the end of the file");
    CHECK(refusal(idx(8, {3}, {1, 2})) == "file 'x', byte 8: expected 3 bytes of data for shape (3), found 2");
    CHECK(refusal(idx(0x0E, {2}, {1, 2})) == "file 'x', byte 8: expected 16 bytes of data for shape (2), found 2");
}

TEST_CASE("A file of another kind is refused") {
    const std::string expected = "an IDX file, which begins with 0x0000, a type and a rank";
    CHECK(refusal({'h', 'e', 'l', 'l', 'o'}) == "file 'x', byte 0: expected " + expected + ", found 0x68656c6c");
    CHECK(refusal({0, 0, 7, 1, 0, 0, 0, 0}) == "file 'x', byte 0: expected " + expected + ", found 0x00000701");
    CHECK(refusal({0, 0, 8, 0, 0, 0, 0, 0}) == "file 'x', byte 0: expected " + expected + ", found 0x00000800");
    CHECK(refusal(images, 1) == "file 'x', byte 3: expected 1 axis (labels), found 3 axes (images)");
    CHECK(refusal(labels, 3) == "file 'x', byte 3: expected 3 axes (images), found 1 axis (labels)");
}

TEST_CASE("Absurd extents are refused before memory is taken for them") {
    const std::uint32_t huge = 0xFFFFFFFF;
    CHECK(refusal(idx(8, {huge}, {1})) == "file 'x', byte 8: expected 4294967295 bytes of data for shape (4294967295), found 1");
    CHECK(refusal(idx(8, {huge, huge, huge}, {1})) ==
          "file 'x', byte 16: expected as many elements as a file can hold, found (4294967295, 4294967295, 4294967295) of them");
    // The product is 2^64, which is 0 in 64 bits.
    CHECK(refusal(idx(8, {0x80000000, 0x80000000, 4}, {})).starts_with("file 'x', byte 16: expected as many "));
    CHECK(refusal(idx(8, {0}, {})) == "file 'x', byte 4: expected an extent above 0, found 0");
    CHECK_THROWS_AS(parse_idx(idx(8, std::vector<std::uint32_t>(255, huge), {1}), "x"), DataError);
    CHECK_THROWS_AS(parse_idx(idx(8, std::vector<std::uint32_t>(255, 1), {}), "x"), DataError);
}

TEST_CASE("Images and labels make a dataset") {
    const Scratch scratch;
    const std::string pictures = scratch.write("images", images);
    const Dataset dataset =
        data::read_idx_images(pictures, scratch.write("labels", idx(8, {2}, {1, 0})), "two", {"a", "b"});
    CHECK(dataset.size() == 2);
    CHECK(dataset.input(0)[1] == Approx(0.2f));
    CHECK(dataset.input(1)[1] == 1.0f);
    CHECK(dataset.label(0) == 1);

    const auto failing = [&](const Bytes& wrong) {
        const std::string path = scratch.write("wrong", wrong);
        const DataError found = data_error([&] { data::read_idx_images(pictures, path, "two", {"a", "b"}); });
        CHECK(found.file == path);
        return found.place + ": " + found.expected + ", " + found.found;
    };
    CHECK(failing(labels) == "byte 4: 2 labels, one for each image, 3");
    CHECK(failing(images) == "byte 3: 1 axis (labels), 3 axes (images)");
    CHECK(failing(idx(8, {2}, {1, 2})) == "byte 9: a label from 0 to 1, 2");
}
