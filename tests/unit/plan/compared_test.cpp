// SPDX-License-Identifier: BSL-1.0
// Compared values are bit-identical in all kernels, whatever their rounding of products and sums, so that no gradient
// of an extreme, of max or of where is lost or counted twice.
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/function/function.hpp>
#include <sigma/plan/planner.hpp>
#include <sigma/sigma.hpp>
#include <sigma/xtensor.hpp>

#include "support/effort.hpp"
#include "support/networks.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <random>
#include <tuple>
#include <vector>

using namespace sigma;
using namespace sigma::test;

namespace {

double total(const auto& x) {
    double t = 0;
    for (auto v : x) t += static_cast<double>(v);
    return t;
}
template <class T, std::size_t rank>
xt::xtensor<T, rank> drawn(std::array<std::size_t, rank> extents, std::mt19937& random) {
    xt::xtensor<T, rank> x(extents);
    for (T& v : x) v = static_cast<T>(static_cast<int>(random() % 4001)) / T(1000) - T(2);
    return x;
}

/// Values of layers that kernels of different kinds may round differently.
Tensor written(Tensor x, Tensor w, Tensor b, int kind) {
    switch (kind) {
        case 0: return x - mean(x, axis(1), keep);
        case 1: return x - mean(x, axis(0), keep);
        case 2: return x * w + b;
        case 3: return (x - mean(x, axis(1), keep)) / sqrt(variance(x, axis(1), keep) + 1e-5) * w + b;
        case 4: return relu(x * w + b) + 0.3 * x;
        case 5: return (x - 0.1 * sum(x * w, axis(0), keep)) * 0.7 + b;
        case 6: return tanh(x) * w - x * b;
        default: return abs(x * w - b) + w * b;
    }
}

}  // namespace

TEMPLATE_TEST_CASE("each extreme of a row or a column has its gradient", "[plan]", float, double) {
    std::mt19937 random(60);
    constexpr int last = effort(400);
    for (int number = 0; number < last; ++number) {
        const std::size_t rows = 1 + random() % 9, columns = 1 + random() % 19;
        const auto x = drawn<TestType, 2>({rows, columns}, random);
        const auto w = drawn<TestType, 1>({columns}, random), b = drawn<TestType, 1>({columns}, random);
        const int kind = static_cast<int>(random() % 8), along = static_cast<int>(random() % 2);
        const bool greatest = random() % 2 == 0;
        INFO("number " << number << ", (" << rows << ", " << columns << "), kind " << kind << " along " << along);
        // The gradient in a shift of all is how many extremes there are.
        const auto f = [=](auto v, auto u, auto c, auto shift) {
            const Tensor z = written(v, u, c, kind) + shift;
            return sum(greatest ? max(z, axis(along)) : min(z, axis(along)));
        };
        const auto g = gradient(f)(x, w, b, xt::xtensor<TestType, 1>(xt::zeros<TestType>({std::size_t(1)})));
        const auto extremes = static_cast<double>(along == 0 ? columns : rows);
        CHECK(total(std::get<3>(g)) == Approx(extremes).epsilon(1e-5));
        if (kind == 0) CHECK(total(std::get<0>(g)) == Approx(0).margin(1e-5));
    }
}

TEST_CASE("the greatest of centred rows has its gradient, constant and traced", "[plan]") {
    const xt::xtensor<double, 2> x{{.8, .4, .5}, {0, .8, .5}};
    const auto f = [](auto a) { return sum(max(a - mean(a, axis(1), keep), axis(0))); };
    const std::vector<double> wanted{2. / 3, -1. / 3, -1. / 3, -2. / 3, 1. / 3, 1. / 3};
    const auto constant_one = gradient(f)(shaped<2, 3>(x));
    const auto traced = gradient(f)(x);
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(constant_one.data()[i] == Approx(wanted[i]));
        CHECK(traced.data()[i] == Approx(wanted[i]));
    }
}

TEMPLATE_TEST_CASE("both sides of max and where share one gradient among kernels that round differently", "[plan]",
                   float, double) {
    std::mt19937 random(7);
    for (const std::size_t n : {3u, 8u, 17u}) {
        const auto x = drawn<TestType, 2>({n, 5}, random), a = drawn<TestType, 2>({n, 1}, random),
                   b = drawn<TestType, 2>({n, 1}, random);
        const xt::xtensor<TestType, 2> c = a * b, w = 1.5 + 0 * x;
        const xt::xtensor<TestType, 1> e = xt::zeros<TestType>({std::size_t(5)});
        // One side's gradient is summed over rows, the other's over columns: x + a·b is rounded once or twice.
        const auto examine = [&](auto f) {
            const auto [of_columns, of_rows] = gradient(f, wrt<0, 1>)(e, c, x, a, b, w);
            CHECK(total(of_columns) + total(of_rows) == Approx(total(w)).epsilon(1e-6));
        };
        examine([](auto columns, auto rows, auto v, auto p, auto q, auto weights) {
            return sum(max(v + p * q + columns, v + rows) * weights);
        });
        examine([](auto columns, auto rows, auto v, auto p, auto q, auto weights) {
            return sum(min(v + rows, v + p * q + columns) * weights);
        });
        examine([](auto columns, auto rows, auto v, auto p, auto q, auto weights) {
            const Tensor is_greater = (v + p * q) - (v + stop_gradient(rows)) > 0.0;
            return sum(where(is_greater, 0.0 * v + columns, 0.0 * v + rows) * weights);
        });
        examine([](auto columns, auto rows, auto v, auto p, auto q, auto weights) {
            const Tensor chosen = sign((v + p * q) - (v + stop_gradient(rows)));
            return sum(where(chosen, 0.0 * v + columns, 0.0 * v + rows) * weights);
        });
    }
}

TEST_CASE("the greatest of a loop's values has its gradient", "[plan]") {
    std::mt19937 random(3);
    const auto x = drawn<double, 3>({4, 6, 3}, random);
    const auto f = [](auto v, auto first, auto shift) {
        const auto [greatest, centred] = scan(v, first, [&](auto now, auto before) {
            const auto z = now - mean(now, axis(1), keep) + 0.1 * before + shift;
            return std::tuple{max(z, axis(1), keep), z};
        });
        return sum(greatest) + 0.0 * sum(centred);
    };
    const xt::xtensor<double, 2> first = xt::zeros<double>({4, 1});
    const xt::xtensor<double, 1> shift{0};
    const auto g = gradient(f)(shaped<batch, 6, 3>(x), shaped<batch, 1>(first), shaped<1>(shift));
    double wanted = 0;
    for (double t = 0, each = 0; t < 6; ++t) wanted += each = 1 + 0.1 * each;
    CHECK(total(std::get<2>(g)) == Approx(4 * wanted));
}

namespace {

struct Greatest : Network<Input(5, 3) + Linear(3) + LayerNorm() + GlobalMaxPool() + SquaredDiff()> {};

}  // namespace

TEST_CASE("LayerNorm and GlobalMaxPool train by the gradient that an inspection finds", "[plan]") {
    std::mt19937 random(1);
    Array<double> x = Array<double>::from_shape({4, 5, 3}), y = Array<double>::from_shape({4, 3});
    for (double& v : x) v = static_cast<double>(random() % 2001) / 1000 - 1;
    for (double& v : y) v = static_cast<double>(random() % 2001) / 1000 - 1;
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        Model<Greatest, double> model(seed);
        Inspection<Greatest, double> look(model);
        look.run(x, y);
        const Array<double> right(look.gradient<"1-linear.weights">());
        BatchTrainer trainer{model, GradientDescent{}};
        trainer.gradients_on_batch(x, y);
        const Array<double> found(trainer.gradient<"1-linear.weights">());
        for (std::size_t i = 0; i < found.size(); ++i)
            CHECK(found.data()[i] == Approx(right.data()[i]).epsilon(1e-9).margin(1e-12));
    }
}

TEST_CASE("fusion: what is compared and could be rounded otherwise elsewhere is computed once", "[plan]") {
    sigma::detail::Program p;
    Recorder r(p);
    const auto x = r.parameter<4, 6>();
    const auto bias = r.input<6>();
    const auto centred = x - mean(x, axis(1), keep);
    const auto shifted = x + bias;
    r.output(sum(max(centred, axis(0))));
    r.output(sum(max(shifted, axis(0))));
    for (const Variable& g : r.gradients(sum(max(centred, axis(0))) + sum(max(shifted, axis(0)))))
        sigma::detail::add_output(p, g);
    const sigma::detail::Passes found(p, 8);
    CHECK(found.groups.stored[centred.variable.id]);
    CHECK_FALSE(found.groups.stored[shifted.variable.id]);  // one sum of what is in memory is the same everywhere
}
