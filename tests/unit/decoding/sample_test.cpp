// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/array.hpp>
#include <sigma/decoding/sample.hpp>

#include <catch2/catch.hpp>

#include "support/thrown.hpp"

#include <cmath>
#include <limits>
#include <vector>

using namespace sigma;

namespace {

const std::vector<double> weights{0.1, 0.4, 0, 0.3, 0.2};

/// Draws so often that a share is found within five deviations of what it should be; what has none is never drawn.
void check_shares(const std::vector<double>& wanted, const SampleOptions& options) {
    constexpr int draws = 40'000;
    std::vector<int> counts(weights.size());
    PhiloxSequence random{Philox(17)};
    for (int i = 0; i < draws; ++i) ++counts[sample(weights, random, options)];
    CHECK(random.next == draws);  // one number each
    double all = 0;
    for (const double w : wanted) all += w;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        INFO("number " << i);
        const double p = wanted[i] / all;
        CHECK(std::abs(counts[i] - draws * p) <= 5 * std::sqrt(draws * p * (1 - p)));
    }
}

TEST_CASE("A sample has the probabilities that are given") {
    check_shares(weights, {});
    check_shares({0.01, 0.16, 0, 0.09, 0.04}, {.temperature = 0.5});
    check_shares({std::sqrt(0.1), std::sqrt(0.4), 0, std::sqrt(0.3), std::sqrt(0.2)}, {.temperature = 2});
    check_shares({0, 0.4, 0, 0.3, 0}, {.top_k = 2});
    check_shares(weights, {.top_k = 99});
    check_shares({0, 0.4, 0, 0.3, 0}, {.top_p = 0.69});
    check_shares({0, 0.4, 0, 0.3, 0.2}, {.top_p = 0.71});
    check_shares({0, 1, 0, 0, 0}, {.top_p = 1e-9});
}

TEST_CASE("Temperature, then the greatest k, then the share p of these") {
    // 0.16 and 0.09 of 0.29 are 86 %; of the whole 0.30, 83 %; without the temperature 70 % of 90 %.
    check_shares({0, 0.16, 0, 0.09, 0}, {.temperature = 0.5, .top_k = 3, .top_p = 0.85});
    check_shares({0, 0.4, 0, 0.3, 0.2}, {.top_k = 3, .top_p = 0.85});
}

TEST_CASE("At temperature 0 the first greatest is taken, and nothing drawn") {
    PhiloxSequence random{Philox(1)};
    CHECK(sample(weights, random, {.temperature = 0}) == 1);
    CHECK(sample(std::vector<float>{0.2f, 0.4f, 0.4f}, random, {.temperature = 0}) == 1);
    CHECK(random.next == 0);
    CHECK(sample(weights, random, {.temperature = 1e-300}) == 1);  // and so it is near 0
    CHECK(sample(Array<float>{0, 0, 1e-30f}, random, {.temperature = 0.01}) == 2);
}

TEST_CASE("Of equal ones the first are kept") {
    PhiloxSequence random{Philox(2)};
    for (int i = 0; i < 100; ++i) CHECK(sample(std::vector<double>{1, 1, 1, 1}, random, {.top_k = 2}) < 2);
}

TEST_CASE("The same numbers give the same samples, in both precisions") {
    PhiloxSequence one{Philox(3)}, other{Philox(3)};
    const std::vector<float> single{0.125f, 0.5f, 0.375f};
    const std::vector<double> precise(single.begin(), single.end());
    for (int i = 0; i < 100; ++i) CHECK(sample(single, one) == sample(precise, other));
}

TEST_CASE("What cannot be sampled is refused") {
    PhiloxSequence random{Philox(4)};
    const auto text = [&](const std::vector<double>& p, const SampleOptions& options = {}) {
        return error_text<ArgumentError>([&] { sample(p, random, options); });
    };
    CHECK(text({}) == "sampling: expected a probability above 0, found no probabilities");
    CHECK(text({0, 0}) == "sampling: expected a probability above 0, found zeros only");
    CHECK(text({0.5, -1}) == "probability 1: expected a finite number of at least 0, found -1");
    CHECK(text({std::nan("")}) == "probability 0: expected a finite number of at least 0, found nan");
    CHECK(text({std::numeric_limits<double>::infinity()}) ==
          "probability 0: expected a finite number of at least 0, found inf");
    CHECK(text({1}, {.temperature = -1}) == "sampling: expected a temperature of at least 0, found -1");
    CHECK(text({1}, {.temperature = std::nan("")}) == "sampling: expected a temperature of at least 0, found nan");
    CHECK(text({1}, {.top_p = 0}) == "sampling: expected a top_p above 0 and at most 1, found 0");
    CHECK(text({1}, {.top_p = 1.5}) == "sampling: expected a top_p above 0 and at most 1, found 1.5");
}

}  // namespace
