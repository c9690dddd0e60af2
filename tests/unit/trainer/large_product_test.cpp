// SPDX-License-Identifier: BSL-1.0
#include <sigma/core/philox.hpp>
#include <sigma/execution/inspect.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/optimizer/gradient_descent.hpp>
#include <sigma/trainer/trainer.hpp>

#include <support/direct_step.hpp>
#include "support/effort.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

using namespace sigma;

namespace {

// Products far larger than a packed block, with extents that are not multiples of its size.
struct Large : Network<Input(784) + Dense(1024, tanh) + Dense(768) + SquaredDiff()> {};

Dataset points(std::size_t records) {
    Numbers x{{records, 784}, std::vector<float>(records * 784)}, y{{records, 768}, std::vector<float>(records * 768)};
    Philox(3, RandomUse::user, 0).fill_normal(std::span(x.values));
    Philox(4, RandomUse::user, 0).fill_normal(std::span(y.values));
    return {x, y, "large"};
}

template <class T, class O>
std::vector<T> trained(const Dataset& data, O optimizer, int threads) {
    Trainer trainer("large", Large{}, optimizer, minibatches_in_order(data, data.size()), element<T>);
    trainer.run(cpu({.threads = threads}), test::effort(2));
    const auto memory = trainer.model().parameter_memory();
    std::vector<T> all(memory.begin(), memory.end());
    all.push_back(static_cast<T>(trainer.loss()));
    return all;
}
template <class T, class O>
void check_same_bits(const Dataset& data, O optimizer) {
    const auto one = trained<T>(data, optimizer, 1);
    for (int threads : {2, 3}) {
        const auto other = trained<T>(data, optimizer, threads);
        INFO(threads << " threads");
        CHECK(other.size() == one.size());
        CHECK(std::memcmp(other.data(), one.data(), sizeof(T) * one.size()) == 0);
    }
}

}  // namespace

TEST_CASE("Large products have the same bits on any number of threads") {
    constexpr bool optimized = test::effort(10) == 10;  // two minutes elsewhere
    const auto data = points(optimized ? 900 : 270);
    check_same_bits<float>(data, GradientDescent{});  // the update is folded into the product
    check_same_bits<float>(data, Adam{});
    check_same_bits<double>(points(optimized ? 801 : 140), GradientDescent{});
    check_same_bits<float>(points(100), GradientDescent{});
}

TEST_CASE("Large products are right") {
    constexpr std::size_t records = 900;
    const auto data = points(records);
    const auto x = data.inputs<float>(), y = data.targets<float>();
    Model<Large> model(5);
    Inspection<Large> inspection(model);
    inspection.run(x, y);
    auto h = inspection.output<"1-dense">(), z = inspection.output<"2-dense">();
    auto w1 = model.parameter<"1-dense.weights">(), w2 = model.parameter<"2-dense.weights">();
    auto g1 = inspection.gradient<"1-dense.weights">(), g2 = inspection.gradient<"2-dense.weights">();
    const auto real = [](float v) { return static_cast<double>(v); };

    std::vector<double> dz(records * 768);  // 2 / records · (z - y), from the network's own z
    for (std::size_t r = 0; r < records; ++r)
        for (std::size_t j = 0; j < 768; ++j) dz[r * 768 + j] = 2.0 / records * (real(z(r, j)) - real(y(r, j)));

    const auto near = [](double expected) { return Approx(expected).epsilon(2e-5).margin(2e-5); };
    for (const unsigned r : {0u, 127u, 128u, 255u, 639u, 767u, 895u, 896u, 899u})
        for (const unsigned j : {0u, 1u, 500u, 767u}) {
            double first = 0, second = 0;
            for (std::size_t i = 0; i < 784; ++i) first += real(x(r, i)) * real(w1(i, j));
            for (std::size_t i = 0; i < 1024; ++i) second += real(h(r, i)) * real(w2(i, j));
            CHECK(real(h(r, j)) == near(std::tanh(first)));
            CHECK(real(z(r, j)) == near(second));
        }
    for (const unsigned j : {0u, 129u, 766u}) {
        std::vector<double> dh(records);
        for (std::size_t r = 0; r < records; ++r) {
            double sum = 0;
            for (std::size_t l = 0; l < 768; ++l) sum += dz[r * 768 + l] * real(w2(j, l));
            dh[r] = sum * (1 - real(h(r, j)) * real(h(r, j)));
        }
        for (const unsigned i : {0u, 127u, 128u, 640u, 783u}) {
            double first = 0, second = 0;
            for (std::size_t r = 0; r < records; ++r) {
                first += real(x(r, i)) * dh[r];
                second += real(h(r, i)) * dz[r * 768 + j];
            }
            CHECK(real(g1(i, j)) == near(first));
            CHECK(real(g2(i, j)) == near(second));
        }
    }

    // A step adds the product to the weights.
    sigma::test::DirectStep<Large, GradientDescent> step(model);
    const Array<float> before(w1), before2(w2);
    step(GradientDescent{.learning_rate = 0.5}, 1, x.data(), y.data(), records);
    for (const unsigned i : {0u, 127u, 128u, 783u}) {
        CHECK(real(w1(i, 700)) == near(real(before(i, 700)) - 0.5 * real(g1(i, 700))));
        CHECK(real(w2(i, 700)) == near(real(before2(i, 700)) - 0.5 * real(g2(i, 700))));
    }
}
