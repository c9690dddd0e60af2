// SPDX-License-Identifier: BSL-1.0
#include <sigma/layer/dense.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/worker/inspect.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cmath>

using namespace sigma;

namespace {

struct Scores : Network<Input(3) + Dense(3) + SoftmaxCE()> {};

/// Value, prediction and gradient for these scores, through a layer that hands its input on.
template <class T>
void check(std::array<double, 3> z, std::size_t label) {
    Model<Scores, T> model;
    model.parameter(0) = xt::eye<T>(3);
    Inspection<Scores, T> look(model);
    const T x[] = {static_cast<T>(z[0]), static_cast<T>(z[1]), static_cast<T>(z[2])}, y[] = {static_cast<T>(label)};
    const double most = std::max({z[0], z[1], z[2]});
    double sum = 0;
    for (const double s : z) sum += std::exp(s - most);
    const double tolerance = sizeof(T) == 4 ? 2e-6 : 1e-13;
    const double loss = look.run(x, y, 1);
    CHECK(loss == Approx(std::log(sum) + (most - z[label])).epsilon(tolerance).margin(tolerance));
    CHECK(model.evaluate(x, y, 1).error == Approx(loss).epsilon(tolerance));
    CHECK(model.evaluate(x, y, 1).accuracy == (z[label] == most ? 1.0 : 0.0));
    T p[3];
    model.predict(x, p, 1);
    for (std::size_t c = 0; c < 3; ++c) {
        const double wanted = std::exp(z[c] - most) / sum;
        CHECK(static_cast<double>(p[c]) == Approx(wanted).margin(tolerance));
        CHECK(static_cast<double>(look.gradient(1)(c)) == Approx(wanted - (c == label ? 1 : 0)).margin(tolerance));
    }
}

TEMPLATE_TEST_CASE("SoftmaxCE is -log softmax, with the gradient p - 1[class]", "", float, double) {
    for (std::size_t label = 0; label < 3; ++label) {
        check<TestType>({0.5, -1.25, 2}, label);
        check<TestType>({-30, 0.25, 31}, label);
        check<TestType>({1e4, -1e4, 0}, label);
        check<TestType>({-1e4, -9999, -1e4}, label);
        check<TestType>({1e4, 9998, 9999}, label);
    }
}

TEST_CASE("SoftmaxCE is the mean over the batch") {
    Model<Scores, double> model(3);
    const double x[] = {1, 2, 3, -1, 0.5, 0.25}, y[] = {2, 0};
    const double both = model.evaluate(x, y, 2).error;
    CHECK(both == Approx((model.evaluate(x, y, 1).error + model.evaluate(x + 3, y + 1, 1).error) / 2));
}

}  // namespace
