// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/image/image.hpp>
#include <sigma/storage/utf8.hpp>

#include "../support.hpp"
#include "make_images.hpp"

#include <ctime>

using namespace sigma;
using namespace sigma::data;

namespace {

const std::string signature(sigma::data::detail::png_signature);

std::string ihdr(std::uint32_t width, std::uint32_t height, int depth = 8, int colour = 0, int interlace = 0) {
    return png_chunk("IHDR", big_endian(width) + big_endian(height) +
                                 std::string{static_cast<char>(depth), static_cast<char>(colour), 0, 0,
                                             static_cast<char>(interlace)});
}
const std::string iend = png_chunk("IEND", "");

std::string deflated(const std::string& bytes) {
    ::uLongf size = ::compressBound(bytes.size());
    std::string packed(size, '\0');
    REQUIRE(::compress2(reinterpret_cast<::Bytef*>(packed.data()), &size,
                        reinterpret_cast<const ::Bytef*>(bytes.data()), bytes.size(), 9) == Z_OK);
    packed.resize(size);
    return packed;
}

std::string small_png() { return png_of({.width = 5, .height = 4, .bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}); }

DataError refusal(const std::string& file, const DecodeImageOptions& options = {}) {
    const DataError found = data_error([&] { decode_image(bytes_of(file), options, "a.img"); });
    CHECK(found.file == "a.img");
    CHECK_FALSE(found.expected.empty());
    CHECK_FALSE(found.found.empty());
    CHECK(storage::utf8_fault(found.what()) == std::string_view::npos);
    return found;
}

struct Case {
    std::string file, place, found;
};

void examine(const std::vector<Case>& cases) {
    for (const Case& each : cases) {
        const DataError error = refusal(each.file);
        INFO(error.what());
        CHECK(error.place == each.place);
        CHECK_THAT(error.found, Catch::Contains(each.found));
    }
}

}  // namespace

TEST_CASE("What is no image is told from what it begins with") {
    examine({{"", "byte 0", "an empty file"},
             {"<html><body>404</body></html>", "byte 0", "'<html>"},
             {"version https://git-lfs.github.com/spec/v1", "byte 0", "'version"},
             {"GIF89a\x01", "byte 0", "'GIF89a"},
             {"BM\x10", "byte 0", "'BM"},
             {"RIFF\x10", "byte 0", "'RIFF"},
             {std::string("\x1F\x8B\x08", 3), "byte 0", "'\\x1f\\x8b"},
             {std::string(100, '\0'), "byte 0", "'\\x00"},
             {"\x89PNG\n\x1A\n", "byte 0", "'\\x89PNG\\x0a"},  // line ends converted
             {"P", "byte 0", "'P'"}});
}

TEST_CASE("Damaged PGM and PPM are refused with the byte") {
    examine({{"P1 1 1 1", "byte 0", "'P1'"},
             {"P4 8 1 \xFF", "byte 0", "'P4'"},
             {"P7\nWIDTH 1", "byte 0", "'P7'"},
             {"P2", "byte 2", "the end"},
             {"P22 1 255 1 1", "byte 2", "' 1 255"},
             {"P2 1", "byte 4", "the end"},
             {"P2 1 1", "byte 6", "the end"},
             {"P2 # 1 1 255 1", "byte 14", "the end"},
             {"P2 x 1 255 1", "byte 3", "'x"},
             {"P2 -1 1 255 1", "byte 3", "'-1"},
             {"P2 0 1 255 1", "", "1 rows of 0"},
             {"P2 1 0 255 1", "", "0 rows of 1"},
             {"P2 1 1 0 0", "byte 7", "0"},
             {"P2 1 1 65536 1", "byte 7", "'65536"},
             {"P2 4294967296 1 255 1", "byte 3", "'42949672"},
             {"P2 99999999999999999999999999 1 255 1", "byte 3", "'99999999"},
             {"P5 4294967295 4294967295 255 \x01", "", "4294967295 rows"},
             {"P5 65536 65536 65535 \x01", "", "65536 rows"},
             {"P5 8000 8000 255 \x01", "", "8000 rows"},
             {"P5 2 1 255 \x01", "", "1 rows of 2"},
             {"P5 1 1 255", "byte 10", "the end"},
             {"P5 1 1 255#a\n\x01", "byte 10", "'#a"},
             {"P5 1 1 255 \x01\x02", "byte 12", "1 bytes more"},
             {"P5 1 1 3 \x04", "byte 9", "4"},
             {std::string("P5 1 1 256 \x01\x01", 13), "byte 11", "257"},
             {"P6 1 1 255 \x01\x02", "", "1 rows of 1"},
             {"P2 2 1 255 1", "", "1 rows of 2"},
             {"P2 2 1 255 100 ", "byte 15", "the end"},
             {"P2 1 1 255 256", "byte 11", "'256'"},
             {"P2 1 1 255 1 2", "byte 13", "1 bytes more"},
             {"P2 2 1 255 1,2", "byte 12", "',2'"},
             {"P2 2 1 255 1.5 2", "byte 12", "'.5 2'"},
             {"P3 1 1 255 1 2", "", "1 rows of 1"}});
}

TEST_CASE("Damaged PNG are refused") {
    std::string row(20, '\0');  // a filter byte and one number
    ::uLongf size = row.size();
    REQUIRE(::compress(reinterpret_cast<::Bytef*>(row.data()), &size, reinterpret_cast<const ::Bytef*>("\0\7"), 2) ==
            Z_OK);
    const std::string idat = png_chunk("IDAT", row.substr(0, size));
    const std::string good = signature + ihdr(1, 1) + idat + iend;
    CHECK(decode_image(bytes_of(good)).values == std::vector<std::uint8_t>{7});
    std::string wrong_crc = good, wrong_data = good;
    wrong_crc[29] = static_cast<char>(wrong_crc[29] ^ 1);
    wrong_data[45] = static_cast<char>(wrong_data[45] ^ 1);
    examine({{signature, "byte 8", "0 bytes"},
             {signature + iend, "byte 12", "'IEND'"},
             {signature + idat + iend, "byte 12", "'IDAT'"},
             {signature + png_chunk("IHDR", "12345678901234") + idat + iend, "byte 8", "14"},
             {wrong_crc, "byte 29", "998153045"},
             {wrong_data, "byte 51", "539214732"},
             {signature + ihdr(1, 1) + idat, "byte 55", "0 bytes"},
             {signature + ihdr(1, 1) + big_endian(0xFFFFFFFF) + "IDAT1234567890", "byte 33",
              "the end of the file after 10"},
             {signature + ihdr(0, 1) + idat + iend, "", "1 rows of 0"},
             {signature + ihdr(1, 0) + idat + iend, "", "0 rows of 1"},
             {signature + ihdr(0x7FFFFFFF, 0x7FFFFFFF) + idat + iend, "", "2147483647 rows"},
             {signature + ihdr(0xFFFFFFFF, 1) + idat + iend, "", "4294967295"},
             {signature + ihdr(8192, 8192) + idat + iend, "", "8192 rows"},  // within the limit, but not from 66 bytes
             {signature + ihdr(1, 1, 3) + idat + iend, "", "IHDR"},
             {signature + ihdr(1, 1, 0) + idat + iend, "", "IHDR"},
             {signature + ihdr(1, 1, 8, 5) + idat + iend, "", "IHDR"},
             {signature + ihdr(1, 1, 8, 0, 2) + idat + iend, "", "IHDR"},
             {signature + ihdr(1, 1) + iend, "", "'"},               // no data
             {signature + ihdr(2, 2) + idat + iend, "", "'"},        // too few data
             {signature + ihdr(1, 1, 8, 3) + idat + iend, "", "'"},  // no palette
             {signature + ihdr(1, 1) + png_chunk("IDAT", "no zlib") + iend, "", "'"}});
    const std::string front = signature + ihdr(1, 1);
    const DataError cut = refusal(front + idat.substr(0, 8 + size - 1));
    CHECK(cut.place == "byte 33");
    CHECK(cut.expected == sigma::sentence(size, " bytes of 'IDAT'"));
    CHECK(cut.found == sigma::sentence("the end of the file after ", size - 1));
    CHECK(refusal(front + idat.substr(0, idat.size() - 1)).expected == "a CRC of the chunk 'IDAT'");
    CHECK(refusal(small_png(), {.max_pixels = 19}).expected == "at most 19 pixels");
    CHECK(decode_image(bytes_of(small_png()), {.max_pixels = 20}).values.size() == 20);
    CHECK(decode_image(bytes_of(small_png() + "behind")).values.size() == 20);
}

TEST_CASE("Files that are cut anywhere are refused") {
    Image photo{24, 24, 3, {}};
    for (std::size_t i = 0; i < 24 * 24 * 3; ++i) photo.values.push_back(static_cast<std::uint8_t>(i * i / 5));
    const std::vector<std::string> files{small_png(),
                                         png_of({.width = 3,
                                                 .depth = 2,
                                                 .colour = PNG_COLOR_TYPE_PALETTE,
                                                 .bytes = {27},
                                                 .palette = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
                                                 .interlaced = true}),
                                         jpeg_of(photo),
                                         jpeg_of(photo, TJSAMP_420, 50, TJFLAG_PROGRESSIVE),
                                         "P5 2 3 255 abcdef",
                                         "P6 1 2 65535 abcdefghijkl"};
    for (const std::string& file : files) {
        CHECK_NOTHROW(decode_image(bytes_of(file)));
        for (std::size_t size = 0; size < file.size(); ++size) {
            INFO(size << " of " << file.size());
            refusal(file.substr(0, size));
        }
    }
}

TEST_CASE("Changed images are read or refused, never more") {
    Image photo{16, 24, 3, {}};
    for (std::size_t i = 0; i < 16 * 24 * 3; ++i) photo.values.push_back(static_cast<std::uint8_t>(i * i / 3));
    PhiloxSequence random{Philox(9)};
    std::size_t refused = 0;
    const std::vector<std::string> files{small_png(), jpeg_of(photo),
                                         jpeg_of(photo, TJSAMP_420, 40, TJFLAG_PROGRESSIVE), "P3 2 1 255 1 2 3 4 5 6"};
    for (int round = 0; round < 3000; ++round) {
        std::string file = files[static_cast<std::size_t>(round) % files.size()];
        for (std::uint64_t changes = 1 + random.bits() % 3; changes > 0; --changes)
            file[random.bits() % file.size()] = static_cast<char>(random.bits() & 0xFF);
        try {
            const Image image = decode_image(bytes_of(file), {.max_pixels = 1 << 20});
            REQUIRE(image.values.size() == image.height * image.width * image.channels);
        } catch (const DataError&) { ++refused; }
    }
    CHECK(refused > 1000);
}

TEST_CASE("A PNG unpacks no more than its extents need") {
    const std::string blank(std::size_t{64} << 20, '\0');
    const std::string many = deflated(blank), some = deflated(blank.substr(0, 250'000)), front = signature + ihdr(4, 4);
    const std::string right = deflated(blank.substr(0, 20)), data = png_chunk("IDAT", right);
    const DataError more = refusal(front + png_chunk("IDAT", many) + iend);
    CHECK(more.expected == "at most 360 bytes of IDAT for 4 rows of 4");
    CHECK(more.found == std::to_string(many.size()));
    // Where each row comes with blocks of its own, that is still not more.
    CHECK_NOTHROW(decode_image(bytes_of(front +
                                        png_chunk(
                                            "IDAT", right.substr(0, 2) +
                                                        [] {
                                                            std::string empty;
                                                            for (int row = 0; row < 8; ++row)
                                                                empty += std::string("\0\0\0\xFF\xFF", 5);
                                                            return empty;
                                                        }() +
                                                        right.substr(2)) +
                                        iend)));
    // Data behind the last row, in a file that may be as long for its extents: it is not unpacked to its end.
    for (const int interlaced : {0, 1}) {
        const std::string file = signature + ihdr(200, 400, 8, 0, interlaced) + png_chunk("IDAT", many) + iend;
        CHECK(many.size() < 2 * 400 * 201);
        CHECK_THAT(refusal(file).found, Catch::Contains("more image data than rows"));
    }
    CHECK(some.size() < 360);  // that much is not worth a word
    CHECK(decode_image(bytes_of(front + png_chunk("IDAT", some) + iend)).values == std::vector<std::uint8_t>(16));
    // Texts and profiles, and the time they would take: 2 GB to be unpacked, 4 MB to be passed over.
    std::string texts;
    for (const char* kind : {"zTXt", "iCCP"}) {
        const std::string head(kind == std::string("zTXt") ? "k\0\0" : "p\0\0", 3);
        for (int i = 0; i < 30; ++i) texts += png_chunk(kind, head + many);
    }
    const std::clock_t begin = std::clock();
    CHECK_NOTHROW(decode_image(bytes_of(front + texts + data + texts + iend)));
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    CHECK(static_cast<double>(2 * texts.size()) / seconds > 10e6);  // bytes a second of processor time; 1 GB/s measured
}

TEST_CASE("Image data that is all there is read, whatever its extents and passes") {
    for (std::uint32_t width = 1; width < 10; ++width)
        for (std::uint32_t height = 1; height < 10; ++height)
            for (const int depth : {1, 8, 16})
                for (const bool interlaced : {false, true}) {
                    PngToWrite image{.width = width, .height = height, .depth = depth, .interlaced = interlaced};
                    for (std::uint32_t i = 0; i < height * ((width * static_cast<std::uint32_t>(depth) + 7) / 8); ++i)
                        image.bytes.push_back(static_cast<std::uint8_t>(i * 37));
                    CAPTURE(width, height, depth, interlaced);
                    const std::string file = png_of(image);
                    const Image read = decode_image(bytes_of(file));
                    image.interlaced = false;
                    CHECK(read.values == decode_image(bytes_of(png_of(image))).values);
                }
}

TEST_CASE("A JPEG that claims what it cannot hold is refused before memory is taken for it") {
    std::string file = jpeg_of({8, 8, 1, std::vector<std::uint8_t>(64, 100)}, TJSAMP_GRAY);
    const std::size_t frame = file.find("\xFF\xC0");
    REQUIRE(frame != file.npos);
    file.replace(frame + 5, 4, "\xFF\xDC\xFF\xDC");
    CHECK_THAT(refusal(file).expected, Catch::Contains("at most 67108864 pixels"));
    CHECK_THAT(refusal(file, {.max_pixels = std::size_t{1} << 40}).expected,
               Catch::Contains("pixels for its number of bytes"));
}
