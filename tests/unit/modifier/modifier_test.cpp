// SPDX-License-Identifier: BSL-1.0
#include <sigma/modifier/modifier.hpp>

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

using namespace sigma;

namespace {

/// A parameter of (rows, columns) with rows `stride` apart; 99 stands between them.
struct Sheet {
    std::vector<float> memory;
    ParameterRows<float> rows;

    Sheet(std::size_t count, std::size_t columns, std::size_t stride, const std::vector<float>& values)
        : memory(count * stride, 99.0f),
          rows{memory.data(), Shape(static_cast<int>(count), static_cast<int>(columns)), count, columns, stride} {
        for (std::size_t i = 0; i < values.size(); ++i) rows[i / columns][i % columns] = values[i];
    }
    std::vector<float> values() const {
        std::vector<float> all;
        for (std::size_t r = 0; r < rows.count; ++r) all.insert(all.end(), rows[r].begin(), rows[r].end());
        return all;
    }
    bool padding_untouched() const {
        for (std::size_t r = 0; r < rows.count; ++r)
            for (std::size_t i = rows.columns; i < rows.stride; ++i)
                if (memory[r * rows.stride + i] != 99.0f) return false;
        return true;
    }
};

}  // namespace

TEST_CASE("clip keeps numbers within its bounds, both included") {
    Sheet s(2, 3, 5, {-2, -1, 0.5f, 1, 1.5f, std::numeric_limits<float>::infinity()});
    clip(-1, 1)(s.rows);
    CHECK(s.values() == std::vector<float>{-1, -1, 0.5f, 1, 1, 1});
    CHECK(s.padding_untouched());
    s.rows[0][1] = std::numeric_limits<float>::quiet_NaN();
    clip(0, 0)(s.rows);
    CHECK(std::isnan(s.rows[0][1]));
    CHECK(s.rows[1][2] == 0);
}

TEST_CASE("scale multiplies") {
    Sheet s(2, 3, 8, {1, 2, 3, 4, 5, 6});
    scale(0.5)(s.rows);
    CHECK(s.values() == std::vector<float>{0.5f, 1, 1.5f, 2, 2.5f, 3});
    CHECK(s.padding_untouched());
}

TEST_CASE("max_norm bounds the norm of each column, or of the whole") {
    Sheet columns(2, 3, 4, {3, 0.3f, 0, 4, 0.4f, 0});  // norms 5, 0.5, 0
    max_norm(2.5)(columns.rows);
    CHECK(columns.values() == std::vector<float>{1.5f, 0.3f, 0, 2, 0.4f, 0});
    CHECK(columns.padding_untouched());

    Sheet whole(2, 2, 4, {1, 1, 1, 1});  // norm 2
    max_norm(2, Per::parameter)(whole.rows);
    CHECK(whole.values() == std::vector<float>{1, 1, 1, 1});
    max_norm(1, Per::parameter)(whole.rows);
    CHECK(whole.values() == std::vector<float>{0.5f, 0.5f, 0.5f, 0.5f});
    CHECK(whole.padding_untouched());

    std::vector<float> many(3 * 150);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i % 7) - 2.0f;
    Sheet wide(3, 150, 160, many);
    max_norm(3)(wide.rows);
    for (std::size_t x = 0; x < 150; ++x) {
        const double a = many[x], b = many[150 + x], c = many[300 + x], norm = std::sqrt(a * a + b * b + c * c);
        CHECK(static_cast<double>(wide.rows[2][x]) == Approx(norm > 3 ? c * 3 / norm : c).epsilon(1e-6));
    }
}

TEST_CASE("A vector is one column; a single row is as many as it is wide") {
    std::vector<float> v{3, 4};
    max_norm(1)(ParameterRows<float>{v.data(), Shape(2), 1, 2, 2});
    CHECK(v[0] == Approx(0.6));
    CHECK(v[1] == Approx(0.8));
    v = {3, -0.5f};
    max_norm(1)(ParameterRows<float>{v.data(), Shape(1, 2), 1, 2, 2});
    CHECK(v[0] == 1);
    CHECK(v[1] == -0.5f);
}

TEST_CASE("Modifiers that make no sense are refused") {
    CHECK_THROWS_WITH(clip(1, -1), "clip: expected a minimum of at most the maximum, found 1 and -1");
    CHECK_THROWS_AS(clip(std::nan(""), 1), ArgumentError);
    CHECK_THROWS_WITH(scale(std::numeric_limits<double>::infinity()), "scale: expected a finite factor, found inf");
    CHECK_THROWS_WITH(max_norm(0), "max_norm: expected a limit above 0, found 0");
    CHECK_THROWS_AS(max_norm(-1), ArgumentError);
}
