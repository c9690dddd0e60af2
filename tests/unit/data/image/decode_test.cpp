// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/image/image.hpp>

#include "../support.hpp"
#include "make_images.hpp"

#include <algorithm>
#include <cstdlib>

using namespace sigma;
using namespace sigma::data;

namespace {

using Bytes = std::vector<std::uint8_t>;

Image decoded(const std::string& file, std::size_t channels = 0, std::uint8_t background = 0) {
    return decode_image(bytes_of(file), {.channels = channels, .background = background}, "image");
}
Bytes values(const std::string& file, std::size_t channels = 0, std::uint8_t background = 0) {
    return decoded(file, channels, background).values;
}

}  // namespace

TEST_CASE("PNG of all depths") {
    PhiloxSequence random{Philox(1)};
    for (const int depth : {1, 2, 4, 8, 16})
        for (const bool interlaced : {false, true})
            for (const int colour : {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB}) {
                if (colour == PNG_COLOR_TYPE_RGB && depth < 8) continue;
                constexpr std::size_t width = 13, height = 7;
                const std::size_t numbers = colour == PNG_COLOR_TYPE_RGB ? 3 : 1,
                                  largest = (std::size_t{1} << depth) - 1;
                PngToWrite png{width, height, depth, colour};
                png.interlaced = interlaced;
                Bytes wanted;
                for (std::size_t y = 0; y < height; ++y) {
                    Bytes row((width * numbers * static_cast<std::size_t>(depth) + 7) / 8);
                    for (std::size_t x = 0; x < width * numbers; ++x) {
                        const std::size_t v = random.bits() % (std::min(largest, std::size_t{255}) + 1);
                        wanted.push_back(static_cast<std::uint8_t>(depth == 16 ? v : v * 255 / largest));
                        const std::size_t bit = x * static_cast<std::size_t>(depth);
                        if (depth == 16) row[2 * x] = row[2 * x + 1] = static_cast<std::uint8_t>(v);  // 257 v
                        else
                            row[bit / 8] = static_cast<std::uint8_t>(
                                row[bit / 8] | v << (8 - bit % 8 - static_cast<std::size_t>(depth)));
                    }
                    png.bytes.insert(png.bytes.end(), row.begin(), row.end());
                }
                INFO(depth << ' ' << interlaced << ' ' << colour);
                const std::string file = png_of(png);
                CHECK(image_info(bytes_of(file)) == ImageInfo{height, width, numbers});
                CHECK(decoded(file).height == height);
                CHECK(values(file) == wanted);
            }
}

TEST_CASE("Images of 16 bits keep them all") {
    PhiloxSequence random{Philox(6)};
    constexpr std::size_t width = 5, height = 4;
    std::vector<std::uint16_t> numbers(width * height * 3);
    for (std::uint16_t& n : numbers) n = static_cast<std::uint16_t>(random.bits());
    std::string raw;
    for (const std::uint16_t n : numbers)
        for (const int shift : {8, 0}) raw += static_cast<char>(n >> shift & 0xFF);
    PngToWrite png{width, height, 16, PNG_COLOR_TYPE_RGB};
    for (const char c : raw) png.bytes.push_back(static_cast<std::uint8_t>(c));
    const std::string ppm = sentence("P6 ", width, ' ', height, " 65535\n", raw);
    std::vector<float> exact;
    for (const std::uint16_t n : numbers) exact.push_back(static_cast<float>(n) / 257);
    for (const std::string& file : {png_of(png), ppm}) {
        const Image image = decoded(file);
        CHECK(image.fine == numbers);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            REQUIRE(image.values[i] == (numbers[i] * 255u + 32767) / 65535);
        std::vector<float> record(numbers.size());
        resize_image(image, height, width, record);
        CHECK(record == exact);
        resize_image(image, 1, 1, std::span(record).first(3));
        CHECK(record[0] != std::floor(record[0]));
        const Image grey = decoded(file, 1);
        CHECK(grey.fine.size() == width * height);
        CHECK(grey.fine[0] == Approx(0.299 * numbers[0] + 0.587 * numbers[1] + 0.114 * numbers[2]).margin(1));
    }
    const PngToWrite seen{.depth = 16, .colour = PNG_COLOR_TYPE_GRAY_ALPHA, .bytes = {0x12, 0x34, 0x80, 0}};
    CHECK(decoded(png_of(seen), 0, 255).fine[0] ==
          Approx(0x1234 * (0x8000 / 65535.0) + 65535 * (1 - 0x8000 / 65535.0)).margin(1));
    CHECK(decoded("P2 2 1 1000 1 1000").fine == std::vector<std::uint16_t>{66, 65535});
    CHECK(decoded(png_of({.bytes = {7}})).fine.empty());
}

TEST_CASE("PNG with a palette and with opacity") {
    const PngToWrite palette{.width = 4,
                             .depth = 2,
                             .colour = PNG_COLOR_TYPE_PALETTE,
                             .bytes = {0b00011011},
                             .palette = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {9, 9, 9}}};
    CHECK(values(png_of(palette)) == Bytes{255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9});
    PngToWrite holes = palette;
    holes.opacity = {255, 0};
    CHECK(values(png_of(holes), 0, 7) == Bytes{255, 0, 0, 7, 7, 7, 0, 0, 255, 9, 9, 9});

    const std::string grey =
        png_of({.width = 3, .colour = PNG_COLOR_TYPE_GRAY_ALPHA, .bytes = {50, 255, 60, 0, 255, 128}});
    CHECK(image_info(bytes_of(grey)).channels == 1);
    const Bytes black = values(grey), white = values(grey, 1, 255);
    CHECK(black[0] == 50);
    CHECK(black[1] == 0);
    CHECK(white[1] == 255);
    CHECK(white[2] == 255);
    CHECK(black[2] == 128);
    CHECK(values(png_of({.colour = PNG_COLOR_TYPE_RGB_ALPHA, .bytes = {1, 2, 3, 255}})) == Bytes{1, 2, 3});
}

TEST_CASE("JPEG of all samplings, grey and in colours, progressive or not") {
    Image photo{40, 56, 3, {}};
    for (std::size_t y = 0; y < 40; ++y)
        for (std::size_t x = 0; x < 56; ++x)
            for (std::size_t c = 0; c < 3; ++c)
                photo.values.push_back(
                    static_cast<std::uint8_t>(60 + 2 * y + (c == 1 ? x : 0) + (c == 2 ? 100 - x : 0)));
    const auto farthest = [](const Image& a, const Image& b) {
        REQUIRE(a.values.size() == b.values.size());
        int far = 0;
        for (std::size_t i = 0; i < a.values.size(); ++i)
            far = std::max(far, std::abs(int{a.values[i]} - int{b.values[i]}));
        return far;
    };
    for (const int sampling : {TJSAMP_444, TJSAMP_422, TJSAMP_420, TJSAMP_440, TJSAMP_411})
        for (const int flags : {0, TJFLAG_PROGRESSIVE}) {
            const std::string file = jpeg_of(photo, sampling, 95, flags);
            CHECK(image_info(bytes_of(file)) == ImageInfo{40, 56, 3});
            CHECK(farthest(decoded(file), photo) < 8);
            CHECK(farthest(decoded(file, 1), sigma::data::detail::with_channels(photo, 1)) < 8);
        }
    const Image grey = sigma::data::detail::with_channels(photo, 1);
    const std::string file = jpeg_of(grey, TJSAMP_GRAY);
    CHECK(image_info(bytes_of(file)).channels == 1);
    CHECK(farthest(decoded(file), grey) < 5);
    CHECK(farthest(decoded(file, 3), sigma::data::detail::with_channels(decoded(file), 3)) == 0);
}

TEST_CASE("PGM and PPM, plain and raw") {
    CHECK(values("P2\n# made by hand\n3 2 # extents\n255\n0 1 2\n253 254 255") == Bytes{0, 1, 2, 253, 254, 255});
    CHECK(values("P2 2 1 3 1 3\n # the end\n") == Bytes{85, 255});
    CHECK(values("P3 1 1 1 0 1 0 ") == Bytes{0, 255, 0});
    CHECK(values("P5 3 1 255\n" + std::string("\0\n\xFF", 3)) == Bytes{0, 10, 255});
    CHECK(values("P5 2 1 65535\t" + std::string("\x12\x12\xFF\xFF", 4)) == Bytes{0x12, 255});
    CHECK(values("P6 1 2 15\n" + std::string("\0\x01\x02\x03\x04\x0F", 6)) == Bytes{0, 17, 34, 51, 68, 255});
    CHECK(image_info(bytes_of("P6 7 9 255 ")) == ImageInfo{9, 7, 3});

    PhiloxSequence random{Philox(2)};
    for (int round = 0; round < 100; ++round) {
        const std::size_t width = 1 + random.bits() % 9, height = 1 + random.bits() % 9,
                          channels = round % 2 == 0 ? 1 : 3;
        const std::string extents = sentence(" ", width, "\n", height, " 255 ");
        std::string raw = (channels == 1 ? "P5" : "P6") + extents, plain = (channels == 1 ? "P2" : "P3") + extents;
        Bytes wanted;
        for (std::size_t i = 0; i < width * height * channels; ++i) {
            wanted.push_back(static_cast<std::uint8_t>(random.bits() & 0xFF));
            raw += static_cast<char>(wanted.back());
            plain += sentence(int{wanted.back()}, i % 5 == 0 ? "\n" : " ");
        }
        REQUIRE(values(raw) == wanted);
        REQUIRE(values(plain) == wanted);
    }
}

TEST_CASE("Colours become grey as JPEG has it, grey becomes colours") {
    CHECK(values("P3 4 1 255 255 0 0  0 255 0  0 0 255  255 255 255", 1) == Bytes{76, 150, 29, 255});
    CHECK(values("P2 1 1 255 7", 3) == Bytes{7, 7, 7});
    for (const std::size_t channels : std::vector<std::size_t>{2, 4})
        CHECK(error_text([&] { decoded("P2 1 1 255 7", channels); }) ==
              sentence("channels of an image: expected 0, 1 or 3, found ", channels));
}
