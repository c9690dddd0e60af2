// SPDX-License-Identifier: BSL-1.0
#include <sigma/hook/schedules.hpp>

#include <catch2/catch.hpp>

#include <vector>

using namespace sigma;

namespace {

constexpr double pi = 3.14159265358979323846;

void examine(const auto& f, const std::vector<std::pair<double, double>>& table) {
    for (const auto& [t, wanted] : table) {
        INFO(f.text() << " at " << t);
        CHECK(f(t) == Approx(wanted).epsilon(1e-12).margin(1e-15));
    }
}
/// Against another way of computing it, at many times.
void check_all(const auto& f, int most, auto reference) {
    for (int t = 0; t <= most; ++t) {
        const double wanted = reference(t), found = f(t);
        INFO(f.text() << " at " << t);
        if (std::abs(found - wanted) > 1e-12 * std::max(1.0, std::abs(wanted))) CHECK(found == wanted);
    }
    SUCCEED();
}

}  // namespace

TEST_CASE("Schedules follow their tables") {
    examine(step_decay(0.5, 10), {{0, 1}, {9, 1}, {10, 0.5}, {19, 0.5}, {20, 0.25}, {100, 1.0 / 1024}});
    examine(exponential(0.95), {{0, 1}, {1, 0.95}, {2, 0.9025}, {10, 0.59873693923837890625}});
    examine(linear(10), {{0, 1}, {1, 0.9}, {5, 0.5}, {9, 0.1}, {10, 0}, {11, 0}});
    examine(linear(4, 0.2), {{0, 1}, {1, 0.8}, {2, 0.6}, {3, 0.4}, {4, 0.2}, {50, 0.2}});
    examine(polynomial(10, 2), {{0, 1}, {1, 0.81}, {5, 0.25}, {10, 0}, {20, 0}});
    examine(polynomial(4, 3, 0.5), {{0, 1}, {2, 0.5625}, {4, 0.5}});
    examine(cosine(4), {{0, 1}, {1, 0.5 + std::sqrt(0.125)}, {2, 0.5}, {3, 0.5 - std::sqrt(0.125)}, {4, 0}, {5, 0}});
    examine(cosine(10, 0.2), {{0, 1}, {5, 0.6}, {10, 0.2}, {99, 0.2}});
    examine(cosine(4).restarts(), {{0, 1}, {2, 0.5}, {4, 1}, {6, 0.5}, {8, 1}, {402, 0.5}});
    examine(cosine(4, 0.5).restarts(2),
            {{0, 1}, {2, 0.75}, {4, 1}, {8, 0.75}, {12, 1}, {20, 0.75}, {28, 1}, {44, 0.75}});
    examine(one_cycle(10), {{0, 0.04}, {1.5, 0.52}, {3, 1}, {6.5, 0.500002}, {10, 0.000004}, {11, 0.000004}});
    examine(one_cycle(8, {.start = 0.5, .end = 0, .rise = 0.25}), {{0, 0.5}, {1, 0.75}, {2, 1}, {5, 0.5}, {8, 0}});
    examine(one_cycle(4, {.end = 0.5, .rise = 0}), {{0, 1}, {2, 0.75}, {4, 0.5}});
    examine(inverse_sqrt(4), {{0, 0.25}, {1, 0.5}, {2, 0.75}, {3, 1}, {15, 0.5}, {399, 0.1}});
    examine(warm_up(4), {{0, 0.2}, {1, 0.4}, {2, 0.6}, {3, 0.8}, {4, 1}, {5, 1}, {1000, 1}});
    examine(warm_up(4, linear(10)), {{0, 0.2}, {3, 0.8}, {4, 1}, {5, 0.9}, {14, 0}});
    examine(warm_up(1, level(0.5)), {{0, 0.25}, {1, 0.5}, {9, 0.5}});
    examine(in_turn(lasting(3, level(2)), lasting(2, linear(2)), exponential(0.5)),
            {{0, 2}, {2, 2}, {3, 1}, {4, 0.5}, {5, 1}, {6, 0.5}, {8, 0.125}});
}

TEST_CASE("Schedules agree with step by step computations") {
    double rate = 1;
    check_all(exponential(0.999), 5000, [&](int t) { return t == 0 ? rate : rate *= 0.999; });
    double steps = 1;
    check_all(step_decay(0.9, 7), 700, [&](int t) { return t > 0 && t % 7 == 0 ? steps *= 0.9 : steps; });
    check_all(linear(1000, 0.1), 2000, [](int t) { return 1 - 0.9 * std::min(t, 1000) / 1000; });
    for (const double power : {1.0, 2.0, 3.0})  // by products in place of a power
        check_all(polynomial(200, power, 0.1), 300, [&](int t) {
            double left = 1;
            for (int i = 0; i < static_cast<int>(power); ++i) left *= (200.0 - std::min(t, 200)) / 200;
            return 0.1 + 0.9 * left;
        });
    // One cycle by the squared sine of half the angle, which is a half cosine.
    check_all(one_cycle(400, {.start = 0.1, .end = 0.01, .rise = 0.25}), 600, [](int t) {
        const auto between = [](double from, double to, double share) {
            const double rise = std::sin(share * pi / 2);
            return from + (to - from) * rise * rise;
        };
        return t < 100 ? between(0.1, 1, t / 100.0) : between(1, 0.01, (std::min(t, 400) - 100) / 300.0);
    });
    // SGDR with a counter in place of a remainder: eta_min + (1 - eta_min) (1 + cos(T_cur / T_i pi)) / 2.
    for (const double growth : {1.0, 2.0, 1.5}) {
        double now = 0, period = 10;
        check_all(cosine(10, 0.05).restarts(growth), 3000, [&](int t) {
            if (t > 0) ++now;
            if (now >= period) now -= period, period *= growth;
            return 0.05 + 0.95 * (1 + std::cos(now / period * pi)) / 2;
        });
    }
    // The paper's form, without the constant: min(s^-1/2, s w^-3/2).
    check_all(inverse_sqrt(400), 10000,
              [](int t) { return 20 * std::min(1 / std::sqrt(t + 1.0), (t + 1) / (400.0 * 20)); });
}

TEST_CASE("Schedules say what they are and refuse what makes no sense") {
    CHECK(step_decay(0.5, 10).text() == "step_decay(0.5, 10)");
    CHECK(cosine(10, 0.1).restarts(2).text() == "cosine(10, 0.1).restarts(2)");
    CHECK(warm_up(500, [](double) { return 1.0; }).text() == "warm_up(500, a function)");
    CHECK(in_turn(lasting(3, level()), linear(2)).text() == "in_turn(lasting(3, level(1)), linear(2, 0))");
    CHECK_THROWS_WITH(step_decay(0.5, 0), "step_decay: expected a time above 0, found 0");
    CHECK_THROWS_WITH(exponential(-1), "exponential: expected a factor of 0 or more, found -1");
    CHECK_THROWS_AS(cosine(std::nan("")), ArgumentError);
    CHECK_THROWS_AS(cosine(10, -1), ArgumentError);
    CHECK_THROWS_AS(cosine(10).restarts(0.5), ArgumentError);
    CHECK_THROWS_AS(polynomial(10, 0), ArgumentError);
    CHECK_THROWS_AS(one_cycle(10, {.rise = 1.5}), ArgumentError);
    CHECK_THROWS_AS(warm_up(0), ArgumentError);
    CHECK_THROWS_AS(lasting(-1, level()), ArgumentError);
    constexpr auto while_compiling = warm_up(10, cosine(100));
    CHECK(while_compiling(10) == 1);
}
