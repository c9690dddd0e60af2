// SPDX-License-Identifier: BSL-1.0
#include <sigma/data/dataset.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/reshape.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/costs.hpp>
#include <sigma/network/model.hpp>

#include <catch2/catch.hpp>

#include <span>
#include <vector>

using namespace sigma;

namespace {

struct Kinds : Network<Input(4) + Dense(3) + SoftmaxCE()> {};
struct Pictures : Network<Input(2, 2) + Flatten() + Dense(3) + SoftmaxCE()> {};
struct Pairs : Network<(Input(2) & Input(3)) + Concatenate() + Dense(1) + SquaredDiff()> {};
struct Single : Network<Input(1) + Dense(2) + SquaredDiff()> {};
struct SingleClass : Network<Input(1) + Dense(2) + SoftmaxCE()> {};

}  // namespace

TEST_CASE("Numbers in a row are one record") {
    const Model<Kinds> model(1);
    const Array<float> x{{1, 2, 3, 4}};
    const auto p = model.predict(x);
    const std::vector<float> numbers{1, 2, 3, 4};
    const float plain[]{1, 2, 3, 4};
    CHECK(model.predict(numbers) == p);
    CHECK(model.predict(std::span(numbers)) == p);
    CHECK(model.predict(plain) == p);
    CHECK(model.predict(std::vector<double>{1, 2, 3, 4}) == p);
    CHECK(model.predict(std::vector<int>{1, 2, 3, 4}) == p);
    CHECK(model.predict(make_dataset(x, Array<float>{0}).input(0)) == p);
    CHECK(model.predict<0>(numbers) == p);
    CHECK(model.predict<"softmax_ce">(numbers) == p);
}

TEST_CASE("Numbers in braces are one record, and rows in braces are several") {
    const Model<Kinds> model(1);
    CHECK(model.predict({1, 2, 3, 4}) == model.predict(Array<float>{{1, 2, 3, 4}}));
    CHECK(model.predict({{1, 2, 3, 4}}) == model.predict(Array<float>{{1, 2, 3, 4}}));
    CHECK(model.predict({{1, 2, 3, 4}, {4, 3, 2, 1}}) == model.predict(Array<float>{{1, 2, 3, 4}, {4, 3, 2, 1}}));
    const Model<Single> single(1);
    CHECK(single.predict({1}).shape() == std::vector<std::size_t>{1, 2});
    CHECK(single.predict({{1}, {2}}).shape() == std::vector<std::size_t>{2, 2});
    const Model<SingleClass> classes(1);
    CHECK(classes.classify({1}).size() == 1);
    CHECK(classes.classify({{1}, {2}}).size() == 2);
}

TEST_CASE("A record in a row has the extents of the input, and so have several inputs") {
    const std::vector<float> pixels{1, 2, 3, 4};
    const Model<Pictures> model(1);
    CHECK(model.predict(pixels) == model.predict(ArrayView(pixels, {1, 2, 2})));
    CHECK(model.predict({1, 2, 3, 4}) == model.predict(pixels));
    const Model<Pairs> pairs(1);
    const std::vector<float> a{1, 2}, b{3, 4, 5};
    CHECK(pairs.predict(a, b) == pairs.predict(Array<float>{{1, 2}}, Array<float>{{3, 4, 5}}));
}

TEST_CASE("A record of other length is refused") {
    const Model<Kinds> model(1);
    CHECK_THROWS_WITH(model.predict(std::vector<float>{1, 2, 3}),
                      "array: expected 4 elements for shape (1, 4), found 3");
    CHECK_THROWS_AS(model.predict({1, 2, 3, 4, 5, 6, 7, 8}), ShapeError);
    CHECK_THROWS_AS(model.predict(std::vector<float>{}), ShapeError);
    CHECK_THROWS_WITH(
        model.predict(Array<float>({4}, std::vector<float>(4))),
        "inputs of the network: expected shape (records, 4), found shape (4); one record has shape (1, 4)");
}
