// SPDX-License-Identifier: BSL-1.0
#include <sigma/device/cpu/lanes.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace sigma::on_cpu;

namespace {
template <class T>
constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

template <class T>
std::vector<T> counting(int n) {
    std::vector<T> values;
    for (int i = 0; i < n; ++i) values.push_back(static_cast<T>(i + 1));
    return values;
}
}  // namespace

TEMPLATE_TEST_CASE("a tail touches exactly its lanes", "[lanes]", float, double) {
    using T = TestType;
    constexpr int width = lanes<T>;
    const auto source = counting<T>(width);
    for (int count = 0; count <= width; ++count) {
        // Exactly `count` elements on the heap: the address sanitizer sees one lane too many.
        const std::vector<T> exact(source.begin(), source.begin() + count);
        const MaskedVector<T> tail{count};
        T seen[width];
        FullVector<T>{}.store(seen, tail.load(exact.data()));
        for (int i = 0; i < width; ++i) CHECK(seen[i] == (i < count ? source[static_cast<std::size_t>(i)] : T(0)));

        T target[width];
        for (T& x : target) x = T(-7);
        tail.store(target, FullVector<T>{}.load(source.data()));
        for (int i = 0; i < width; ++i) CHECK(target[i] == (i < count ? source[static_cast<std::size_t>(i)] : T(-7)));

        std::vector<T> exact_target(static_cast<std::size_t>(count));
        tail.store(exact_target.data(), FullVector<T>{}.load(source.data()));
        CHECK(exact_target == exact);

        FullVector<T>{}.store(seen, tail.keep(FullVector<T>{}.load(source.data()), T(9)));
        for (int i = 0; i < width; ++i) CHECK(seen[i] == (i < count ? source[static_cast<std::size_t>(i)] : T(9)));
        // Masked lanes may be NaN and must have no effect.
        FullVector<T>{}.store(seen, tail.keep(Vector<T>(nan_of<T>), T(1)));
        for (int i = 0; i < width; ++i) CHECK(std::isnan(seen[i]) == (i < count));
    }
    T seen[width];
    FullVector<T>{}.store(seen, FullVector<T>{}.keep(FullVector<T>{}.load(source.data()), T(9)));
    for (int i = 0; i < width; ++i) CHECK(seen[i] == source[static_cast<std::size_t>(i)]);
}

TEMPLATE_TEST_CASE("horizontal operations see every lane", "[lanes]", float, double) {
    using T = TestType;
    constexpr int width = lanes<T>;
    std::mt19937 random(7);
    std::uniform_int_distribution<int> integer(-1000, 1000);
    for (int trial = 0; trial < 100; ++trial) {
        T values[width];
        T total = 0, largest = -2000, smallest = 2000;
        for (T& x : values) {
            x = static_cast<T>(integer(random));
            total += x;
            largest = std::fmax(largest, x);
            smallest = std::fmin(smallest, x);
        }
        const auto v = FullVector<T>{}.load(values);
        CHECK(sum<T>(v) == total);
        CHECK(maximum<T>(v) == largest);
        CHECK(minimum<T>(v) == smallest);
    }
}

TEMPLATE_TEST_CASE("a sum folds halves in a fixed order", "[lanes]", float, double) {
    using T = TestType;
    constexpr int width = lanes<T>;
    std::mt19937 random(8);
    std::uniform_real_distribution<T> real(-1, 1);
    for (int trial = 0; trial < 100; ++trial) {
        T values[width];
        for (T& x : values) x = real(random);
        const auto v = FullVector<T>{}.load(values);
        for (int half = width / 2; half > 0; half /= 2)
            for (int i = 0; i < half; ++i) values[i] += values[i + half];
        CHECK(sum<T>(v) == values[0]);
    }
}

TEMPLATE_TEST_CASE("maximum and minimum propagate NaN and infinities", "[lanes]", float, double) {
    using T = TestType;
    constexpr int width = lanes<T>;
    constexpr T infinity = std::numeric_limits<T>::infinity();
    for (int at = 0; at < width; ++at) {
        auto values = counting<T>(width);
        const auto place = static_cast<std::size_t>(at);
        values[place] = nan_of<T>;
        CHECK(std::isnan(maximum<T>(FullVector<T>{}.load(values.data()))));
        CHECK(std::isnan(minimum<T>(FullVector<T>{}.load(values.data()))));
        values[place] = infinity;
        CHECK(maximum<T>(FullVector<T>{}.load(values.data())) == infinity);
        values[place] = -infinity;
        CHECK(minimum<T>(FullVector<T>{}.load(values.data())) == -infinity);
    }
}

TEMPLATE_TEST_CASE("multiply and add is fused where the machine can", "[lanes]", float, double) {
    using T = TestType;
    const T epsilon = std::numeric_limits<T>::epsilon();
    const T x = T(1) + epsilon;
    const T seen = sum<T>(fused_multiply_add<T>(Vector<T>(x), Vector<T>(x), Vector<T>(-(T(1) + 2 * epsilon))));
#if defined(__FMA__) || defined(__AVX512F__)
    CHECK(seen == static_cast<T>(lanes<T>) * epsilon * epsilon);
#else
    CHECK(std::abs(seen) <= static_cast<T>(lanes<T>) * epsilon * epsilon);
#endif
}
