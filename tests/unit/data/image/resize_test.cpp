// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/data/image/image.hpp>

#include "../support.hpp"

#include <cmath>

using namespace sigma;
using namespace sigma::data;

namespace {

std::vector<float> resized(const Image& image, std::size_t height, std::size_t width) {
    std::vector<float> to(height * width * image.channels);
    resize_image(image, height, width, to);
    return to;
}

}  // namespace

TEST_CASE("Shrinking averages over areas") {
    const Image image{2, 4, 1, {0, 10, 20, 30, 40, 50, 60, 70}};
    CHECK(resized(image, 1, 2) == std::vector<float>{25, 45});
    CHECK(resized(image, 2, 4) == std::vector<float>{0, 10, 20, 30, 40, 50, 60, 70});
    CHECK(resized(image, 1, 1) == std::vector<float>{35});
    const std::vector<float> thirds = resized({1, 3, 1, {0, 30, 90}}, 1, 2);  // one and a half pixels each
    CHECK(thirds[0] == Approx(10));
    CHECK(thirds[1] == Approx(70));
    CHECK(resized({1, 2, 3, {0, 2, 4, 10, 20, 30}}, 1, 1) == std::vector<float>{5, 11, 17});
}

TEST_CASE("Growing is linear between the centres of pixels") {
    CHECK(resized({1, 2, 1, {0, 100}}, 1, 4) == std::vector<float>{0, 25, 75, 100});
    CHECK(resized({1, 1, 3, {1, 2, 3}}, 2, 2) == std::vector<float>{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3});
    CHECK(resized({2, 2, 1, {0, 100, 0, 100}}, 1, 4) == std::vector<float>{0, 25, 75, 100});  // one axis each way
}

TEST_CASE("Resizing keeps what is constant, and the mean where it shrinks") {
    PhiloxSequence random{Philox(3)};
    for (int round = 0; round < 100; ++round) {
        const std::size_t height = 1 + random.bits() % 20, width = 1 + random.bits() % 20;
        const std::size_t new_height = 1 + random.bits() % 20, new_width = 1 + random.bits() % 20;
        Image image{height, width, 1, std::vector<std::uint8_t>(height * width, 200)};
        for (const float v : resized(image, new_height, new_width)) REQUIRE(v == Approx(200));
        if (new_height > height || new_width > width) continue;
        double before = 0, after = 0;
        for (auto& v : image.values) before += v = static_cast<std::uint8_t>(random.bits() & 0xFF);
        for (const float v : resized(image, new_height, new_width)) after += static_cast<double>(v);
        REQUIRE(after / static_cast<double>(new_height * new_width) ==
                Approx(before / static_cast<double>(height * width)));
    }
}

TEST_CASE("Extents of nothing are refused") {
    const Image image{1, 1, 1, {5}};
    std::vector<float> to(1);
    CHECK_THROWS_AS(resize_image(image, 0, 1, to), ShapeError);
    CHECK_THROWS_AS(resize_image(image, 1, 2, to), ShapeError);
    CHECK_THROWS_AS(resize_image(Image{}, 1, 1, to), ShapeError);
}
