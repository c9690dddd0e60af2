// SPDX-License-Identifier: BSL-1.0
// How a file is read: sizes of open axes, some of its outputs, branches on what is computed.
#include <sigma/exchange.hpp>

#include <catch2/catch.hpp>
#include <support/onnx_made.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <string>
#include <vector>

using namespace sigma;

namespace {

using Floats = std::vector<float>;

/// Two inputs with open axes, without names but for one.
void make_open(Made& m) {
    m.input("x", {-1, -3, -3}).input("y", {-1, 2, -2}).output("z");
    for (int i = 0; i < 2; ++i) {
        auto& dim =
            *m.graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1 + i);
        dim.clear_dim_param();
    }
    m.node("Add", {"x", "y"}, {"z"});
}
std::string wrong(const Made& m, const OnnxImport& how) {
    return error_text<ArgumentError>([&] { static_cast<void>(m.read(how)); });
}

}  // namespace

TEST_CASE("Open axes have sizes by the number of an input's axis, with a name or without") {
    Made m;
    make_open(m);
    const auto model = model_of(m, {.sizes = {{"x", 1, 2}, {"x", 2, 3}, {"open", 3}}});
    CHECK(model.records.costs[0].prediction == Shape{batch, 2, 3});
    CHECK(predicted_of(model, {{1, 2, 3, 4, 5, 6}, {10, 20, 30, 40, 50, 60}}, 1) == Floats{11, 22, 33, 44, 55, 66});
    // A number goes before a name.
    const auto numbered = model_of(m, {.sizes = {{"y", 2, 4}, {"open", 3}, {"x", 1, 1}, {"x", 2, 1}}});
    CHECK(numbered.records.costs[0].prediction == Shape{batch, 2, 4});
    CHECK_THAT(error_text([&] { model_of(m, {.sizes = {{"x", 1, 2}, {"open", 3}}}); }),
               Catch::Contains("found an unknown extent of axis 2: write .sizes = {{\"x\", 2, EXTENT}}"));
}

TEST_CASE("Sizes of what is not open are a mistake") {
    Made m;
    make_open(m);
    CHECK_THAT(
        wrong(m, {.sizes = {{"height", 2}}}),
        Catch::Contains(
            "file 'made', .sizes: expected one of 'n', axis 1 of 'x', axis 2 of 'x', 'n', 'open', found 'height'"));
    CHECK_THAT(wrong(m, {.sizes = {{"y", 1, 2}}}), Catch::Contains("found axis 1 of 'y'"));
    CHECK_THAT(wrong(m, {.sizes = {{"x", 3, 2}}}), Catch::Contains("found axis 3 of 'x'"));
    CHECK_THAT(wrong(m, {.sizes = {{"x", 1, 0}}}),
               Catch::Contains(".sizes of 'x': expected an extent of at least 1, found 0"));
    Made closed;
    closed.input("x", {1, 2}).output("y").node("Relu", {"x"}, {"y"});
    CHECK_THAT(wrong(closed, {.sizes = {{"x", 1, 2}}}), Catch::Contains("expected no size, because no axis is open"));
}

TEST_CASE("Some outputs, and values inside, without what they do not need") {
    Made m;
    m.input("x", {-1, 2}).input("z", {-1, 2}).output("a").output("b").output("c");
    m.floats("w", {2, 2}, {1, 2, 3, 4}), m.floats("v", {2, 2}, {1, 0, 0, 1});
    m.node("MatMul", {"x", "w"}, {"a"}, "first");
    m.node("MatMul", {"a", "v"}, {"inner"}, "second");
    m.node("Relu", {"inner"}, {"b"});
    m.node("NonMaxSuppression", {"b", "z"}, {"c"});  // which Sigma has not
    CHECK_THAT(m.refused(), Catch::Contains("'NonMaxSuppression'"));
    const OnnxGraph graph = m.read({.outputs = {"b", "a"}});
    CHECK(graph.outputs() == std::vector<std::string>{"b", "a"});
    CHECK(graph.inputs() == std::vector<std::string>{"x"});
    const auto model = model_of(m, {.outputs = {"b", "a"}});
    CHECK(predicted_of(model, {{1, -1}}, 1, 0) == Floats{0, 0});
    CHECK(predicted_of(model, {{1, -1}}, 1, 1) == Floats{-2, -2});
    const auto first = model_of(m, {.outputs = {"a"}});
    CHECK(first.records.parameters.size() == 1);
    CHECK(predicted_of(model_of(m, {.outputs = {"inner"}}), {{1, 1}}, 1) == Floats{4, 6});
    CHECK_THAT(wrong(m, {.outputs = {"d"}}), Catch::Contains("file 'made', .outputs: expected values that its nodes "
                                                             "compute (its outputs are 'a', 'b', 'c'), found 'd'"));
    CHECK_THAT(wrong(m, {.outputs = {"a", "a"}}), Catch::Contains("expected each output once, found 'a'"));
}

TEST_CASE("More than eight inputs and outputs") {
    Made m;
    for (int i = 0; i < 12; ++i) {
        const std::string n = std::to_string(i);
        m.input("x" + n, {-1, 2}).output("y" + n);
        m.node("Neg", {"x" + n}, {"y" + n});
    }
    const auto model = model_of(m);
    std::vector<Floats> in;
    for (int i = 0; i < 12; ++i) in.push_back({static_cast<float>(i), 1});
    for (int i = 0; i < 12; ++i)
        CHECK(predicted_of(model, in, 1, static_cast<std::size_t>(i)) == Floats{static_cast<float>(-i), -1});
    CHECK(model.find_cost("y11") == 11);
    CHECK_THAT(error_text([&] { network(Layers(m.read()) + SquaredDiff()); }),
               Catch::Contains("expected at most 8 outputs if other layers follow, chosen by .outputs, found 12"));
    const Scratch folder;
    save_model(model, folder / "m.sigma");
    const auto again = load_model(folder / "m.sigma");
    CHECK(predicted_of(again, in, 1, 11) == Floats{-11, -1});
}

TEST_CASE("A branch on what is computed takes each element of one of both") {
    Made m;
    m.input("x", {1, 2}).input("limit", {1}).output("y").output("other");
    m.floats("w", {2, 2}, {1, 2, 3, 4});
    m.wholes("axis", {1}, {0});
    m.node("ReduceSum", {"x"}, {"sum"});
    m.node("Squeeze", {"sum"}, {"number"});
    m.node("Less", {"limit", "number"}, {"above"});
    Made yes, no;
    yes.output("a"), yes.node("MatMul", {"x", "w"}, {"a"}, "product"), yes.output("k"), yes.node("Neg", {"x"}, {"k"});
    no.output("b"), no.floats("none", {1, 2}, {7, 8}), no.node("Add", {"x", "none"}, {"b"}), no.output("j");
    no.node("Identity", {"none"}, {"j"});
    auto& n = m.node("If", {"above"}, {"y", "other"});
    set(n, "then_branch", yes.graph), set(n, "else_branch", no.graph);
    const auto model = model_of(m, {.batch = OnnxBatch::whole_graph});
    CHECK(predicted_of(model, {{1, 2}, {2}}, 1, 0) == Floats{7, 10});
    CHECK(predicted_of(model, {{1, 2}, {2}}, 1, 1) == Floats{-1, -2});
    CHECK(predicted_of(model, {{1, 2}, {3}}, 1, 0) == Floats{8, 10});
    CHECK(predicted_of(model, {{1, 2}, {3}}, 1, 1) == Floats{7, 8});
    CHECK(model.find_parameter("product.weights") >= 0);  // in either branch weights are trained
    n.mutable_attribute(1)->mutable_g()->mutable_initializer(0)->set_dims(0, 2);
    n.mutable_attribute(1)->mutable_g()->mutable_initializer(0)->add_float_data(1);
    n.mutable_attribute(1)->mutable_g()->mutable_initializer(0)->add_float_data(1);
    CHECK_THAT(m.refused({.batch = OnnxBatch::whole_graph}),
               Catch::Contains("(If): expected two branches of one shape and type, or a constant condition (set the "
                               "deciding input by .fixed), found FLOAT (1, 2) and FLOAT (2, 2)"));
}
