// SPDX-License-Identifier: BSL-1.0
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/model.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <cmath>

using namespace sigma;

namespace {

constexpr auto swish = [](auto x) { return x * sigmoid(x); };

struct Plain : Network<Input(2, 2) + Dense(3) + SquaredDiff()> {};
struct Identity : Network<Input(2, 2) + Dense(3, identity) + SquaredDiff()> {};
struct Relu : Network<Input(2, 2) + Dense(3, relu) + SquaredDiff()> {};
struct Sigmoid : Network<Input(2, 2) + Dense(3, sigmoid) + SquaredDiff()> {};
struct Tanh : Network<Input(2, 2) + Dense(3, tanh) + SquaredDiff()> {};
struct Softplus : Network<Input(2, 2) + Dense(3, softplus) + SquaredDiff()> {};
struct Softmax : Network<Input(2, 2) + Dense(3, softmax) + SquaredDiff()> {};
struct Gelu : Network<Input(2, 2) + Dense(3, gelu) + SquaredDiff()> {};
struct Swish : Network<Input(2, 2) + Dense(3, swish) + SquaredDiff()> {};

/// Checks activation(x·W + b) on five records of two axes; `formula(z, row)` is the activation of number z of the row.
template <class N>
void examine(auto formula) {
    Model<N, double> model(1);
    CHECK(model.parameter(0).shape(0) == 4);  // flattened
    CHECK(model.parameter(0).shape(1) == 3);
    CHECK(model.records.layers[1].parameters == 15);
    model.parameter(1) = Array<double>{0.5, -0.25, 0.125};
    Array<double> x = Array<double>::from_shape({5, 2, 2});
    Philox(2).fill_normal(std::span<double>(x.data(), x.size()), 0.0, 2.0);
    const auto result = model.predict(x);
    const auto w = model.parameter(0), b = model.parameter(1);
    for (std::size_t i = 0; i < 5; ++i) {
        std::array<double, 3> z{};
        for (std::size_t u = 0; u < 3; ++u) {
            z[u] = b(u);
            for (std::size_t k = 0; k < 4; ++k) z[u] += x(i, k / 2, k % 2) * w(k, u);
        }
        for (std::size_t u = 0; u < 3; ++u)
            CHECK(result(i, u) == Approx(formula(z[u], z)).epsilon(1e-12).margin(1e-14));
    }
}

using Row = const std::array<double, 3>&;

TEST_CASE("Dense is x·W + b") {
    examine<Plain>([](double z, Row) { return z; });
    examine<Identity>([](double z, Row) { return z; });
}
TEST_CASE("Dense takes each activation by name") {
    examine<Relu>([](double z, Row) { return z > 0 ? z : 0; });
    examine<Sigmoid>([](double z, Row) { return 1 / (1 + std::exp(-z)); });
    examine<Tanh>([](double z, Row) { return std::tanh(z); });
    examine<Softplus>([](double z, Row) { return std::log1p(std::exp(z)); });
    examine<Softmax>(
        [](double z, Row row) { return std::exp(z) / (std::exp(row[0]) + std::exp(row[1]) + std::exp(row[2])); });
}
TEST_CASE("Dense takes gelu") {
    // by its tanh formula or by the error function: they differ by less than 5e-4 (Hendrycks and Gimpel 2016)
    Model<Gelu, double> model(1);
    const Array<double> x({1, 2, 2}, {0.3, -0.7, 1.5, -2});
    const auto result = model.predict(x);
    const auto w = model.parameter(0);
    for (std::size_t u = 0; u < 3; ++u) {
        const double z = 0.3 * w(0, u) - 0.7 * w(1, u) + 1.5 * w(2, u) - 2 * w(3, u);
        CHECK(result(0, u) == Approx(0.5 * z * (1 + std::erf(z / std::sqrt(2)))).epsilon(0).margin(5e-4));
    }
}
TEST_CASE("Dense takes any function over tensors") {
    examine<Swish>([](double z, Row) { return z / (1 + std::exp(-z)); });
}

}  // namespace
