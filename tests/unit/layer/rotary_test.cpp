// SPDX-License-Identifier: BSL-1.0
// Rotary positions: rotations of pairs by their definition, scores that know only distances, inside attention.
#include "support.hpp"

#include <sigma/layer/dense.hpp>
#include <sigma/layer/positions.hpp>
#include <sigma/layer/transformer_block.hpp>

#include <array>
#include <complex>

using namespace sigma;
using namespace sigma::test;

namespace {

constexpr std::size_t length = 5, width = 6;

struct Turned : Network<Input(5, 6) + Elementwise() + RotaryPositions() + SquaredDiff()> {};
struct Faster : Network<Input(5, 6) + RotaryPositions({.base = 3}) + SquaredDiff()> {};
struct Heads : Network<Input(4, 8) + Elementwise() + Attention(2, {.rotary = true, .rotary_base = 7}) + SquaredDiff()> {
};
struct Unplaced : Network<Input(4, 8) + Elementwise() + Attention(2) + SquaredDiff()> {};
struct Cross : Network<(Input(4, 8) & Input(3, 5)) + Attention(2, {.causal = false, .rotary = true}) + SquaredDiff()> {
};
struct Block : Network<Input(3, 8) + TransformerBlock(2, 5, {.causal = true, .rotary = true}) + SquaredDiff()> {};
struct Plain : Network<Input(3, 8) + TransformerBlock(2, 5, {.causal = true}) + SquaredDiff()> {};

static_assert(Turned::output == Shape{batch, 5, 6});
static_assert(Cross::output == Shape{batch, 4, 8});

/// Columns i and i + part/2 of each of `heads` parts of a row, as complex numbers times e^(i·t·base^(-2i/part)).
Values turned(Values x, std::size_t rows, std::size_t columns, std::size_t heads, double base) {
    const std::size_t part = columns / heads;
    for (std::size_t r = 0; r < x.size() / columns; ++r)
        for (std::size_t h = 0; h < heads; ++h)
            for (std::size_t i = 0; i < part / 2; ++i) {
                double& a = x[r * columns + h * part + i];
                double& b = x[r * columns + h * part + i + part / 2];
                const double angle = static_cast<double>(r % rows) *
                                     std::pow(base, -2 * static_cast<double>(i) / static_cast<double>(part));
                const std::complex<double> z = std::complex<double>(a, b) * std::polar(1.0, angle);
                a = z.real(), b = z.imag();
            }
    return x;
}
/// Rows of x times a matrix, plus biases.
Values projected(const Values& x, const Values& w, const Values& b) {
    const std::size_t out = b.size(), in = w.size() / out;
    Values y;
    for (std::size_t r = 0; r < x.size() / in; ++r)
        for (std::size_t j = 0; j < out; ++j) {
            double sum = b[j];
            for (std::size_t c = 0; c < in; ++c) sum += x[r * in + c] * w[c * out + j];
            y.push_back(sum);
        }
    return y;
}
/// Attention of one record with rotary positions; parameters from number `first` on.
template <class M>
Values attended(M& model, int first, const Values& x, const Values& memory, std::size_t columns, std::size_t heads,
                double base) {
    const auto p = [&](int i) { return values(model.parameter(first + i)); };
    const std::size_t rows = x.size() / columns, seen = projected(memory, p(2), p(3)).size() / columns;
    const Values q = turned(projected(x, p(0), p(1)), rows, columns, heads, base);
    const Values k = turned(projected(memory, p(2), p(3)), seen, columns, heads, base);
    const Values v = projected(memory, p(4), p(5));
    const std::size_t part = columns / heads;
    Values joined(x.size());
    for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t t = 0; t < rows; ++t) {
            Values e(seen);
            double sum = 0;
            for (std::size_t s = 0; s < seen; ++s) {
                double score_ = 0;
                for (std::size_t c = h * part; c < (h + 1) * part; ++c)
                    score_ += q[t * columns + c] * k[s * columns + c];
                sum += e[s] = std::exp(score_ / std::sqrt(static_cast<double>(part)));
            }
            for (std::size_t s = 0; s < seen; ++s)
                for (std::size_t c = h * part; c < (h + 1) * part; ++c)
                    joined[t * columns + c] += e[s] / sum * v[s * columns + c];
        }
    return projected(joined, p(6), p(7));
}

}  // namespace

TEST_CASE("Rotary positions turn pairs of columns") {
    Model<Turned, double> model(1);
    Model<Faster, double> faster(1);
    const Values x = normal(3 * length * width, 5);
    CHECK(distance(predict(model, x), turned(x, length, width, 1, 10000)) < 1e-14);
    CHECK(distance(predict(faster, x), turned(x, length, width, 1, 3)) < 1e-14);
    CHECK(gradient_error<Turned>(2) < gradient_tolerance);
}
TEST_CASE("Products of rows with rotary positions depend on their distance") {
    Model<Turned, double> model(1);
    const Values row = normal(width, 5), other = normal(width, 6);
    const auto everywhere = [&](const Values& v) {
        Values x;
        for (std::size_t t = 0; t < length; ++t) x.insert(x.end(), v.begin(), v.end());
        return predict(model, x);
    };
    const Values a = everywhere(row), b = everywhere(other);
    const auto product_of = [&](std::size_t t, std::size_t s) {
        double sum = 0;
        for (std::size_t c = 0; c < width; ++c) sum += a[t * width + c] * b[s * width + c];
        return sum;
    };
    for (std::size_t apart = 0; apart < length; ++apart)
        for (std::size_t t = 0; t + apart < length; ++t)
            CHECK(product_of(t + apart, t) == Approx(product_of(apart, 0)).epsilon(1e-12));
    CHECK(std::abs(product_of(1, 0) - product_of(0, 1)) > 1e-3);
}
TEST_CASE("Attention turns queries and keys of each head") {
    Model<Heads, double> model(1);
    Model<Unplaced, double> unplaced(1);
    scramble(model, 5);
    scramble(unplaced, 5);
    for (auto& v : model.parameter(0)) v = 1;
    for (auto& v : model.parameter(1)) v = 0;
    for (auto& v : unplaced.parameter(0)) v = 1;
    for (auto& v : unplaced.parameter(1)) v = 0;
    const Values x = normal(4 * 8, 9);
    CHECK(distance(predict(model, x), attended(model, 2, x, x, 8, 2, 7)) < 1e-13);
    CHECK(distance(predict(model, x), predict(unplaced, x)) > 1e-3);
    CHECK(gradient_error<Heads>(2) < gradient_tolerance);
}
TEST_CASE("Queries and a memory of another length count their positions from 0 each") {
    Model<Cross, double> model(1);
    scramble(model, 5);
    const Values x = normal(4 * 8, 9), memory = normal(3 * 5, 10);
    Values found(4 * 8);
    model.predict({x.data(), memory.data()}, {found.data()}, 1);
    CHECK(distance(found, attended(model, 0, x, memory, 8, 2, 10000)) < 1e-13);
}
TEST_CASE("A transformer block hands rotary positions to its attention") {
    Model<Block, double> model(1);
    Model<Plain, double> plain(1);
    scramble(model, 5);
    scramble(plain, 5);
    const Values x = normal(3 * 8, 9);
    const Values with = predict(model, x), without = predict(plain, x);
    CHECK(distance(Values(with.begin(), with.begin() + 8), Values(without.begin(), without.begin() + 8)) < 1e-14);
    CHECK(distance(with, without) > 1e-3);  // only the first time is where it was: it sees itself alone
    CHECK(gradient_error<Block>(2) < gradient_tolerance);
}
