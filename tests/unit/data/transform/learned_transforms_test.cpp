// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/transform/statistics.hpp>
#include <sigma/data/transform/transforms.hpp>

#include "support.hpp"

#include <algorithm>
#include <cmath>

using namespace sigma;
using namespace sigma::data;

namespace {

struct Reference {
    double mean = 0, deviation = 0;
};
/// By the definition, in long double, over every `step`-th value from `first`.
Reference reference(const std::vector<float>& x, std::size_t first, std::size_t step) {
    long double sum = 0, squares = 0;
    long double count = 0;
    for (std::size_t i = first; i < x.size(); i += step)
        if (!std::isnan(x[i])) sum += static_cast<long double>(x[i]), ++count;
    for (std::size_t i = first; i < x.size(); i += step)
        if (!std::isnan(x[i]))
            squares += (static_cast<long double>(x[i]) - sum / count) * (static_cast<long double>(x[i]) - sum / count);
    return {static_cast<double>(sum / count), static_cast<double>(std::sqrt(squares / count))};
}

double at(const Preprocessing& p, const char* name, std::size_t i = 0) {
    for (const TransformValue& v : p.steps()[0].transform->state())
        if (v.name == name) return v.values.at(i);
    FAIL("no such value");
    return 0;
}

}  // namespace

TEST_CASE("Features are standardized with their mean and deviation, also where these are far apart") {
    const float offset = GENERATE(0.0f, 1e6f, -3.0f);
    auto x = random_values(3000, offset - 1, offset + 1);
    for (std::size_t i = 0; i < x.size(); i += 17) x[i] = missing;
    const auto y = transformed(standardize(inputs), {3}, x, 7);
    for (std::size_t f = 0; f < 3; ++f) {
        const Reference wanted = reference(x, f, 3);
        CHECK(at(y.preprocessing, "mean", f) == Approx(wanted.mean).epsilon(1e-13));
        CHECK(at(y.preprocessing, "deviation", f) == Approx(wanted.deviation).epsilon(1e-10));
        for (std::size_t i = f; i < x.size(); i += 3) {
            if (std::isnan(x[i])) CHECK(std::isnan(y.values[i]));
            else
                CHECK(static_cast<double>(y.values[i]) ==
                      Approx((static_cast<double>(x[i]) - wanted.mean) / wanted.deviation).epsilon(1e-6).margin(1e-9));
        }
    }
}

TEST_CASE("All pixels have one mean where the section is standardized as a whole") {
    const auto x = random_values(1000, 3, 9);
    const auto y = transformed(standardize(inputs, jointly), {5, 2}, x, 3);
    const Reference wanted = reference(x, 0, 1);
    CHECK(at(y.preprocessing, "mean") == Approx(wanted.mean).epsilon(1e-13));
    CHECK(at(y.preprocessing, "deviation") == Approx(wanted.deviation).epsilon(1e-12));
    CHECK(static_cast<double>(y.values[13]) == Approx((static_cast<double>(x[13]) - wanted.mean) / wanted.deviation));
}

TEST_CASE("A feature that never changes becomes 0, for records that training has not seen, too") {
    const auto y = transformed(standardize(inputs), {2}, {7, 1, 7, 2, 7, 3});
    CHECK(y.values[0] == 0);
    NumberList other{9, 2};
    y.preprocessing.steps()[0].transform->apply(other, 1, {2});
    CHECK(other.floats() == std::vector<float>{0, 0});
    CHECK_FALSE(std::signbit(other.floats()[0]));
}

TEST_CASE("Ranges are learned for each feature or for the section") {
    const std::vector<float> x{0, 100, 4, 300, 2, missing, 1, 200};
    const auto each = transformed(min_max(inputs, -1, 1), {2}, x, 1);
    const std::vector<float> wanted{-1, -1, 1, 1, 0, 0, -0.5, 0};
    for (std::size_t i = 0; i < x.size(); ++i)
        if (i == 5) CHECK(std::isnan(each.values[i]));
        else CHECK(each.values[i] == wanted[i]);
    const auto all = transformed(normalize_adaptive(inputs), {2}, {0, 100, 4, 300, 2, 150});
    CHECK(all.values[3] == 1);
    CHECK(all.values[1] == Approx(1.0 / 3));
    CHECK(at(all.preprocessing, "min") == 0);
    CHECK(at(all.preprocessing, "max") == 300);
    // Fractions count: the original cut them off.
    CHECK(at(transformed(normalize_adaptive(inputs), {1}, {0.25f, 0.75f}).preprocessing, "max") == 0.75);
    CHECK(transformed(min_max(inputs, 3, 5), {1}, {8, 8}).values == std::vector<float>{3, 3});
}

TEST_CASE("Missing numbers become the mean or the median of their feature") {
    const std::vector<float> x{1, missing, 2, 5, missing, 7, 9, 6};
    CHECK(transformed(impute(inputs, sigma::data::mean), {2}, x, 1).values ==
          std::vector<float>{1, 6, 2, 5, 4, 7, 9, 6});
    CHECK(transformed(impute(inputs, median), {2}, x, 1).values == std::vector<float>{1, 6, 2, 5, 2, 7, 9, 6});
    CHECK(transformed(impute(inputs, constant, -1), {2}, x).values == std::vector<float>{1, -1, 2, 5, -1, 7, 9, 6});
    const auto fault = data_error([&] { transformed(impute(inputs, median), {2}, {1, missing, 2, missing}); });
    CHECK(std::string(fault.what()) ==
          "section 'inputs', feature 1: expected a number to learn from, found only missing ones");
    CHECK(data_error([&] { transformed(impute(inputs, sigma::data::mean), {1}, {missing}); }).place == "feature 0");
}

TEST_CASE("Medians are those of the sorted numbers, for any numbers and counts") {
    for (std::size_t count = 1; count < 60; ++count) {
        const std::size_t features = 1 + count % 3;
        std::vector<float> x = random_values(count * features, -2, 2, count);
        if (count % 4 == 0)
            for (float& v : x) v = std::round(v * 2);  // many equal ones, zeros and negative numbers
        if (count % 5 == 0)
            for (std::size_t i = 0; i < x.size(); ++i) x[i] *= i % 2 ? 1e30f : 1e-40f;
        Medians medians(features);
        do medians.observe(x, count);
        while (medians.again());
        for (std::size_t f = 0; f < features; ++f) {
            std::vector<double> sorted;
            for (std::size_t i = f; i < x.size(); i += features) sorted.push_back(static_cast<double>(x[i]));
            std::ranges::sort(sorted);
            REQUIRE(medians.medians()[f] == (sorted[(count - 1) / 2] + sorted[count / 2]) / 2);
        }
    }
}

TEST_CASE("What is learned does not depend on how records are cut into blocks") {
    const auto x = random_values(600, -5, 50);
    const auto steps = (standardize(inputs) >> min_max(inputs) >> impute(inputs, median)).steps();
    const auto once = learned(steps, "inputs", {6}, x);
    for (const std::size_t at_once : {std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
        const auto again = learned(steps, "inputs", {6}, x, at_once);
        for (std::size_t s = 0; s < 3; ++s) {
            const auto a = once.steps()[s].transform->state(), b = again.steps()[s].transform->state();
            REQUIRE(a.size() == b.size());
            for (std::size_t v = 0; v < a.size(); ++v) CHECK(a[v].values == b[v].values);
        }
    }
}

TEST_CASE("A transform learns from what those before it have made") {
    const auto y = transformed(normalize(inputs, 0, 10) >> standardize(inputs), {1}, {0, 10, 20, 30});
    CHECK(y.preprocessing.steps()[1].transform->state()[0].values == std::vector<double>{1.5});
}

TEST_CASE("Properties: standardized data have mean 0 and deviation 1, ranges reach both ends") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const std::size_t features = 1 + seed % 5;
        const auto x = random_values(features * (2 + seed * 7), -static_cast<float>(seed), 100, seed);
        const auto y = transformed(standardize(inputs), {features}, x),
                   z = transformed(min_max(inputs, -2, 3), {features}, x);
        for (std::size_t f = 0; f < features; ++f) {
            const Reference now = reference(y.values, f, features);
            CHECK(std::abs(now.mean) < 1e-6);
            CHECK(now.deviation == Approx(1).epsilon(1e-6));
            float least = 9, most = -9;
            for (std::size_t i = f; i < x.size(); i += features)
                least = std::min(least, z.values[i]), most = std::max(most, z.values[i]);
            CHECK(least == -2);
            CHECK(most == Approx(3).epsilon(1e-6));
        }
    }
}
