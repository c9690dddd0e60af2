// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/transform/augmentations.hpp>

#include "../support.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

using namespace sigma;
using namespace sigma::data;

namespace {

using Extents_ = std::vector<std::size_t>;

std::vector<float> counted(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.0f);
    return values;
}
std::vector<float> changed(const Augmentation& by, std::vector<float> record, const Extents_& shape,
                           std::uint64_t number) {
    by.examine(shape);
    by.apply(record, shape, Augmentation::random(7, 3, number));
    return record;
}
/// Image (h, w, c) moved by the definition: out(y, x) = in(y - down, x - right).
std::vector<float> moved(const std::vector<float>& from, int h, int w, int c, int down, int right, float fill) {
    std::vector<float> to;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
            for (int k = 0; k < c; ++k) {
                const int v = y - down, u = x - right;
                const bool inside = v >= 0 && v < h && u >= 0 && u < w;
                to.push_back(inside ? from[static_cast<std::size_t>((v * w + u) * c + k)] : fill);
            }
    return to;
}

}  // namespace

TEST_CASE("Images move by every number of pixels, and what comes in is filled") {
    const auto [h, w, c] = GENERATE(std::tuple(5, 4, 1), std::tuple(3, 6, 2), std::tuple(1, 1, 1));
    const auto image = counted(static_cast<std::size_t>(h * w * c));
    for (int down = -h - 1; down <= h + 1; ++down)
        for (int right = -w - 1; right <= w + 1; ++right) {
            auto record = image;
            sigma::data::detail::move_image(
                record, {static_cast<std::size_t>(h), static_cast<std::size_t>(w), static_cast<std::size_t>(c)}, down,
                right, -1);
            REQUIRE(record == moved(image, h, w, c, down, right, -1));
        }
}

TEST_CASE("A shift draws each of its moves equally often") {
    const auto image = counted(25);
    const Augmentation by = shift_by(1, 2, -1);
    std::vector<int> counts(15);
    for (std::uint64_t r = 0; r < 3000; ++r) {
        const auto record = changed(by, image, {5, 5}, r);
        int found = -1;
        for (int down = -1; down <= 1; ++down)
            for (int right = -2; right <= 2; ++right)
                if (record == moved(image, 5, 5, 1, down, right, -1)) found = (down + 1) * 5 + right + 2;
        REQUIRE(found >= 0);
        ++counts[static_cast<std::size_t>(found)];
    }
    for (const int count : counts) CHECK(std::abs(count - 200) < 70);  // 5 deviations
}

TEST_CASE("Flips mirror and keep pixels together") {
    const std::vector<float> image{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};  // 2 x 3 x 2
    CHECK(changed(flip_horizontal(1), image, {2, 3, 2}, 0) ==
          std::vector<float>{5, 6, 3, 4, 1, 2, 11, 12, 9, 10, 7, 8});
    CHECK(changed(flip_vertical(1), image, {2, 3, 2}, 0) == std::vector<float>{7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6});
    CHECK(changed(flip_vertical(1), {1, 2, 3}, {3, 1}, 0) == std::vector<float>{3, 2, 1});
    CHECK(changed(flip_horizontal(0), image, {2, 3, 2}, 0) == image);
    CHECK(changed(flip_horizontal(1) >> flip_horizontal(1), image, {2, 3, 2}, 0) == image);
    int flipped = 0;
    for (std::uint64_t r = 0; r < 1000; ++r)
        flipped += changed(flip_horizontal(0.25), {1, 2}, {1, 2}, r)[0] == 2 ? 1 : 0;
    CHECK(std::abs(flipped - 250) < 70);
}

TEST_CASE("Noise has the mean and deviation it says, and repeats nowhere") {
    std::vector<float> drawn;
    for (std::uint64_t r = 0; r < 20; ++r) {
        const auto one = changed(noise(0.5), std::vector<float>(1000, 2.0f), {1000}, r);
        drawn.insert(drawn.end(), one.begin(), one.end());
    }
    double mean = 0, square = 0;
    for (const float x : drawn) mean += static_cast<double>(x) / 20000;
    for (const float x : drawn) square += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean) / 20000;
    CHECK(std::abs(mean - 2) < 0.02);
    CHECK(std::abs(std::sqrt(square) - 0.5) < 0.015);
    std::ranges::sort(drawn);
    CHECK(std::set<float>(drawn.begin(), drawn.end()).size() > 19800);
    CHECK(changed(noise(0), {1, 2}, {2}, 0) == std::vector<float>{1, 2});
}

TEST_CASE("Erased squares lie anywhere and are smaller at the edges only") {
    std::set<std::vector<float>> seen;
    for (std::uint64_t r = 0; r < 500; ++r) {
        const auto record = changed(erase(3, -1), counted(36), {6, 6}, r);
        const auto erased = std::ranges::count(record, -1.0f);
        CHECK((erased == 9 || erased == 6 || erased == 4));
        for (std::size_t i = 0; i < 36; ++i) CHECK((record[i] == -1 || record[i] == static_cast<float>(i + 1)));
        seen.insert(record);
    }
    CHECK(seen.size() == 36);
}

TEST_CASE("A quarter turn moves pixels exactly; a small one interpolates") {
    std::vector<float> image{1, 2, 3, 4, 5, 6, 7, 8, 9};
    sigma::data::detail::turn_image(image, {3, 3, 1}, std::acos(-1.0) / 2, 0);
    const std::vector<float> wanted{3, 6, 9, 2, 5, 8, 1, 4, 7};  // anticlockwise
    for (std::size_t i = 0; i < 9; ++i) CHECK(image[i] == Approx(wanted[i]).margin(1e-5));
    CHECK(changed(rotate(0), counted(12), {3, 4}, 0) == counted(12));
    const auto turned = changed(rotate(20, 0), std::vector<float>(75, 1.0f), {5, 5, 3}, 1);
    for (const float x : turned) CHECK((x >= 0 && x <= 1.00001f));
    CHECK(turned[36] == Approx(1));  // the middle stays
}

TEST_CASE("A crop keeps corners of a part as corners and planes as planes") {
    // The value is 10 y + x: after a crop it is 10 (top + y · 3/4) + left + x · 3/4.
    std::vector<float> plane;
    for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 5; ++x) plane.push_back(static_cast<float>(10 * y + x));
    std::set<float> corners;
    for (std::uint64_t r = 0; r < 50; ++r) {
        const auto record = changed(crop(1), plane, {5, 5}, r);
        corners.insert(record[0]);
        for (std::size_t i = 0; i < 25; ++i)
            CHECK(record[i] ==
                  Approx(record[0] + 7.5f * static_cast<float>(i / 5) + 0.75f * static_cast<float>(i % 5)));
    }
    CHECK(corners == std::set<float>{0, 1, 10, 11});
    CHECK(changed(crop(0), plane, {5, 5}, 0) == plane);
    CHECK(changed(crop(0), {4}, {1, 1}, 0) == std::vector<float>{4});
}

TEST_CASE("An augmentation depends on seed, epoch, record and its place in the chain, and on nothing else") {
    const auto draw = [](std::uint64_t seed, std::uint64_t number, std::uint64_t record, const Augmentation& by) {
        std::vector<float> x(4);
        by.apply(x, Extents_{2, 2}, Augmentation::random(seed, number, record));
        return x;
    };
    const Augmentation one = noise(1);
    std::set<std::vector<float>> all;
    for (std::uint64_t seed = 0; seed < 3; ++seed)
        for (std::uint64_t number = 0; number < 3; ++number)
            for (std::uint64_t record = 0; record < 3; ++record) {
                CHECK(draw(seed, number, record, one) == draw(seed, number, record, noise(1)));
                all.insert(draw(seed, number, record, one));
            }
    CHECK(all.size() == 27);
    const auto once = draw(0, 0, 0, one), twice = draw(0, 0, 0, one >> one);
    CHECK(twice[0] != Approx(2 * once[0]));  // the second draws other numbers
    CHECK(draw(0, 0, 0, (one >> one) >> one) == draw(0, 0, 0, one >> (one >> one)));
}

TEST_CASE("A function of the user's gets the record, its shape and random numbers") {
    const Augmentation by =
        augment_by("darker", [](std::span<float> record, std::span<const std::size_t> shape, PhiloxSequence& random) {
            const float factor = random.uniform();
            for (float& x : record) x *= factor * static_cast<float>(shape[0]);
        });
    const auto record = changed(by, {1, 2}, {2}, 5);
    CHECK(record[1] == 2 * record[0]);
    CHECK(record != changed(by, {1, 2}, {2}, 6));
    CHECK(by.text() == "augment_by('darker')");
    CHECK(error_text([] { augment_by("none", nullptr); }) ==
          "augment_by('none'): expected a function, found an empty function");
}

TEST_CASE("Augmentations say what they are and what is wrong with them") {
    CHECK(augment(inputs, shift(2), flip_horizontal()).text() ==
          "augment(inputs, shift(2, 0) >> flip_horizontal(0.5))");
    CHECK(augment(shift(2) >> noise(0.1)).text() == "augment(shift(2, 0) >> noise(0.1))");
    CHECK(augment(input<"image">, rotate(10)).section == "image");
    CHECK(error_text([] { shift(-1); }) == "shift: expected at least 0 pixels, found -1");
    CHECK(error_text([] { flip_vertical(1.5); }) == "flip: expected a probability from 0 to 1, found 1.5");
    CHECK(error_text([] { noise(std::nan("")); }) == "noise: expected a finite deviation of at least 0, found nan");
    CHECK(error_text([] { erase(0); }) == "erase: expected a square of at least 1 pixel, found 0");
    CHECK(error_text([] { rotate(181); }) == "rotate: expected 0 to 180 degrees, found 181");
    CHECK(error_text([] { (noise(1) >> shift(2)).examine(Extents_{784}); }) ==
          "shift(2): expected images (height, width) or (height, width, channels), found (784)");
    CHECK(error_text([] { crop(4).examine(Extents_{4, 9}); }) ==
          "crop(4): expected images of at least 5 pixels a side, found (4, 9)");
}

TEST_CASE("A resized crop is a part of the image of a random size, form and place") {
    const Extents_ shape{33, 65, 2};
    std::vector<float> ramps;
    for (int y = 0; y < 33; ++y)
        for (int x = 0; x < 65; ++x) ramps.insert(ramps.end(), {static_cast<float>(y), static_cast<float>(x)});
    double areas = 0, widest = 0, highest = 0;
    constexpr int count = 400;
    for (int i = 0; i < count; ++i) {
        const auto part = changed(crop_resized(0.25), ramps, shape, static_cast<std::uint64_t>(i));
        // A ramp stays a ramp: its ends are the sides of the part.
        const double top = static_cast<double>(part[0]), left = static_cast<double>(part[1]);
        const double bottom = static_cast<double>(part[part.size() - 2]), right = static_cast<double>(part.back());
        const double high = (bottom - top + 1) / 33, wide = (right - left + 1) / 65;
        CHECK(top >= 0);
        CHECK(left >= 0);
        CHECK(bottom <= 32);
        CHECK(right <= 64);
        for (std::size_t y = 0; y < 33; ++y)
            for (std::size_t x = 0; x < 65; ++x) {
                const double v = top + (bottom - top) * static_cast<double>(y) / 32;
                const double u = left + (right - left) * static_cast<double>(x) / 64;
                REQUIRE(static_cast<double>(part[2 * (65 * y + x)]) == Approx(v).margin(1e-4));
                REQUIRE(static_cast<double>(part[2 * (65 * y + x) + 1]) == Approx(u).margin(1e-4));
            }
        CHECK(high * wide >= 0.2499);
        CHECK(high * wide <= 1.0001);
        CHECK(wide / high >= 0.7499);
        CHECK(wide / high <= 1.3335);
        areas += high * wide / count;
        widest = std::max(widest, wide / high);
        highest = std::max(highest, high / wide);
    }
    // Uniform, except for large parts, which fit less often.
    CHECK(areas > 0.5);
    CHECK(areas < 0.63);
    CHECK(widest > 1.25);
    CHECK(highest > 1.25);
    CHECK(changed(crop_resized(1), ramps, shape, 1) == ramps);
    CHECK(changed(crop_resized(0.1), {5}, {1, 1}, 1) == std::vector<float>{5});
    CHECK(crop_resized().text() == "crop_resized(0.08)");
    CHECK_THROWS_AS(crop_resized(0), ArgumentError);
    CHECK_THROWS_AS(crop_resized(1.5), ArgumentError);
    CHECK_THROWS_AS(changed(crop_resized(), {5}, {1}, 1), ShapeError);
}

TEST_CASE("Color jitter changes brightness, contrast and saturation as its formulas say") {
    const Extents_ shape{4, 5, 3};
    std::vector<float> image(60);
    Philox(4).fill_uniform(std::span(image), 0.0f, 1.0f);
    const ColorJitter options{.brightness = 0.3, .contrast = 0.6, .saturation = 0.9, .most = 1};
    for (std::uint64_t number = 0; number < 50; ++number) {
        const auto found = changed(color_jitter(options), image, shape, number);
        const Philox all = Augmentation::random(7, 3, number);
        PhiloxSequence drawn{Philox(all.bits(0), all.stream)};  // the numbers of the first augmentation
        const auto factor = [&](double most) { return 1 + most * (2 * drawn.uniform<double>() - 1); };
        const double b = factor(0.3), c = factor(0.6), s = factor(0.9);
        std::vector<double> wanted(image.begin(), image.end());
        const auto gray = [&](std::size_t i) {
            return 0.299 * wanted[i] + 0.587 * wanted[i + 1] + 0.114 * wanted[i + 2];
        };
        for (double& x : wanted) x = std::clamp(b * x, 0.0, 1.0);
        double mean = 0;
        for (std::size_t i = 0; i < 60; i += 3) mean += gray(i) / 20;
        for (double& x : wanted) x = std::clamp(mean + c * (x - mean), 0.0, 1.0);
        for (std::size_t i = 0; i < 60; i += 3) {
            const double level = gray(i);
            for (std::size_t k = i; k < i + 3; ++k) wanted[k] = std::clamp(level + s * (wanted[k] - level), 0.0, 1.0);
        }
        for (std::size_t i = 0; i < 60; ++i) CHECK(static_cast<double>(found[i]) == Approx(wanted[i]).margin(2e-6));
    }
    // Images in gray have one channel, and each factor is in its range.
    double least = 9, most = 0;
    for (std::uint64_t number = 0; number < 300; ++number) {
        const auto found = changed(color_jitter({.brightness = 0.5, .most = 255}), {100, 50}, {1, 2}, number);
        CHECK(found[0] == Approx(2 * found[1]));
        least = std::min(least, static_cast<double>(found[0]) / 100);
        most = std::max(most, static_cast<double>(found[0]) / 100);
    }
    CHECK(least >= 0.5);
    CHECK(least < 0.52);
    CHECK(most <= 1.5);
    CHECK(most > 1.48);
    CHECK(changed(color_jitter({}), image, shape, 1) == image);
    CHECK(changed(color_jitter({.brightness = 1}), {0.9f, 0.9f}, {1, 2}, 2)[0] <= 1);
    CHECK(color_jitter(options).text() == "color_jitter(0.3, 0.6, 0.9, 1)");
    CHECK_THROWS_AS(color_jitter({.brightness = 1.5}), ArgumentError);
    CHECK_THROWS_AS(color_jitter({.contrast = -0.5}), ArgumentError);
    CHECK_THROWS_AS(color_jitter({.saturation = std::nan("")}), ArgumentError);
    CHECK_THROWS_AS(color_jitter({.most = 0}), ArgumentError);
    CHECK_THROWS_AS(changed(color_jitter({.saturation = 0.5}), {1, 2}, {1, 2}, 1), ShapeError);
    CHECK_THROWS_AS(changed(color_jitter({.contrast = 0.5}), {1, 2}, {1, 1, 2}, 1), ShapeError);
}
