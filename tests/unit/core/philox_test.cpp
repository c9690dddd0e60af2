// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <type_traits>
#include <vector>

using namespace sigma;

// Known answers that the authors publish with their implementation (Random123, kat_vectors).
static_assert(Philox::philox4x32({0, 0, 0, 0}, {0, 0}) ==
              Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(Philox::philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
              Philox::Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(Philox::philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
              Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

// The positions of seed, stream and index in counter and key.
static_assert(Philox(0x299f31d0a4093822, 0x0370734413198a2e).block(0x85a308d3243f6a88) ==
              Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

static_assert(Philox::unit(std::uint32_t{0xffffffff}) < 1.0f);
static_assert(Philox::unit(std::uint64_t{0xffffffffffffffff}) < 1.0);
static_assert(Philox::unit(std::uint32_t{0}) == 0.0f);

namespace {

struct Moments {
    double mean = 0, variance = 0, skewness = 0, kurtosis = 0;
};

template <class T>
Moments moments(const std::vector<T>& values) {
    const double n = static_cast<double>(values.size());
    Moments m;
    for (T v : values) m.mean += static_cast<double>(v) / n;
    for (T v : values) {
        const double d = static_cast<double>(v) - m.mean;
        m.variance += d * d / n;
        m.skewness += d * d * d / n;
        m.kurtosis += d * d * d * d / n;
    }
    m.skewness /= std::pow(m.variance, 1.5);
    m.kurtosis /= m.variance * m.variance;
    return m;
}

}  // namespace

TEMPLATE_TEST_CASE("Filling draws the same numbers as drawing one by one", "", float, double) {
    const Philox random(7, RandomUse::user, 3);
    for (std::size_t n : {0u, 1u, 2u, 3u, 4u, 5u, 33u}) {
        std::vector<TestType> uniform(n), normal(n);
        random.fill_uniform<TestType>(uniform);
        random.fill_normal<TestType>(normal);
        for (std::size_t i = 0; i < n; ++i) {
            CHECK(uniform[i] == random.uniform<TestType>(i));
            CHECK(normal[i] == random.normal<TestType>(i));
        }
    }
}

TEMPLATE_TEST_CASE("Uniform and normal numbers have the moments of their distributions", "", float, double) {
    std::vector<TestType> values(200000);
    const double tolerance = 5.0 / std::sqrt(200000.0);

    Philox(1).fill_uniform<TestType>(values, -2, 6);
    const Moments uniform = moments(values);
    CHECK(std::abs(uniform.mean - 2.0) < 8 * tolerance);
    CHECK(std::abs(uniform.variance - 64.0 / 12.0) < 8 * tolerance);
    CHECK(*std::min_element(values.begin(), values.end()) >= -2);
    CHECK(*std::max_element(values.begin(), values.end()) < 6);

    Philox(1).fill_normal<TestType>(values, TestType(0.5), TestType(2));
    const Moments normal = moments(values);
    CHECK(std::abs(normal.mean - 0.5) < 2 * tolerance);
    CHECK(std::abs(normal.variance - 4.0) < 8 * tolerance);
    CHECK(std::abs(normal.skewness) < 4 * tolerance);
    CHECK(std::abs(normal.kurtosis - 3.0) < 10 * tolerance);
}

TEST_CASE("A uniform number never reaches its upper end") {
    std::vector<float> values(100000);
    const float next = std::nextafter(1.0f, 2.0f);
    Philox(3).fill_uniform<float>(values, 1.0f, next);  // rounding would give `next` half of the time
    CHECK(std::all_of(values.begin(), values.end(), [](float v) { return v == 1.0f; }));
}

TEST_CASE("Seeds, streams and uses give different numbers") {
    std::set<std::uint64_t> seen;
    for (std::uint64_t seed : {0u, 1u, 2u})
        for (RandomUse use : {RandomUse::user, RandomUse::initialize, RandomUse::dropout, RandomUse::shuffle})
            for (std::uint64_t number : {0u, 1u, 2u}) seen.insert(Philox(seed, use, number).bits(0));
    CHECK(seen.size() == 3 * 4 * 3);
}

TEST_CASE("Bounded numbers stay below their bound and take every value alike") {
    PhiloxSequence sequence{Philox(5)};
    std::array<int, 7> counts{};
    for (int i = 0; i < 70000; ++i) ++counts[sequence.below(7)];
    for (int count : counts) CHECK(std::abs(count - 10000) < 500);
    CHECK(sequence.below(1) == 0);
    const std::uint64_t huge = (std::uint64_t{1} << 63) + 1;  // about half of the draws are rejected
    for (int i = 0; i < 100; ++i) CHECK(sequence.below(huge) < huge);
}

TEST_CASE("A sequence draws uniform and normal numbers that do not depend on what is drawn between them") {
    PhiloxSequence sequence{Philox(5)};
    const int count = 100000;
    double sum = 0, squares = 0, normal_sum = 0, normal_squares = 0, fourth = 0, together = 0;
    for (int i = 0; i < count; ++i) {
        const float u = sequence.uniform();  // every second one begins a block, whose rest a normal number skips
        const double z = sequence.normal<double>();
        REQUIRE((u >= 0 && u < 1));
        sum += u, squares += u * u, together += u * z;
        normal_sum += z, normal_squares += z * z, fourth += z * z * z * z;
    }
    CHECK(std::abs(sum / count - 0.5) < 0.004);  // four deviations of these means
    CHECK(std::abs(squares / count - 1.0 / 3) < 0.004);
    CHECK(std::abs(normal_sum / count) < 0.013);
    CHECK(std::abs(normal_squares / count - 1) < 0.018);
    CHECK(std::abs(fourth / count - 3) < 0.13);
    CHECK(std::abs(together / count) < 0.008);

    // Draws in sequence are those of the stream, and equal sequences give equal numbers.
    const Philox source(9, 2);
    PhiloxSequence a{source}, b{source};
    CHECK(a.uniform<double>() == source.uniform<double>(0));
    CHECK(a.uniform() == Philox::unit(static_cast<std::uint32_t>(source.bits(1) >> 32)));
    CHECK(a.normal<double>() == source.normal<double>(2));
    CHECK(a.normal() == source.normal<float>(4));
    CHECK(a.bits() == source.bits(6));
    CHECK(a.normal() == source.normal<float>(8));
    b.uniform(), b.uniform(), b.normal(), b.normal(), b.bits(), b.normal();
    CHECK(a.uniform(-10, 10) == b.uniform(-10.0f, 10.0f));
    static_assert(std::is_same_v<decltype(a.uniform(0, 1)), float> && std::is_same_v<decltype(a.uniform()), float>);
    static_assert(std::is_same_v<decltype(a.uniform(0.9, 1.1f)), double>);
    const float next_to_one = std::nextafter(1.0f, 2.0f);
    for (int i = 0; i < 100; ++i) {
        const double x = a.uniform(-2.5, 7);
        CHECK((x >= -2.5 && x < 7));
        CHECK(a.uniform(1.0f, next_to_one) == 1);  // not reached by rounding
    }
}

TEST_CASE("Shuffling keeps every value and depends on seed and round") {
    std::vector<int> sorted(1000);
    std::iota(sorted.begin(), sorted.end(), 0);
    const auto shuffled = [&](std::uint64_t seed, std::uint64_t round) {
        auto values = sorted;
        detail::shuffle(std::span(values), seed, round);
        return values;
    };
    const auto first = shuffled(1, 0);
    CHECK(first == shuffled(1, 0));
    CHECK(first != sorted);
    CHECK(first != shuffled(1, 1));
    CHECK(first != shuffled(2, 0));
    auto again = first;
    std::sort(again.begin(), again.end());
    CHECK(again == sorted);

    std::vector<int> nothing;
    detail::shuffle(std::span(nothing), 1, 0);
    CHECK(nothing.empty());
}

TEST_CASE("Shuffling makes every order equally likely") {
    std::map<std::array<int, 4>, int> counts;
    for (std::uint64_t round = 0; round < 24000; ++round) {
        std::array<int, 4> values{0, 1, 2, 3};
        detail::shuffle(std::span(values), 11, round);
        ++counts[values];
    }
    CHECK(counts.size() == 24);
    double chi_squared = 0;
    for (const auto& [order, count] : counts) chi_squared += (count - 1000.0) * (count - 1000.0) / 1000.0;
    CHECK(chi_squared < 49.7);  // 23 degrees of freedom: exceeded by chance once in a thousand
}
