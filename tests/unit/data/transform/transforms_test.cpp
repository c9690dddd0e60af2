// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/transform/transforms.hpp>

#include "support.hpp"

#include <cmath>
#include <set>

using namespace sigma;
using namespace sigma::data;

TEST_CASE("Bytes normalized from 0 to 255 have the bits of x / 255.0f") {
    std::vector<float> bytes, wanted;
    for (int x = 0; x < 256; ++x)
        bytes.push_back(static_cast<float>(x)), wanted.push_back(static_cast<float>(x) / 255.0f);
    CHECK(same_bits(transformed(normalize(inputs, 0, 255), {}, bytes).values, wanted));
    CHECK(same_bits(transformed(normalize(0, 255), {4, 2}, bytes).values, wanted));
}

TEST_CASE("Words of 16 bits normalized have the bits of x / 65535.0f") {
    std::vector<float> words, wanted;
    for (int x = 0; x < 65536; ++x)
        words.push_back(static_cast<float>(x)), wanted.push_back(static_cast<float>(x) / 65535.0f);
    CHECK(same_bits(transformed(normalize(inputs, 0, 65535), {}, words).values, wanted));
}

TEST_CASE("Normalizing is (x - min) * (out range / in range) + min out, with any ranges") {
    const auto [min_in, max_in, min_out, max_out] = GENERATE(
        std::tuple(-3.0, 7.0, 2.0, 5.0), std::tuple(10.0, -10.0, -1.0, 1.0), std::tuple(100.0, 101.0, 0.5, -8.0));
    const auto x = random_values(500, -20, 120);
    const auto y = transformed(normalize(inputs, min_in, max_in, min_out, max_out), {5}, x).values;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double wanted = (static_cast<double>(x[i]) - min_in) / (max_in - min_in) * (max_out - min_out) + min_out;
        CHECK(static_cast<double>(y[i]) == Approx(wanted).epsilon(1e-6).margin(1e-6));
    }
    const std::vector<float> ends{static_cast<float>(min_in), static_cast<float>(max_in)};
    CHECK(transformed(normalize(inputs, min_in, max_in, min_out, max_out), {1}, ends).values ==
          std::vector<float>{static_cast<float>(min_out), static_cast<float>(max_out)});
}

TEST_CASE("Single numbers of a record are normalized, with an output that does not begin at 0, too") {
    // Twice ((x - min) / range) * out range + min out: the original added min out before it multiplied.
    const auto y =
        transformed(normalize_each(inputs, {{0, 10, 20}, {2, -1, 1}}, 2, 6), {3}, {10, 5, -1, 20, 6, 1, 15, 7, 0});
    CHECK(y.values == std::vector<float>{2, 5, 2, 6, 6, 6, 4, 7, 4});
    CHECK(error_text([] { transformed(normalize_each(inputs, {{3, 0, 1}}), {3}, {1, 2, 3}); }) ==
          "normalize_each: expected records of at least 4 numbers, found (3)");
}

TEST_CASE("Numbers are clamped, and missing ones stay missing") {
    const auto y = transformed(clamp(inputs, -1, 2.5), {2}, {-7, -1, 0, 2.5, 9, missing}).values;
    CHECK(std::vector<float>(y.begin(), y.begin() + 5) == std::vector<float>{-1, -1, 0, 2.5, 2.5});
    CHECK(std::isnan(y[5]));
}

TEST_CASE("Values become others, those that are not listed stay") {
    const auto y =
        transformed(map_values(inputs, {{3, 0}, {1, 7}, {0.1, -1}, {-9, std::nan("")}}), {1}, {1, 2, 3, 0.1f, -9})
            .values;
    CHECK(std::vector<float>(y.begin(), y.begin() + 4) == std::vector<float>{7, 2, 0, -1});
    CHECK(std::isnan(y[4]));
    CHECK(transformed(map_values(inputs, {{std::nan(""), 5}}), {1}, {missing, 2}).values == std::vector<float>{5, 2});
}

TEST_CASE("Labels become one-hot, with an axis more") {
    const auto y = transformed(one_hot(inputs, 3), {}, {2, 0, 1});
    CHECK(y.shape == std::vector<std::size_t>{3});
    CHECK(y.values == std::vector<float>{0, 0, 1, 1, 0, 0, 0, 1, 0});
    CHECK(transformed(one_hot<3>(inputs), {}, {2, 0, 1}).values == y.values);
    CHECK(transformed(one_hot(inputs, -1, 1), {}, {1, -1, 0}).values == y.values);
    CHECK(transformed(one_hot(inputs, {0.5, 9, -2}), {}, {-2, 0.5, 9}).values == y.values);
    const auto deep = transformed(one_hot(inputs, 2), {2, 2}, {0, 1, 1, 0});
    CHECK(deep.shape == std::vector<std::size_t>{2, 2, 2});
    CHECK(deep.values == std::vector<float>{1, 0, 0, 1, 0, 1, 1, 0});
}

TEST_CASE("A value that one-hot does not know is named") {
    const auto fault = data_error([] { transformed(one_hot(inputs, 1, 3), {2}, {1, 2, 3, 4}); });
    CHECK(std::string(fault.what()) ==
          "section 'inputs', record 1 of its block: expected a whole number from 1 to 3, found 4");
    CHECK(data_error([] { transformed(one_hot(inputs, 3), {}, {0.5f}); }).found == "0.5");
    CHECK(data_error([] { transformed(one_hot(inputs, {1, 5}), {}, {missing}); }).expected == "one of {1, 5}");
}

TEST_CASE("Axes are permuted as their definition says") {
    const std::vector<std::size_t> shape{2, 3, 4};
    std::vector<float> x(48);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    const auto y = transformed(permute<2, 0, 1>(inputs), shape, x);
    REQUIRE(y.shape == std::vector<std::size_t>{4, 2, 3});
    for (std::size_t r = 0; r < 2; ++r)
        for (std::size_t a = 0; a < 2; ++a)
            for (std::size_t b = 0; b < 3; ++b)
                for (std::size_t c = 0; c < 4; ++c)
                    CHECK(y.values[r * 24 + (c * 2 + a) * 3 + b] == x[r * 24 + (a * 3 + b) * 4 + c]);
    CHECK(transformed(permute(inputs, {2, 0, 1}) >> permute<1, 2, 0>(inputs), shape, x).values == x);
    CHECK(error_text([&] { transformed(permute(inputs, {1, 0}), shape, x); }) ==
          "permute: expected records of 2 axes, found (2, 3, 4)");
}

TEST_CASE("Records get other extents of the same count") {
    const auto y = transformed(reshape<3, 2>(inputs), {6}, {1, 2, 3, 4, 5, 6});
    CHECK(y.shape == std::vector<std::size_t>{3, 2});
    CHECK(y.values == std::vector<float>{1, 2, 3, 4, 5, 6});
    CHECK(transformed(reshape(inputs, {1, 6}), {2, 3}, {1, 2, 3, 4, 5, 6}).shape == std::vector<std::size_t>{1, 6});
    CHECK(error_text([] { transformed(reshape(inputs, {5}), {2, 3}, {1, 2, 3, 4, 5, 6}); }) ==
          "reshape to (5): expected records of 5 numbers, found (2, 3)");
}

TEST_CASE("Functions of the user's see each number or each record") {
    const auto each = apply(inputs, "log1p", [](float x) { return std::log1p(x); });
    CHECK(transformed(each, {2}, {0, 1, 2, 3}).values ==
          std::vector<float>{std::log1p(0.0f), std::log1p(1.0f), std::log1p(2.0f), std::log1p(3.0f)});
    const auto records = apply(inputs, "sum 1", [](std::span<float> record) {
        float sum = 0;
        for (const float x : record) sum += x;
        for (float& x : record) x /= sum;
    });
    CHECK(transformed(records, {2}, {1, 3, 1, 1}).values == std::vector<float>{0.25, 0.75, 0.5, 0.5});
}

TEST_CASE("Records that do not fit are refused before they are touched") {
    const auto p = learned(normalize_each(inputs, {{2, 0, 1}}).steps(), "inputs", {3}, {1, 2, 3});
    Block block{1, {{5, 6}}};
    CHECK_THROWS_AS(p.apply(block, {{"inputs", {2}, false}}), ShapeError);
    CHECK(block.values[0].floats() == std::vector<float>{5, 6});
    CHECK_THROWS_AS(learned(reshape(inputs, {7}).steps(), "inputs", {3}, {1, 2, 3}), ShapeError);
}

TEST_CASE("Wrong arguments of transforms are refused where they are written") {
    CHECK(error_text([] { normalize(inputs, 3, 3); }) ==
          "normalize: expected a range of two different numbers, found 3 twice");
    CHECK(error_text([] { normalize(inputs, 0, std::nan("")); }) == "normalize: expected finite numbers, found nan");
    CHECK(error_text([] { normalize(inputs, 0, 1e-320); }) == "normalize: expected finite numbers, found inf");
    CHECK(error_text([] { normalize_each(inputs, {{1, 0, 1}, {1, 0, 2}}); }) ==
          "normalize_each: expected each index once, found index 1 again");
    CHECK(error_text([] { normalize_each(inputs, {{1, 2, 2}}); }) ==
          "normalize_each: expected ranges of two different numbers, found 2 twice for index 1");
    CHECK(error_text([] { min_max(inputs, 0, INFINITY); }) == "min_max: expected finite numbers, found inf");
    CHECK(error_text([] { clamp(inputs, 2, 1); }) == "clamp: expected a high of at least 2, found 1");
    CHECK(error_text([] { map_values(inputs, {{1, 0}, {1, 2}}); }) ==
          "map_values: expected each value once, found 1 again");
    CHECK(error_text([] { one_hot(inputs, 0); }) == "one_hot: expected a last value of at least 0, found -1");
    CHECK(error_text([] { one_hot(inputs, 5, 4); }) == "one_hot: expected a last value of at least 5, found 4");
    CHECK(error_text([] { one_hot(inputs, {1, 2, 1}); }) == "one_hot: expected each value once, found 1 again");
    CHECK(error_text([] { permute(inputs, {0, 2}); }) == "permute: expected each axis from 0 to 1 once, found (0, 2)");
    CHECK(error_text([] { reshape(inputs, {2, 0}); }) == "reshape: expected extents of at least 1, found (2, 0)");
    CHECK(error_text([] { impute(inputs, constant); }) ==
          "impute: expected a value, impute(inputs, constant, 0), found none");
    CHECK(error_text([] { impute(inputs, sigma::data::mean, 3); }) ==
          "impute: expected no value with mean or median, found the value 3");
    CHECK(error_text([] { impute(inputs, constant, std::nan("")); }) == "impute: expected finite numbers, found nan");
    CHECK(error_text([] { apply(inputs, "standardize", [](float x) { return x; }); }) ==
          "apply: expected a new name for the function, found 'standardize'");
}

TEST_CASE("Texts of transforms tell all options apart, for they are parts of keys") {
    const auto text = [](const auto& t) { return t.transform->text(); };
    const std::vector<std::string> all{text(normalize(inputs, 0, 255)),
                                       text(normalize(inputs, 0, 255.0000000001)),
                                       text(normalize(inputs, 0, 255, 0, 2)),
                                       text(min_max(inputs)),
                                       text(min_max(inputs, -1, 1)),
                                       text(normalize_adaptive(inputs)),
                                       text(standardize(inputs)),
                                       text(standardize(inputs, jointly)),
                                       text(one_hot(inputs, 3)),
                                       text(one_hot(inputs, {0, 2, 1})),
                                       text(map_values(inputs, {{1, 2}})),
                                       text(map_values(inputs, {{1, 3}})),
                                       text(permute<1, 0>(inputs)),
                                       text(permute<0, 1>(inputs)),
                                       text(reshape<6>(inputs)),
                                       text(reshape<2, 3>(inputs)),
                                       text(impute(inputs, median)),
                                       text(impute(inputs, constant, 0)),
                                       text(impute(inputs, constant, 1e-9)),
                                       text(clamp(inputs, 0, 1)),
                                       text(normalize_each(inputs, {{0, 0, 1}})),
                                       text(normalize_each(inputs, {{1, 0, 1}})),
                                       text(apply(inputs, "a", [](float x) { return x; })),
                                       text(impute(inputs, sigma::data::mean))};
    CHECK(std::set<std::string>(all.begin(), all.end()).size() == all.size());
    CHECK(all[0] == "normalize(0, 255, 0, 1)");
}
