// SPDX-License-Identifier: BSL-1.0
// Networks without a loss, outputs of layers by name, predictors and their streams.
#include <catch2/catch.hpp>
#include <sigma/sigma.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

using namespace sigma;

namespace {

struct Plain : Network<Input(4) + Dense(6, relu) + named("hidden", Dense(5, tanh)) + Dense(3)> {};
struct Judged : Network<Input(4) + Dense(6, relu) + named("hidden", Dense(5, tanh)) + Dense(3) + SoftmaxCE()> {};
struct Sized : Network<Input(dim<"in">) + Dense(dim<"out">)> {};
struct Remembering : Network<Input(3, 2) + LSTM(4, {.stateful = true}) + Dense(2)> {};
struct TwoOutputs
    : Network<Input(4) + Dense(3) + Costs(named("raw", NoLoss()), named("class", Dense(2) + SoftmaxCE()))> {};

Array<float> some_records(std::size_t count, std::size_t columns) {
    Array<float> x = Array<float>::from_shape({count, columns});
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::sin(0.37f * static_cast<float>(i) + 0.2f);
    return x;
}
bool equal_elements(const Array<float>& a, const Array<float>& b) {
    return a.shape() == b.shape() && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace

TEST_CASE("A network without a loss predicts what arrives at its end") {
    Model<Plain> plain(3);
    Model<Judged> judged(3);
    REQUIRE(plain.records.costs.size() == 1);
    CHECK(plain.records.costs[0].kind == Text("output"));
    CHECK_FALSE(plain.records.costs[0].judges);
    const auto x = some_records(7, 4);
    const auto scores = plain.predict(x);
    CHECK(scores.shape()[1] == 3);
    CHECK(equal_elements(scores, judged.predict<"3-dense">(x)));
    CHECK(std::ranges::equal(plain.classify(x), judged.classify(x)));
    // Networks that are made while the program runs, and those whose sizes have names.
    Model made(network(Input(4) + Dense(6, relu) + named("hidden", Dense(5, tanh)) + Dense(3)), 3);
    CHECK(equal_elements(made.predict(x), scores));
    Model<Sized> sized(Sized{dim<"in"> = 4, dim<"out"> = 2}, 1);
    CHECK(sized.predict(x).shape()[1] == 2);
}

TEST_CASE("Of a network that only predicts nothing is trained or evaluated") {
    const auto net = network(Input(4) + Dense(3));
    Model model(net);
    const auto x = some_records(6, 4);
    const Dataset data({{6, 4}, std::vector<float>(24, 1.0f)}, {{6, 3}, std::vector<float>(18, 1.0f)}, "some");
    CHECK_THROWS_WITH(Trainer("none", net, Adam{}, minibatches(data, 2)),
                      Catch::Contains("expected a network with a loss, found a network without a loss"));
    CHECK_THROWS_AS(model.evaluate(x.data(), x.data(), 6), ArgumentError);
    Model<Plain> plain;
    CHECK_THROWS_AS(model.classify(x, 0.5), ArgumentError);
    // One output among costs is predicted, and the others are trained.
    Model<TwoOutputs> two(1);
    CHECK(two.predict<"raw">(x).shape()[1] == 3);
    CHECK(equal_elements(two.predict<"raw">(x), two.predict<"1-dense">(x)));
}

TEST_CASE("Outputs of layers are read by their names, several in one go") {
    Model<Judged> model(5);
    const auto x = some_records(9, 4);
    const auto all = layer_outputs(model, {x.data()}, 9);
    const auto [hidden, first] = model.predict<"hidden", "1-dense">(x);
    CHECK(std::vector<float>(hidden.begin(), hidden.end()) == all[2]);
    CHECK(std::vector<float>(first.begin(), first.end()) == all[1]);
    CHECK(equal_elements(model.predict<"hidden">(x), hidden));
    Model made(network(Input(4) + Dense(6, relu) + named("hidden", Dense(5, tanh)) + Dense(3) + SoftmaxCE()), 5);
    CHECK(equal_elements(made.predict<"hidden">(x), hidden));
    CHECK_THROWS_WITH(
        (made.predict<"hidden", "hiden">(x)),
        Catch::Contains(
            "no layer 'hiden'; did you mean 'hidden'? The network has '0-input', '1-dense', 'hidden', '3-dense'"));
    CHECK_THROWS_AS(made.predict<"hiden">(x), ArgumentError);
}

TEST_CASE("A predictor has parameters of its own, for any number of threads and records") {
    Model<Plain> model(3);
    const auto x = some_records(1000, 4);
    const Predictor predictor(model);
    const auto expected = model.predict(x);
    model.reset(8);
    CHECK(equal_elements(predictor.predict(x), expected));
    CHECK_FALSE(equal_elements(model.predict(x), expected));
    std::vector<std::thread> threads;
    std::vector<int> wrong(4);
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = t; i < 1000; i += 4) {
                float y[3];
                predictor.predict(x.data() + 4 * i, y, 1);
                for (std::size_t k = 0; k < 3; ++k) wrong[t] += y[k] != expected.data()[3 * i + k];
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == std::vector<int>(4));
    CHECK(equal_elements(Predictor(model, cpu({.threads = 2})).predict(x), model.predict(x)));
    CHECK(predictor.classify(x).size() == 1000);
    CHECK(predictor.predict<"hidden">(x).shape()[1] == 5);
}

TEST_CASE("Streams of one predictor go on beside each other") {
    Model<Remembering> model(3);
    const Predictor predictor(model);
    constexpr std::size_t sensors = 20, steps = 5;
    std::vector<Predictor<Remembering>::Stream> streams;
    for (std::size_t i = 0; i < sensors; ++i) streams.push_back(predictor.stream());
    // All sensors as the records of one batch, in a model that remembers.
    for (std::size_t t = 0; t < steps; ++t) {
        Array<float> x = Array<float>::from_shape({sensors, 3, 2});
        for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::cos(0.7f * static_cast<float>(i + 11 * t));
        const auto together = model.predict(x);
        for (std::size_t s = 0; s < sensors; ++s) {
            float y[2];
            streams[s].step({x.data() + 6 * s, 6}, y);
            for (std::size_t k = 0; k < 2; ++k) CHECK(y[k] == Approx(together.data()[2 * s + k]).epsilon(1e-5));
        }
    }
    const auto first = predictor.stream().step(std::vector<float>{1, 2, 3, 4, 5, 6});
    streams[0].forget();
    CHECK(equal_elements(streams[0].step(std::vector<float>{1, 2, 3, 4, 5, 6}), first));
    CHECK(equal_elements(predictor.predict(std::vector<float>{1, 2, 3, 4, 5, 6}), first));
    CHECK_THROWS_WITH(streams[0].step(std::vector<float>{1}), Catch::Contains("expected 6 numbers, found 1"));
}

namespace {

struct Broad : Network<Input(40) + Dense(50, relu) + Dense(33, tanh) + Dense(3)> {};
struct Whole : Network<Input(6, 2) + LSTM(20) + GRU(9) + Linear(3)> {};
struct OneByOne : Network<Input(1, 2) + LSTM(20, {.stateful = true}) + GRU(9, {.stateful = true}) + Linear(3)> {};
struct Large : Network<Input(1, 2) + LSTM(450, {.stateful = true}) + Linear(1)> {};  // streams borrow what it needs

template <class N, class M>
M with_parameters_of(const Model<N>& from) {
    M to;
    transfer(from, to, "*", Transfer::common);
    return to;
}

}  // namespace

TEST_CASE("A predictor's weights are packed, for several records, and give the same bits") {
    const Model<Broad> model(5), other(6);
    Predictor predictor(model);
    const Predictor copy = predictor;
    for (const std::size_t count : {1u, 2u, 5u, 6u, 7u, 23u, 64u, 100u, 300u}) {
        const auto x = some_records(count, 40);
        const auto expected = model.predict(x);
        CHECK(equal_elements(predictor.predict(x), expected));
        CHECK(equal_elements(copy.predict(x), expected));
        for (std::size_t i = 0; i < count; ++i)  // and a record's result does not depend on the others
            CHECK(std::equal(expected.data() + 3 * i, expected.data() + 3 * i + 3,
                             model.predict(std::vector<float>(x.data() + 40 * i, x.data() + 40 * i + 40)).data()));
    }
    predictor = Predictor(other);
    const auto x = some_records(64, 40);
    CHECK(equal_elements(predictor.predict(x), other.predict(x)));
    CHECK(equal_elements(copy.predict(x), model.predict(x)));
}

TEST_CASE("A network of one position gives what a loop over all positions gives, bit for bit") {
    const Model<Whole> whole(4);
    const auto model = with_parameters_of<Whole, Model<OneByOne>>(whole);
    const Predictor predictor(model);
    auto stream = predictor.stream();
    const auto x = some_records(1, 12);
    const auto expected = whole.predict(std::vector<float>(x.begin(), x.end()));
    for (std::size_t t = 0; t < 6; ++t) {
        auto fork = stream;  // goes on from here by itself
        float y[3], z[3];
        fork.step({x.data() + 2 * t, 2}, z);
        stream.step({x.data() + 2 * t, 2}, y);
        fork.step({x.data(), 2}, z);
        CHECK(std::equal(y, y + 3, expected.data() + 3 * t));
        const auto now = model.predict(std::vector<float>{x.data()[2 * t], x.data()[2 * t + 1]});
        CHECK(std::equal(y, y + 3, now.data()));
    }
    auto another = predictor.stream();
    another = stream;
    stream.forget();
    float y[3], z[3], first[3];
    predictor.stream().step({x.data(), 2}, first);
    stream.step({x.data(), 2}, y);
    another.step({x.data(), 2}, z);
    CHECK(std::equal(y, y + 3, first));
    CHECK_FALSE(std::equal(z, z + 3, first));
    const Predictor copy = predictor;  // which has streams of its own, and begins anew by itself
    CHECK(equal_elements(copy.predict(std::vector<float>{x.data()[0], x.data()[1]}),
                         copy.predict(std::vector<float>{x.data()[0], x.data()[1]})));
}

TEST_CASE("Streams of a large network borrow what they compute in, and go on as the others do") {
    const Model<Large> model(2);
    const Predictor predictor(model);
    auto stream = predictor.stream(), late = predictor.stream();
    const auto x = some_records(1, 8);
    for (std::size_t t = 0; t < 4; ++t) {
        float y[1], z[1];
        if (t == 2) late = stream;
        stream.step({x.data() + 2 * t, 2}, y);
        const auto now = model.predict(std::vector<float>{x.data()[2 * t], x.data()[2 * t + 1]});
        CHECK(y[0] == now.data()[0]);
        if (t < 2) continue;
        late.step({x.data() + 2 * t, 2}, z);
        CHECK(z[0] == y[0]);
    }
}
