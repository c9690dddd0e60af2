// SPDX-License-Identifier: BSL-1.0
// Datasets of double: their numbers stay what they are, wherever records go.
#include "../../support/scratch.hpp"
#include "../../support/thrown.hpp"

#include <catch2/catch.hpp>
#include <sigma/core/array.hpp>
#include <sigma/data/data.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/split.hpp>
#include <sigma/data/with_weights.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/sigma.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

using namespace sigma;
using namespace sigma::data;

namespace {

constexpr std::size_t doubles_records = 10;
/// No float, and far from the nearest one.
double exact_number(std::size_t i) { return 1.0 / (3.0 + static_cast<double>(i)) + static_cast<double>(i); }

Array<double> doubles_array(std::size_t records, std::size_t width, std::size_t from = 0) {
    auto all = Array<double>::from_shape({records, width});
    for (std::size_t i = 0; i < records * width; ++i) all.data()[i] = exact_number(from + i);
    return all;
}
Dataset dataset_of_doubles() {
    return make_dataset(doubles_array(doubles_records, 3), doubles_array(doubles_records, 1, 100), "doubles");
}
bool same_numbers(const Array<double>& found, const std::vector<double>& wanted) {
    return std::vector<double>(found.begin(), found.end()) == wanted;
}
std::vector<double> wanted_rows(const std::vector<std::size_t>& records, std::size_t width = 3, std::size_t from = 0) {
    std::vector<double> all;
    for (const std::size_t r : records)
        for (std::size_t i = 0; i < width; ++i) all.push_back(exact_number(from + r * width + i));
    return all;
}

}  // namespace

TEST_CASE("Arrays of double make a dataset of double, others one of float") {
    const Dataset data = dataset_of_doubles();
    CHECK(data.sections()[0].doubles);
    CHECK(data.sections()[1].doubles);
    CHECK(same_numbers(data.inputs<double>(), wanted_rows({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})));
    CHECK(same_numbers(data.targets<double>(), wanted_rows({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 100)));
    // As floats they are the nearest.
    CHECK(data.inputs()(2, 1) == static_cast<float>(exact_number(7)));
    CHECK(data.input(2)[1] == static_cast<float>(exact_number(7)));
    const Dataset floats = make_dataset(Array<float>::from_shape({4, 2}), Array<int>::from_shape({4}), "floats");
    CHECK_FALSE(floats.sections()[0].doubles);
    CHECK_FALSE(floats.sections()[1].doubles);
}

TEST_CASE("Choices, joined, cut and weighted records stay double") {
    const Dataset data = dataset_of_doubles();
    CHECK(same_numbers(data.range(2, 3).inputs<double>(), wanted_rows({2, 3, 4})));
    CHECK(same_numbers(data.select(std::vector<std::size_t>{7, 1}).inputs<double>(), wanted_rows({7, 1})));
    const auto [first, second] = split(data, 0.5, 0.5);
    CHECK(same_numbers(second.inputs<double>(), wanted_rows({5, 6, 7, 8, 9})));

    const Dataset other = make_dataset(doubles_array(2, 3, 500), doubles_array(2, 1, 600), "other");
    const Dataset both = concatenate(data, other);
    CHECK(both.inputs<double>()(11, 2) == exact_number(505));
    CHECK(both.targets<double>()(11, 0) == exact_number(601));
    // Of float and double it is double, whichever is the first.
    const Dataset floats = make_dataset(Array<float>::from_shape({2, 3}), Array<float>::from_shape({2, 1}), "floats");
    CHECK(concatenate(floats, data).inputs<double>()(2, 1) == exact_number(1));
    CHECK(concatenate(data, floats).inputs<double>()(9, 2) == exact_number(29));

    const std::vector<std::size_t> lengths{1, 2, 1, 2, 1, 2, 1, 2, 1, 2}, widths{1, 2};
    const Dataset sequences = make_dataset(doubles_array(10, 2), doubles_array(10, 1, 100), "sequences");
    CHECK(bucketed(sequences, lengths, widths)[1].inputs<double>()(1, 1) == exact_number(7));

    const Dataset weighted = with_weights(data, std::vector<double>(10, 0.1));
    CHECK(weighted.targets<double>()(3, 0) == exact_number(103));
    CHECK(weighted.targets<double>()(3, 1) == 0.1);
    CHECK(same_numbers(weighted.inputs<double>(), wanted_rows({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})));

    CHECK(dataset_of_doubles().key() == data.key());
    CHECK(make_dataset(Array<float>(doubles_array(10, 3)), Array<float>(doubles_array(10, 1, 100)), "doubles").key() !=
          data.key());
}

TEST_CASE("Doubles that floats hold become floats or bytes where they are compacted, others stay") {
    auto pixels = Array<double>::from_shape({20, 32});
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels.data()[i] = static_cast<double>(i % 256);
    const Dataset small = make_dataset(pixels, doubles_array(20, 1), "pixels").compact();
    CHECK_FALSE(small.sections()[0].doubles);
    CHECK(small.sections()[1].doubles);
    for (std::size_t i = 0; i < 20; ++i) CHECK(small.inputs<double>()(i, 31) == pixels(i, 31));
    CHECK(small.targets<double>()(7, 0) == exact_number(7));
}

TEST_CASE("Numbers beyond the largest float are for networks of double only") {
    auto x = Array<double>::from_shape({2, 1});
    x(1, 0) = 1e200;
    const Dataset data = make_dataset(x, doubles_array(2, 1), "large");
    CHECK(data.inputs<double>()(1, 0) == 1e200);
    CHECK(
        error_text([&] { data.inputs<float>(); }) ==
        "dataset 'large', record 1: expected numbers within the range of float, or a network of double, found 1e+200");
    x(0, 0) = std::numeric_limits<double>::infinity();
    CHECK_THROWS_AS(make_dataset(x, doubles_array(2, 1), "infinite"), DataError);
    x(0, 0) = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_AS(make_dataset(x, doubles_array(2, 1), "missing"), DataError);
}

TEST_CASE("Labels of double are class numbers exactly") {
    auto labels = Array<double>::from_shape({3});
    labels.data()[1] = 2;
    const auto x = Array<float>::from_shape({3, 1});
    CHECK(make_dataset(x, labels, "labels").label(1) == 2);
    CHECK_NOTHROW(sigma::detail::check_labels(make_dataset(x, labels, "labels"), 3));
    labels.data()[2] = 1 - 1e-12;  // 1 as a float
    CHECK_THROWS_AS(sigma::detail::check_labels(make_dataset(x, labels, "labels"), 3), DataError);
}

TEST_CASE("Transforms keep doubles, and learn from them") {
    const Array<double> x = doubles_array(doubles_records, 3);
    const Dataset data = dataset_of_doubles();
    const Preprocessing p = fitted(standardize(inputs) >> min_max(targets), data);
    const Dataset ready = data >> p;
    CHECK(ready.sections()[0].doubles);
    double mean = 0, squares = 0;
    for (std::size_t r = 0; r < 10; ++r) mean += x(r, 1) / 10;
    for (std::size_t r = 0; r < 10; ++r) squares += (x(r, 1) - mean) * (x(r, 1) - mean) / 10;
    CHECK(ready.inputs<double>()(4, 1) == Approx((x(4, 1) - mean) / std::sqrt(squares)).epsilon(1e-14));
    // What predictions go through is the same, to the bit.
    CHECK(same_numbers(p(x), [&] {
        const Array<double> found = ready.inputs<double>();
        return std::vector<double>(found.begin(), found.end());
    }()));
    const Array<double> back = p.inverse(ready.targets<double>());
    for (std::size_t r = 0; r < 10; ++r) CHECK(back(r, 0) == Approx(exact_number(100 + r)).epsilon(1e-14));

    const Dataset median_data = make_dataset(
        Array<double>({5, 1}, {exact_number(1), std::nextafter(exact_number(1), 9.0), -3.5, exact_number(4), -1e300}),
        doubles_array(5, 1), "median");
    const Preprocessing middle = fitted(impute(inputs, median), median_data);
    CHECK(middle.steps()[0].transform->state()[0].values[0] == exact_number(1));

    const Dataset mapped_data = make_dataset(Array<double>({3, 1}, {0.1, 0.2, 0.3}), doubles_array(3, 1), "values");
    CHECK((mapped_data >> map_values(inputs, {{0.2, 0.7}})).inputs<double>()(1, 0) == 0.7);
    CHECK((mapped_data >> one_hot(inputs, {0.1, 0.2, 0.3})).inputs<double>()(2, 0, 2) == 1);
    CHECK((mapped_data >> clamp(inputs, 0.1, 0.2)).inputs<double>()(2, 0) == 0.2);
    CHECK((mapped_data >> normalize(inputs, 0, 3)).inputs<double>()(1, 0) == 0.2 * (1.0 / 3));
    CHECK((data >> reshape<1, 3>(inputs) >> permute<1, 0>(inputs)).inputs<double>()(4, 2, 0) == exact_number(14));
}

TEST_CASE("Functions of users see doubles, and those of floats are refused") {
    const Dataset data = dataset_of_doubles();
    const auto exact = [](double v) { return std::log1p(v); };
    CHECK((data >> apply(inputs, "log", exact)).inputs<double>()(2, 2) == std::log1p(exact_number(8)));
    const auto any = [](auto v) { return v * v; };
    CHECK((data >> apply(inputs, "square", any)).inputs<double>()(2, 2) == exact_number(8) * exact_number(8));
    const auto rows = [](std::span<double> record) { record[0] = record[1]; };
    CHECK((data >> apply(inputs, "copy", rows)).inputs<double>()(2, 0) == exact_number(7));
    const auto floats_only = [](float v) { return v + 1; };
    CHECK(error_text([&] { data >> apply(inputs, "more", floats_only); }).find("a function of double") !=
          std::string::npos);
    const Dataset floats = make_dataset(Array<float>({2, 2}, {1, 2, 3, 4}), Array<float>::from_shape({2, 1}), "floats");
    CHECK((floats >> apply(inputs, "copy", rows)).inputs()(1, 0) == 4);
    CHECK((floats >> apply(inputs, "log", exact)).inputs()(1, 0) == static_cast<float>(std::log1p(3.0)));
}

TEST_CASE("Tables, arrays and files are read as doubles, in memory and in blocks") {
    std::string table = "a,b,kind\n";
    for (std::size_t r = 0; r < 40; ++r)
        table += sentence(exact_number(2 * r), ",", exact_number(2 * r + 1), r % 2 == 0 ? ",x\n" : ",y\n");
    const auto read = [&](CsvFormat format) {
        return csv(memory(table), format) >> sections(inputs = columns("a", "b"), targets = labels("kind"));
    };
    const Dataset floats = read({.header = true}) >> dataset("floats");
    CHECK_FALSE(floats.sections()[0].doubles);
    const Scratch cache;
    const DatasetOptions in_blocks{.blocks = fixed(7), .cache = Cache::disk, .directory = cache.path.string()};
    for (const DatasetOptions& options : {DatasetOptions{}, in_blocks, in_blocks}) {  // the last reads the file again
        const Dataset data = read({.header = true, .doubles = true}) >> dataset("table", options);
        CHECK(data.sections()[0].doubles);
        CHECK_FALSE(data.sections()[1].doubles);
        CHECK(data.in_memory() == (options.blocks == automatic));
        const Array<double> found = data.inputs<double>();
        for (std::size_t i = 0; i < 80; ++i) CHECK(found.data()[i] == exact_number(i));
        CHECK(data.label(3) == 1);
    }
    const Dataset joined =
        zip(inputs = array(doubles_array(6, 2)), targets = array(std::vector<float>(6, 1.5f))) >> dataset("arrays");
    CHECK(joined.inputs<double>()(5, 1) == exact_number(11));
    CHECK_FALSE(joined.sections()[1].doubles);
    const std::vector<double> series{0.1, 0.2, 0.3, 0.4, 0.5};
    const Dataset windowed = windows<2>(array(series)) >> dataset("windows");
    CHECK(windowed.inputs<double>()(1, 1, 0) == 0.3);
}

TEST_CASE("A table of doubles trains a network of double") {
    struct Line : Network<Input(2) + Dense(1) + MeanSquaredError()> {};
    std::string table = "time,pressure,height\n";
    for (int r = 0; r < 64; ++r) table += sentence(r / 7.0, ",", 1000 - r / 9.0, ",", r * 3.1, "\n");
    const Source source = memory(table, "heights.csv");
    // [doubles]
    const auto heights = csv(source, {.header = true, .doubles = true}) >>
                         sections(inputs = columns("time", "pressure"), targets = column("height")) >>
                         standardize(inputs) >> dataset("heights");
    Trainer trainer("heights", Line{}, Momentum{}, minibatches(heights, 32), element<double>);
    // [doubles]
    CHECK(heights.targets<double>()(3, 0) == 3 * 3.1);
    trainer.run(cpu(), 2);
    CHECK(trainer.iteration() == 4);
}

TEST_CASE("A network of double learns from doubles what floats cannot tell") {
    // y = 1 + (x - 1) · 1e9 on numbers within 1e-9 of 1, which are all 1 as floats.
    auto x = Array<double>::from_shape({64, 1}), y = x;
    for (std::size_t r = 0; r < 64; ++r) {
        x(r, 0) = 1 + 1e-9 * (static_cast<double>(r) / 32 - 1);
        y(r, 0) = static_cast<double>(r) / 32;
    }
    const auto learn = [&](const auto& from, const auto& to) {
        const Dataset ready = make_dataset(from, to, "near 1") >> standardize(inputs);
        struct Line : Network<Input(1) + Dense(1) + MeanSquaredError()> {};
        Trainer trainer("line", Line{}, Momentum{.learning_rate = 0.5}, minibatches(ready, 64), element<double>, 3);
        trainer.run(cpu(), 300);
        const Array<double> in = ready.inputs<double>(), out = ready.targets<double>();
        return trainer.model().evaluate(in.data(), out.data(), 64).error;
    };
    CHECK(learn(x, y) < 1e-12);
    CHECK(learn(Array<float>(x), Array<float>(y)) > 0.1);
}
