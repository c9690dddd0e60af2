// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/error.hpp>
#include <sigma/core/philox.hpp>
#include <sigma/decoding/boxes.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

using namespace sigma;
using Catch::Contains;

namespace {

using Found = std::vector<std::vector<Detection>>;
using Objects = std::vector<std::vector<ImageObject>>;

/// Draws boxes with whole coordinates, so that many overlaps are equal.
Box random_box(PhiloxSequence& random) {
    const auto number = [&](double most) { return std::floor(most * random.uniform<double>()); };
    const double left = number(6), top = number(6);
    return {left, top, left + number(5), top + number(5)};
}
/// Counts the cells of a grid that lie in a box: its area, if the coordinates are whole.
double cells(const Box& one, const Box& other, bool both) {
    double count = 0;
    for (int y = 0; y < 12; ++y)
        for (int x = 0; x < 12; ++x) {
            const auto in = [&](const Box& box) {
                return x >= box.left && x < box.right && y >= box.top && y < box.bottom;
            };
            count += (both ? in(one) && in(other) : in(one) || in(other)) ? 1 : 0;
        }
    return count;
}

/// Moves the surest to the front. Equally sure ones keep their order.
void in_order_of_score(auto& all) {
    for (std::size_t end = all.size(); end > 1; --end)
        for (std::size_t i = 1; i < end; ++i)
            if (all[i - 1].score < all[i].score) std::swap(all[i - 1], all[i]);
}

/// Removes detections one after the other: each that a surer one, which is still there, overlaps too much.
std::vector<Detection> suppressed(std::vector<Detection> all, double most, bool across) {
    in_order_of_score(all);
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t k = all.size(); k-- > i + 1;)
            if ((across || all[i].label == all[k].label) && intersection_over_union(all[i].box, all[k].box) > most)
                all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
    return all;
}

/// Computes the average precision from its definition: for each object that is found, the largest precision at that
/// recall or a larger one.
double average_precision(const Found& found, const Objects& objects, std::size_t label, double overlap) {
    struct One {
        double score;
        std::size_t image, place;
    };
    std::vector<One> order;
    std::size_t wanted = 0;
    for (std::size_t image = 0; image < found.size(); ++image) {
        for (std::size_t place = 0; place < found[image].size(); ++place)
            if (found[image][place].label == label) order.push_back({found[image][place].score, image, place});
        for (const ImageObject& object : objects[image]) wanted += object.label == label ? 1 : 0;
    }
    in_order_of_score(order);
    std::vector<std::vector<bool>> taken;
    for (const auto& image : objects) taken.emplace_back(image.size(), false);
    std::vector<double> recall, precision;
    double right = 0, all = 0;
    for (const One& one : order) {
        const Detection& detection = found[one.image][one.place];
        std::ptrdiff_t best = -1;
        for (std::size_t k = 0; k < objects[one.image].size(); ++k) {
            if (objects[one.image][k].label != label) continue;
            const auto at = [&](std::ptrdiff_t object) {
                return intersection_over_union(objects[one.image][static_cast<std::size_t>(object)].box, detection.box);
            };
            if (best < 0 || at(static_cast<std::ptrdiff_t>(k)) > at(best)) best = static_cast<std::ptrdiff_t>(k);
        }
        ++all;
        if (best >= 0) {
            const auto object = static_cast<std::size_t>(best);
            const bool enough = intersection_over_union(objects[one.image][object].box, detection.box) >= overlap;
            if (enough && !taken[one.image][object]) {
                taken[one.image][object] = true;
                ++right;
            }
        }
        recall.push_back(right);
        precision.push_back(right / all);
    }
    double sum = 0;
    for (std::size_t k = 1; k <= wanted; ++k) {
        double largest = 0;
        for (std::size_t i = 0; i < recall.size(); ++i)
            if (recall[i] >= static_cast<double>(k)) largest = std::max(largest, precision[i]);
        sum += largest;
    }
    return sum / static_cast<double>(wanted);
}

}  // namespace

TEST_CASE("The overlap of boxes is that of the cells they cover") {
    PhiloxSequence random{Philox(1)};
    for (int i = 0; i < 500; ++i) {
        const Box one = random_box(random), other = random_box(random);
        const double together = cells(one, other, false);
        const double wanted = together > 0 ? cells(one, other, true) / together : 0;
        CHECK(intersection_over_union(one, other) == Approx(wanted));
        CHECK(intersection_over_union(one, other) == intersection_over_union(other, one));
    }
    CHECK(intersection_over_union({0, 0, 2, 2}, {1, 0, 3, 2}) == Approx(2.0 / 6));
    CHECK(Box{3, 3, 1, 5}.area() == 0);
}

TEST_CASE("Suppression keeps what removing one after the other leaves") {
    PhiloxSequence random{Philox(2)};
    for (int round = 0; round < 200; ++round) {
        std::vector<Detection> found(static_cast<std::size_t>(30 * random.uniform<double>()));
        for (Detection& one : found)
            one = {.box = random_box(random),
                   .label = static_cast<std::size_t>(3 * random.uniform<double>()),
                   .score = std::floor(10 * random.uniform<double>()) / 10};  // many are equally sure
        const double most = std::floor(5 * random.uniform<double>()) / 4;
        const bool across = round % 2 == 0;
        const auto kept = non_maximum_suppression(found, {.most_overlap = most, .across_labels = across});
        const auto wanted = suppressed(found, most, across);
        REQUIRE(kept.size() == wanted.size());
        for (std::size_t i = 0; i < kept.size(); ++i) {
            CHECK(kept[i].box == wanted[i].box);
            CHECK(kept[i].label == wanted[i].label);
            CHECK(kept[i].score == wanted[i].score);
        }
    }
}

TEST_CASE("Suppression has a least score and a largest number") {
    const std::vector<Detection> found{
        {.box = {0, 0, 1, 1}, .score = 0.2}, {.box = {2, 0, 3, 1}, .score = 0.9}, {.box = {4, 0, 5, 1}, .score = 0.5}};
    CHECK(non_maximum_suppression(found, {.least_score = 0.5}).size() == 2);
    CHECK(non_maximum_suppression(std::vector<Detection>{{.box = {0, 0, 1, 1}, .score = -3}}).size() == 1);
    const auto one = non_maximum_suppression(found, {.most = 1});
    REQUIRE(one.size() == 1);
    CHECK(one[0].score == 0.9);
    CHECK(non_maximum_suppression({}).empty());
}

TEST_CASE("The mean average precision agrees with its definition") {
    PhiloxSequence random{Philox(3)};
    for (int round = 0; round < 100; ++round) {
        Found found(4);
        Objects objects(4);
        for (std::size_t image = 0; image < 4; ++image) {
            objects[image].resize(1 + static_cast<std::size_t>(4 * random.uniform<double>()));
            for (ImageObject& one : objects[image])
                one = {.box = random_box(random), .label = static_cast<std::size_t>(2 * random.uniform<double>())};
            for (int i = 0; i < 8; ++i) {
                const auto& near = objects[image][static_cast<std::size_t>(i) % objects[image].size()];
                const bool drawn = random.uniform<double>() < 0.5;
                found[image].push_back({.box = drawn ? random_box(random) : near.box,
                                        .label = static_cast<std::size_t>(3 * random.uniform<double>()),
                                        .score = std::floor(10 * random.uniform<double>()) / 10});
            }
        }
        double sum = 0, labels = 0;
        for (std::size_t label = 0; label < 2; ++label) {
            const bool occurs = std::ranges::any_of(
                objects, [&](const auto& image) { return std::ranges::count(image, label, &ImageObject::label) > 0; });
            if (!occurs) continue;
            ++labels;
            sum += average_precision(found, objects, label, 0.5);
        }
        CHECK(mean_average_precision(found, objects) == Approx(sum / labels));
    }
}

TEST_CASE("Average precision of known detections") {
    const Box here{0, 0, 4, 4}, there{10, 0, 14, 4};
    const Objects objects{{{.box = here}, {.box = there}}};
    CHECK(mean_average_precision(Found{{{.box = here, .score = 0.9}, {.box = there, .score = 0.8}}}, objects) == 1);
    CHECK(mean_average_precision(Found{{{.box = here, .score = 0.9}}}, objects) == 0.5);
    // A wrong one between them: precisions 1 and 2/3.
    CHECK(
        mean_average_precision(
            Found{{{.box = here, .score = 0.9}, {.box = {20, 20, 24, 24}, .score = 0.8}, {.box = there, .score = 0.7}}},
            objects) == Approx((1 + 2.0 / 3) / 2));
    // The second detection of an object is wrong.
    CHECK(mean_average_precision(
              Found{{{.box = here, .score = 0.9}, {.box = here, .score = 0.8}, {.box = there, .score = 0.7}}},
              objects) == Approx((1 + 2.0 / 3) / 2));
    CHECK(mean_average_precision(Found{{}}, objects) == 0);
    CHECK(mean_average_precision(Found{{{.box = {0, 0, 4, 5}, .score = 1}}}, Objects{{{.box = here}}}, 0.8) == 1);
    CHECK(mean_average_precision(Found{{{.box = {0, 0, 4, 5}, .score = 1}}}, Objects{{{.box = here}}}, 0.81) == 0);
}

TEST_CASE("Boxes and overlaps that are no numbers are rejected") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<Detection> bad{{.box = {0, nan, 1, 1}, .score = 1}}, unsure{{.box = {0, 0, 1, 1}, .score = nan}};
    CHECK_THROWS_WITH(non_maximum_suppression(bad), Contains("a detection of non_maximum_suppression"));
    CHECK_THROWS_WITH(non_maximum_suppression(unsure), Contains("expected numbers, found NaN"));
    CHECK_THROWS_WITH(non_maximum_suppression({}, {.most_overlap = 1.5}),
                      Contains("expected a number from 0 to 1, found 1.5"));
    CHECK_THROWS_WITH(non_maximum_suppression({}, {.least_score = nan}), Contains("expected a number, found NaN"));
    const Objects objects{{{.box = {0, 0, 1, 1}}}};
    CHECK_THROWS_AS(mean_average_precision(Found{bad}, objects), ArgumentError);
    CHECK_THROWS_WITH(mean_average_precision(Found{}, objects), Contains("expected 1 images, found 0"));
    CHECK_THROWS_WITH(mean_average_precision(Found{{}}, Objects{{}}), Contains("expected at least one, found none"));
    CHECK_THROWS_WITH(mean_average_precision(Found{{}}, objects, 0), Contains("above 0, at most 1"));
}
