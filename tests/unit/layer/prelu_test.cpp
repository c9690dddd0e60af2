// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include <sigma/layer/activation.hpp>
#include <sigma/layer/dense.hpp>

using namespace sigma;
using namespace sigma::test;

namespace {

struct One : Network<Input(3, 5) + Elementwise() + PReLU() + SquaredDiff()> {};
struct Each : Network<Input(3, 5) + Elementwise() + PReLU({.each_feature = true}) + SquaredDiff()> {};
struct Alone : Network<Input(4) + PReLU({.slopes = constant(2)}) + SquaredDiff()> {};

template <class N>
void examine(std::size_t slopes) {
    Model<N, double> model(1);
    for (const double v : model.parameter(2)) CHECK(v == 0.25);
    scramble(model, 5);
    const Values x = normal(2 * 15, 7), w = values(model.parameter(0)), b = values(model.parameter(1)),
                 a = values(model.parameter(2));
    REQUIRE(a.size() == slopes);
    Values wanted;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double z = x[i] * w[i % 15] + b[i % 15];
        wanted.push_back(std::max(z, 0.0) + a[i % slopes] * std::min(z, 0.0));
    }
    CHECK(distance(predict(model, x), wanted) < 1e-14);
    CHECK(gradient_error<N>(3) < gradient_tolerance);
}

}  // namespace

TEST_CASE("PReLU has a learned slope below 0, one or one a feature") {
    examine<One>(1);
    examine<Each>(5);
}

TEST_CASE("PReLU takes an initializer") {
    Model<Alone, double> model(1);
    CHECK(predict(model, {-1, 2, 0, -0.5}) == Values{-2, 2, 0, -1});
}
