// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/xtensor.hpp>
#include <sigma/data/split.hpp>

#include "support.hpp"

#include <xtensor/xbuilder.hpp>

#include <algorithm>
#include <set>

using namespace sigma;

namespace {

/// Record i has the input i and the label i % 3.
Dataset numbered(std::size_t records) {
    xt::xarray<float> inputs = xt::zeros<float>({records, std::size_t{1}});
    xt::xarray<float> labels = xt::zeros<float>({records});
    for (std::size_t i = 0; i < records; ++i) {
        inputs(i, 0) = static_cast<float>(i);
        labels(i) = static_cast<float>(i % 3);
    }
    return make_dataset(inputs, labels, "numbered");
}

std::vector<int> numbers(const Dataset& dataset) {
    std::vector<int> found;
    for (std::size_t i = 0; i < dataset.size(); ++i) found.push_back(static_cast<int>(dataset.input(i)[0]));
    return found;
}

}  // namespace

TEST_CASE("Splitting cuts the records in given order") {
    const auto [training, validation] = split(numbered(10), 0.9, 0.1);
    CHECK(numbers(training) == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(numbers(validation) == std::vector<int>{9});

    const auto [a, b, c] = split(numbered(10), 0.5f, 0.25, 0.25);
    CHECK(a.size() == 5);
    CHECK(b.size() + c.size() == 5);

    const auto [part] = split(numbered(10), 0.3);
    CHECK(part.size() == 3);
}

TEST_CASE("Shares that sum to 1 lose no record") {
    for (std::size_t size : {3u, 7u, 10u, 150u, 999u}) {
        const auto parts = split(numbered(size), 1.0 / 3, 1.0 / 3, 1.0 / 3);
        CHECK(parts[0].size() + parts[1].size() + parts[2].size() == size);
        const auto floats = split(numbered(size), 0.6f, 0.4f);
        CHECK(floats[0].size() + floats[1].size() == size);
    }
}

TEST_CASE("Shares that cannot be are refused") {
    const Dataset ten = numbered(10);
    CHECK(error_text([&] { split(ten, 0.9, 0.2); }) ==
          "split: expected shares above 0 that sum to at most 1, found 0.9, 0.2");
    CHECK(error_text([&] { split(ten, 0.0, 0.2); }) ==
          "split: expected shares above 0 that sum to at most 1, found 0, 0.2");
    CHECK(error_text([&] { split(ten, -0.5, 0.5); }) ==
          "split: expected shares above 0 that sum to at most 1, found -0.5, 0.5");
    CHECK_THROWS_AS(split(ten, std::nan("")), ArgumentError);
    CHECK_THROWS_AS(split(ten, 0.5, HUGE_VAL), ArgumentError);
    CHECK(error_text([&] { split(ten, 0.999, 0.001); }) ==
          "split of dataset 'numbered': expected at least one of its 10 records in each share, found no record in "
          "share 2");
}

TEST_CASE("A split of a split takes from the part") {
    const auto [training, rest] = split(numbered(20), 0.5, 0.5);
    const auto [validation, test] = split(rest, 0.5, 0.5);
    CHECK(numbers(test) == std::vector<int>{15, 16, 17, 18, 19});
}

TEST_CASE("Taking records") {
    CHECK(numbers(take(numbered(10), 3, 2)) == std::vector<int>{3, 4});
    CHECK(take(numbered(10), 0, 10).size() == 10);
    const Dataset ten = numbered(10);
    CHECK(error_text([&] { take(ten, 9, 2); }) ==
          "take from dataset 'numbered': expected one or more records within its 10, found 2 from record 9");
    CHECK_THROWS_AS(take(ten, 0, 0), ArgumentError);
    CHECK_THROWS_AS(take(ten, 11, 1), ArgumentError);
    CHECK_THROWS_AS(take(ten, 1, static_cast<std::size_t>(-1)), ArgumentError);
}

TEST_CASE("Shuffling keeps every record and depends on the seed alone") {
    const Dataset dataset = numbered(100);
    const auto first = numbers(shuffled(dataset, 1));
    CHECK(first == numbers(shuffled(dataset, 1)));
    CHECK(first != numbers(shuffled(dataset, 2)));
    CHECK(first != numbers(dataset));
    CHECK(std::set<int>(first.begin(), first.end()).size() == 100);
    const Dataset mixed = shuffled(dataset, 1);
    for (std::size_t i = 0; i < mixed.size(); ++i)
        CHECK(mixed.label(i) == static_cast<std::size_t>(mixed.input(i)[0]) % 3);
}

TEST_CASE("A stratified split keeps the proportions of the classes") {
    const auto [training, test] = stratified_split(shuffled(numbered(150), 3), 2.0 / 3, 1.0 / 3);
    CHECK(training.size() == 100);
    CHECK(test.size() == 50);
    std::array<int, 3> counts{};
    for (std::size_t i = 0; i < test.size(); ++i) ++counts[test.label(i)];
    CHECK(counts == std::array<int, 3>{17, 16, 17});
    auto all = numbers(training);
    for (int number : numbers(test)) all.push_back(number);
    CHECK(std::set<int>(all.begin(), all.end()).size() == 150);

    const Dataset numbers = make_dataset(xt::ones<float>({4, 1}), xt::ones<float>({4, 1}));
    CHECK_THROWS_AS(stratified_split(numbers, 0.5, 0.5), DataError);
}

TEST_CASE("Stratified parts are as large as those of a split, whatever the classes, with each class up to one record") {
    const auto examine = [](const std::vector<std::size_t>& classes, auto... shares) {
        std::vector<float> labels;
        for (std::size_t c = 0; c < classes.size(); ++c) labels.insert(labels.end(), classes[c], static_cast<float>(c));
        const Dataset all =
            shuffled(make_dataset(xt::eval(xt::arange<float>(static_cast<float>(labels.size()))), labels), 5);
        const auto plain = split(all, shares...), parts = stratified_split(all, shares...),
                   again = stratified_split(all, shares...);
        std::vector<int> seen;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            CAPTURE(classes, p);
            CHECK(parts[p].size() == plain[p].size());
            CHECK(numbers(parts[p]) == numbers(again[p]));
            std::vector<std::size_t> counts(classes.size());
            for (std::size_t i = 0; i < parts[p].size(); ++i) ++counts[parts[p].label(i)];
            for (std::size_t c = 0; c < classes.size(); ++c)
                CHECK(std::abs(static_cast<double>(counts[c] * all.size()) -
                               static_cast<double>(classes[c] * plain[p].size())) < static_cast<double>(all.size()));
            for (const int number : numbers(parts[p])) seen.push_back(number);
        }
        const std::size_t count = seen.size();
        CHECK(std::set(seen.begin(), seen.end()).size() == count);
        return count;
    };
    std::vector<std::size_t> tail(30, 4);
    tail[0] = 100;
    CHECK(examine(tail, 0.9, 0.1) == 216);
    for (const std::size_t of_each : {1u, 4u, 5u, 6u, 14u, 15u}) {
        const std::vector<std::size_t> even(30, of_each);
        CHECK(examine(even, 0.9, 0.1) == 30 * of_each);
        CHECK(examine(even, 0.6, 0.2, 0.2) == 30 * of_each);
    }
    std::vector<std::size_t> uneven;
    for (std::size_t c = 0; c < 40; ++c) uneven.push_back(1 + c * c % 11);
    CHECK(examine(uneven, 0.14, 0.28, 0.58) == 197);
    CHECK(examine(uneven, 0.4, 0.3, 0.2, 0.1) == 197);
    CHECK(examine(uneven, 0.5, 0.2) == 138);  // 59 are in no part
    CHECK(examine({7}, 0.3, 0.3, 0.4) == 7);
}
