// SPDX-License-Identifier: BSL-1.0
#include <sigma/layer/dense.hpp>
#include <sigma/layer/dropout.hpp>
#include <sigma/layer/normalization.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/squared_diff.hpp>
#include <sigma/network/model.hpp>
#include <sigma/network/parameters_file.hpp>

#include <support/scratch.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace sigma;

namespace {

struct Before : Network<named("x", Input(3)) + named("hidden", Dense(5, tanh)) +
                        named("body", 2 * Dense(4, relu) + named("last", Dense(4))) + named("out", Dense(2)) +
                        named("answer", SoftmaxCE())> {};
/// The same with layers put in between that predict nothing else.
struct After : Network<named("x", Input(3)) + Dropout(0.1f) + named("hidden", Dense(5, tanh)) + Dropout(0.2f) +
                       named("body", 2 * Dense(4, relu) + named("last", Dense(4))) + Dropout(0.3f) +
                       named("out", Dense(2)) + named("answer", SoftmaxCE())> {};

template <class N>
std::vector<std::string> parameter_names() {
    std::vector<std::string> all;
    for (const detail::ParameterRecord& r : detail::network_table<N>.parameters) all.emplace_back(r.name.view());
    return all;
}

struct Nested
    : Network<Input(3) + named("a", Dense(3) + named("b", Dense(3) + Dense(3)) + Dense(3)) +
              [](auto x) { return layer(named("inside", Dense(2)), x); } +
              named("f", [](auto x) { return layer(Dense(2), layer(named("g", Dense(2)), x)); }) + SquaredDiff()> {};
struct Pair : Network<Input(3) + named("both", Costs(Dense(1) + SquaredDiff(), Dense(1) + SquaredDiff()))> {};

}  // namespace

TEST_CASE("Names that an expression gives stay when layers are put before them") {
    const std::vector<std::string> names{"hidden.weights",      "hidden.biases",        "body/1-dense.weights",
                                         "body/1-dense.biases", "body/2-dense.weights", "body/2-dense.biases",
                                         "body/last.weights",   "body/last.biases",     "out.weights",
                                         "out.biases"};
    CHECK(parameter_names<Before>() == names);
    CHECK(parameter_names<After>() == names);
    CHECK(detail::network_table<Before>.layers[0].name.view() == "x");
    CHECK(detail::network_table<After>.layers[1].name.view() == "1-dropout");
    CHECK(detail::network_table<After>.costs[0].name.view() == "answer");
    CHECK(Model<After>::find_cost("answer") == 0);
    CHECK(Model<After>::find_cost("8-answer") == -1);
    CHECK(detail::network_table<Before>.fingerprint == detail::network_table<After>.fingerprint);
}

TEST_CASE("A file of parameters fits a network into which layers without parameters were put") {
    const Scratch scratch;
    Model<Before> before(4);
    save_parameters(before, scratch / "before.sigma");
    Model<After> after(5);
    CHECK(load_parameters(after, scratch / "before.sigma") == 10);
    const float x[] = {0.5f, -1, 2};
    float y[2]{}, z[2]{};
    before.predict(x, y, 1);
    after.predict(x, z, 1);
    CHECK(y[0] == z[0]);
    CHECK(y[1] == z[1]);
    CHECK(after.initialize("body/*.weights", constant(1)) == 3);
    CHECK(after.parameter<"body/2-dense.weights">()(1, 1) == 1);
}

TEST_CASE("Layers inside a name are numbered within it") {
    CHECK(parameter_names<Nested>() ==
          std::vector<std::string>{"a/1-dense.weights", "a/1-dense.biases", "a/b/1-dense.weights", "a/b/1-dense.biases",
                                   "a/b/2-dense.weights", "a/b/2-dense.biases", "a/4-dense.weights", "a/4-dense.biases",
                                   "inside.weights", "inside.biases", "f/g.weights", "f/g.biases", "f/2-dense.weights",
                                   "f/2-dense.biases"});
    CHECK(detail::network_table<Nested>.layers[6].name.view() == "6-lambda");
    CHECK(detail::network_table<Nested>.layers[9].name.view() == "f");
    CHECK(detail::network_table<Nested>.costs[0].name.view() == "10-squared_diff");
    CHECK(Model<Nested>::find_cost("squared_diff") == 0);
}

TEST_CASE("A name around several costs names none of them") {
    CHECK(detail::network_table<Pair>.costs[0].name.view() == "3-both");
    CHECK(detail::network_table<Pair>.costs[1].name.view() == "4-both");
    CHECK(parameter_names<Pair>()[2] == "both/2-dense.weights");
}
