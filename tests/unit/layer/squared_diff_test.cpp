// SPDX-License-Identifier: BSL-1.0
#include <sigma/execution/inspect.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/squared_diff.hpp>

#include <catch2/catch.hpp>

using namespace sigma;

namespace {

struct Line : Network<Input(2) + Dense(2) + SquaredDiff()> {};
struct Image : Network<Input(2, 3) + SquaredDiff()> {};

TEMPLATE_TEST_CASE("SquaredDiff sums over a record and takes the mean over the batch", "", float, double) {
    using T = TestType;
    Model<Line, T> model;
    model.parameter(0) = Array<T>{{1, 0}, {0, 1}};
    Inspection<Line, T> look(model);
    const Array<T> x = {{1, 2}, {3, 4}}, y = {{0, 4}, {3, 1}};
    CHECK(look.run(x, y) == (1 + 4 + 0 + 9) / 2.0);
    CHECK(look.gradient(1)(0) == 1);  // the mean of 2·(z - y)
    CHECK(look.gradient(1)(1) == 1);
    CHECK(model.predict(x) == x);
    CHECK(std::isnan(model.evaluate(x.data(), y.data(), 2).accuracy));
}

TEST_CASE("SquaredDiff takes outputs of any rank") {
    Model<Image> model;
    const float x[] = {1, 2, 3, 4, 5, 6}, y[] = {1, 2, 3, 4, 5, 9};
    CHECK(model.evaluate(x, y, 1).error == 9);
}

}  // namespace
