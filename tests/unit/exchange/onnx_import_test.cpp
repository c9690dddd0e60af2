// SPDX-License-Identifier: BSL-1.0
// Networks from ONNX files, which are made here: they predict what their operators say, whatever the number of records,
// can be trained further, and what is damaged is one sentence.
#include <sigma/exchange.hpp>
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include <catch2/catch.hpp>
#include <support/onnx_made.hpp>
#include <support/scratch.hpp>
#include <support/thrown.hpp>

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

using namespace sigma;

namespace {

std::vector<float> predicted(const Model<DynamicNetwork>& model, const std::vector<float>& x, std::ptrdiff_t records,
                             std::size_t output = 0) {
    return predicted_of(model, {x}, records, output);
}
void require_close(const std::vector<float>& found, const std::vector<float>& wanted) {
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(wanted[i]).margin(1e-5));
}

/// x (n, 4) -> softmax of two products.
void make_perceptron(Made& m, bool softmax = true) {
    m.input("x", {-1, 4}).output("y");
    m.floats("w1", {8, 4}, counted(32)), m.floats("b1", {8}, counted(8, 0.1f));
    m.floats("w2", {8, 3}, counted(24)), m.floats("b2", {3}, {0.5f, 0.25f, -1});
    set(m.node("Gemm", {"x", "w1", "b1"}, {"h"}, "hidden"), "transB", 1);
    m.node("Relu", {"h"}, {"r"});
    m.node("MatMul", {"r", "w2"}, {"p"});
    m.node("Add", {"p", "b2"}, {softmax ? "z" : "y"});
    if (softmax) m.node("Softmax", {"z"}, {"y"});
}
std::vector<float> perceptron(const std::vector<float>& x) {
    const std::vector<float> w1 = counted(32), b1 = counted(8, 0.1f), w2 = counted(24), b2{0.5f, 0.25f, -1};
    std::vector<float> all;
    for (std::size_t r = 0; r < x.size() / 4; ++r) {
        double z[3]{}, total = 0;
        for (std::size_t k = 0; k < 3; ++k) z[k] = static_cast<double>(b2[k]);
        for (std::size_t j = 0; j < 8; ++j) {
            double h = static_cast<double>(b1[j]);
            for (std::size_t i = 0; i < 4; ++i)
                h += static_cast<double>(x[r * 4 + i]) * static_cast<double>(w1[j * 4 + i]);
            for (std::size_t k = 0; k < 3; ++k) z[k] += std::max(h, 0.0) * static_cast<double>(w2[j * 3 + k]);
        }
        for (double& each : z) total += each = std::exp(each);
        for (const double each : z) all.push_back(static_cast<float>(each / total));
    }
    return all;
}

}  // namespace

TEST_CASE("A perceptron of a file predicts what it says, for any number of records") {
    Made m;
    make_perceptron(m);
    const auto model = model_of(m);
    CHECK(model.find_parameter("hidden.weights") >= 0);
    CHECK(model.find_parameter("hidden.biases") >= 0);
    CHECK(model.records.parameters[0].shape == Shape{4, 8});  // as Sigma multiplies
    for (const std::size_t records : {1u, 3u, 64u}) {
        const std::vector<float> x = counted(4 * records, -0.7f);
        require_close(predicted(model, x, static_cast<std::ptrdiff_t>(records)), perceptron(x));
    }
}

TEST_CASE("What is drawn anew is as in the file, and a copy in a file of parameters comes back") {
    Made m;
    make_perceptron(m);
    auto model = model_of(m);
    const Scratch folder;
    save_parameters(model, folder / "p.safetensors");
    auto other = model_of(m);
    other.parameter(0).fill(0);
    CHECK_FALSE(other == model);
    other.reset();
    CHECK(other == model);
    other.parameter(0).fill(0);
    CHECK(load_parameters(other, folder / "p.safetensors") == 4);
    CHECK(other == model);
}

TEST_CASE("A model of a file is trained further with a loss, without the softmax that the loss has") {
    Made m;
    make_perceptron(m);
    const Scratch folder;
    const std::string file = folder.write("m.onnx", m.bytes());
    const auto before = import_onnx(file, SoftmaxCE());
    const std::vector<float> x = counted(40, -0.7f);
    require_close(predicted(before, x, 10), perceptron(x));
    CHECK(before.records.layers[before.records.layers.size() - 1].kind.view() == "add");

    std::vector<float> classes;
    for (int i = 0; i < 10; ++i) classes.push_back(static_cast<float>(i % 3));
    const Dataset data({{10, 4}, x}, {{10}, classes}, "few");
    const auto net = network(onnx_layers(file, {.last_activation = false}) + SoftmaxCE());
    Trainer trainer("tuned", net, Adam{.learning_rate = 0.05f}, minibatches(data, 5));
    require_close(predicted(trainer.model(), x, 10), perceptron(x));  // it begins with the weights of the file
    const double first = trainer.evaluate(data).error;
    trainer.run(cpu(), 30);
    CHECK(trainer.evaluate(data).error < 0.5 * first);
}

TEST_CASE("Names of classes are those that export_onnx has written") {
    const Scratch folder;
    Model written(network(Input(2) + Dense(3) + SoftmaxCE()), 1);
    written.set_classes({"a, \"b\"", "c\n", ""});
    export_onnx(written, folder / "m.onnx");
    CHECK(import_onnx(folder / "m.onnx").classes() == written.classes());
    CHECK(import_onnx<double>(folder / "m.onnx", SoftmaxCE()).classes() == written.classes());
    Made m;
    make_perceptron(m);
    CHECK(m.read().classes().empty());
    format::StringStringEntryProto& fact = *m.model.add_metadata_props();
    fact.set_key("classes");
    for (const char* others : {"cat,dog", "3", "[\"cat\", 1]", "[\"cat\"] and more", "[", ""}) {  // of other programs
        fact.set_value(others);
        CHECK(m.read().classes().empty());
    }
}

TEST_CASE("A graph is a part of other networks") {
    Made m;
    make_perceptron(m, false);
    const OnnxGraph graph = m.read();
    SECTION("at the front, frozen") {
        const auto net = network(frozen(graph) + Dense(2) + SoftmaxCE());
        const Model model(net);
        CHECK(model.records.parameters.size() == 6);
        CHECK_FALSE(model.records.parameters[0].trained);
        CHECK(model.records.parameters[4].trained);
    }
    SECTION("behind a layer, and twice, with paths") {
        const auto net =
            network(Input(5) + Dense(4) + named("a", graph) + Dense(4) + named("b", graph) + SquaredDiff());
        const Model model(net);
        CHECK(model.find_parameter("a/hidden.weights") >= 0);
        CHECK(model.find_parameter("b/hidden.weights") >= 0);
    }
    SECTION("of another shape than what flows") {
        CHECK_THAT(error_text([&] { network(Input(5) + graph + SquaredDiff()); }),
                   Catch::Contains("input 'x': expected a value of shape (-1, 4), found (-1, 5)"));
    }
}

TEST_CASE("Shapes that a graph computes keep the number of records open") {
    Made m;
    m.input("x", {-1, 3, 4, 4}).output("y");
    m.floats("w", {2, 3, 3, 3}, counted(54)), m.floats("b", {2}, {0.5f, -0.5f});
    m.wholes("zero", {}, {0}), m.wholes("axis", {1}, {0}), m.wholes("rest", {1}, {-1});
    auto& conv = m.node("Conv", {"x", "w", "b"}, {"c"}, "/features/conv");
    set(conv, "pads", {1, 1, 1, 1}), set(conv, "strides", {2, 2});
    m.node("Relu", {"c"}, {"r"});
    m.node("Shape", {"r"}, {"s"});
    set(m.node("Gather", {"s", "zero"}, {"n"}), "axis", 0);
    m.node("Unsqueeze", {"n", "axis"}, {"n1"});
    set(m.node("Concat", {"n1", "rest"}, {"to"}), "axis", 0);
    m.node("Reshape", {"r", "to"}, {"y"});
    const auto model = model_of(m);
    CHECK(model.records.costs[0].prediction == Shape{batch, 8});
    CHECK(model.find_parameter("features_conv.weights") >= 0);
    const std::vector<float> x = counted(3 * 48, -0.4f), w = counted(54);
    std::vector<float> wanted;
    for (std::size_t n = 0; n < 3; ++n)
        for (std::size_t o = 0; o < 2; ++o)
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) {
                    double sum_of = o == 0 ? 0.5 : -0.5;
                    for (std::size_t c = 0; c < 3; ++c)
                        for (int a = 0; a < 3; ++a)
                            for (int b = 0; b < 3; ++b) {
                                const int row = 2 * i + a - 1, column = 2 * j + b - 1;
                                if (row < 0 || row > 3 || column < 0 || column > 3) continue;
                                sum_of += static_cast<double>(
                                              x[n * 48 + c * 16 + static_cast<std::size_t>(row * 4 + column)]) *
                                          static_cast<double>(w[o * 27 + c * 9 + static_cast<std::size_t>(a * 3 + b)]);
                            }
                    wanted.push_back(static_cast<float>(std::max(sum_of, 0.0)));
                }
    require_close(predicted(model, x, 3), wanted);
}

TEST_CASE("Several inputs and outputs") {
    Made m;
    m.input("a", {-1, 2}).input("b", {-1, 3}).output("sum").output("joined");
    m.floats("w", {3, 2}, counted(6));
    m.node("MatMul", {"b", "w"}, {"p"});
    m.node("Add", {"a", "p"}, {"sum"});
    set(m.node("Concat", {"a", "b"}, {"joined"}), "axis", 1);
    const OnnxGraph graph = m.read();
    CHECK(graph.inputs() == std::vector<std::string>{"a", "b"});
    CHECK(graph.outputs() == std::vector<std::string>{"sum", "joined"});
    const Model model(detail::onnx_network(graph));
    CHECK(model.find_cost("sum") == 0);
    CHECK(model.find_cost("joined") == 1);
    const std::vector<float> a{1, 2, 3, 4}, b{1, 0, 0, 0, 1, 0}, w = counted(6);
    std::vector<float> first(4), second(10);
    model.predict({a.data(), b.data()}, {first.data(), second.data()}, 2);
    require_close(first, {1 + w[0], 2 + w[1], 3 + w[2], 4 + w[3]});
    require_close(second, {1, 2, 1, 0, 0, 3, 4, 0, 1, 0});
}

TEST_CASE("Normalization over the batch and dropout are what they are in training") {
    Made m;
    m.input("x", {-1, 2, 2, 2}).output("y");
    for (const char* name : {"scale", "variance"}) m.floats(name, {2}, {1, 1});
    for (const char* name : {"shift", "mean"}) m.floats(name, {2}, {0, 0});
    m.node("BatchNormalization", {"x", "scale", "shift", "mean", "variance"}, {"n"}, "norm");
    m.node("Dropout", {"n"}, {"d"}, "drop");
    m.node("Flatten", {"d"}, {"y"});
    const auto net = network(Layers(m.read()) + Dense(1) + SquaredDiff());
    const std::vector<float> x = counted(8 * 6, 2);
    const Dataset data({{6, 2, 2, 2}, x}, {{6, 1}, std::vector<float>(6, 1.0f)}, "few");
    Trainer trainer("norm", net, GradientDescent{.learning_rate = 0.0f}, minibatches(data, 6));
    const auto& model = trainer.model();
    const int mean = model.find_parameter("norm.running_mean");
    REQUIRE(mean >= 0);
    CHECK_FALSE(model.records.parameters[mean].trained);
    CHECK(model.records.parameters[model.find_parameter("norm.scales")].trained);
    CHECK(model.hyperparameter("drop.rate") == 0.5);
    trainer.run(cpu(), 1);
    double wanted = 0;
    for (std::size_t r = 0; r < 6; ++r)
        for (std::size_t i = 0; i < 4; ++i) wanted += static_cast<double>(x[r * 8 + i]) / 24;
    CHECK(model.parameter(mean)(0) == Approx(0.1 * wanted));
}

TEST_CASE("A recurrent layer gives the same over records as step by step in one record") {
    const auto make = [](Made& m, long long records) {
        m.input("x", {records, 5, 3}).output("y");
        m.floats("w", {1, 16, 3}, counted(48, -0.5f, 0.0625f)), m.floats("r", {1, 16, 4}, counted(64, -0.5f, 0.0625f));
        m.floats("b", {1, 32}, counted(32, -0.25f, 0.03125f));
        set(m.node("Transpose", {"x"}, {"t"}), "perm", {1, 0, 2});
        set(m.node("LSTM", {"t", "w", "r", "b"}, {"all", "last"}), "hidden_size", 4);
        m.wholes("first", {1}, {0});
        m.node("Squeeze", {"last", "first"}, {"y"});
    };
    Made open, closed;
    make(open, -1), make(closed, 2);
    const auto many = model_of(open), one = model_of(closed);
    CHECK_FALSE(open.read().is_one_record());
    CHECK(closed.read().is_one_record());
    const std::vector<float> x = counted(30);
    require_close(predicted(many, x, 2), predicted(one, x, 1));
}

TEST_CASE("A graph without an axis of records is one record, and of more than one all is NaN") {
    Made m;
    m.input("x", {2, 3}).output("y");
    m.node("Transpose", {"x"}, {"y"});
    CHECK(m.read().is_one_record());
    const auto model = model_of(m);
    CHECK(model.records.inputs[0] == Shape{batch, 2, 3});
    CHECK(predicted(model, {1, 2, 3, 4, 5, 6}, 1) == std::vector<float>{1, 4, 2, 5, 3, 6});
    for (const float each : predicted(model, counted(12), 2)) CHECK(std::isnan(each));
    CHECK_THAT(m.refused({.batch = OnnxBatch::first_axis}), Catch::Contains("records in the first axis"));
}

TEST_CASE("Of a file with one record everywhere the first axis counts them") {
    Made m;
    m.input("x", {1, 2, 2}).output("y");
    m.wholes("to", {2}, {1, -1});
    m.node("Reshape", {"x", "to"}, {"y"});
    CHECK_FALSE(m.read().is_one_record());
    CHECK(predicted(model_of(m), counted(12), 3) == counted(12));
}

namespace {

/// state -> op(state), so often.
format::GraphProto body_of(const std::string& number, const std::string& op, const format::GraphProto* inside) {
    Made m;
    m.input("i" + number, {}, format::TensorProto::INT64).input("c" + number, {}, format::TensorProto::BOOL);
    m.input("s" + number, {-1, 2}).output("d" + number).output("t" + number);
    m.node("Identity", {"c" + number}, {"d" + number});
    const std::vector<std::string> state{"s" + number}, next{"t" + number};
    if (inside == nullptr) m.node(op, {state[0], state[0]}, next);
    else set(m.node("Loop", {"count", "yes", state[0]}, next), "body", *inside);
    return m.graph;
}
void make_loops(Made& m, long long count, int depth) {
    m.input("x", {-1, 2}).output("y");
    m.wholes("count", {}, {count});
    m.wholes("yes", {}, {1});
    format::GraphProto body = body_of("0", "Add", nullptr);
    for (int d = 1; d < depth; ++d) body = body_of(std::to_string(d), "", &body);
    set(m.node("Loop", {"count", "yes", "x"}, {"y"}), "body", body);
}

}  // namespace

TEST_CASE("A loop is written out, and a branch is taken, as constants say") {
    Made m;
    make_loops(m, 3, 2);
    CHECK(predicted(model_of(m), {1, 2}, 1) == std::vector<float>{512, 1024});  // doubled nine times
    Made branch;
    branch.input("x", {-1, 2}).output("y");
    branch.wholes("no", {}, {0});
    Made yes, other;
    yes.output("a"), yes.node("Neg", {"x"}, {"a"});
    other.output("b"), other.node("Abs", {"x"}, {"b"});
    auto& n = branch.node("If", {"no"}, {"y"});
    set(n, "then_branch", yes.graph), set(n, "else_branch", other.graph);
    CHECK(predicted(model_of(branch), {-1, 2}, 1) == std::vector<float>{1, 2});
}

TEST_CASE("A small file does not become much work") {
    Made loops;
    make_loops(loops, 500, 4);
    CHECK_THAT(loops.refused(), Catch::Contains("expected at most 262144 steps of nodes"));
    Made doubled;
    doubled.input("x", {-1, 2}).output("n60");
    doubled.node("Identity", {"x"}, {"n0"});
    for (int i = 0; i < 60; ++i) {
        const std::string from = "n" + std::to_string(i);
        set(doubled.node("Concat", {from, from}, {"n" + std::to_string(i + 1)}), "axis", 1);
    }
    CHECK_THAT(doubled.refused(), Catch::Contains("(Concat): expected less than 536870912 elements"));
    Made filled;
    filled.input("x", {-1, 2}).output("y");
    filled.wholes("to", {3}, {1 << 20, 1 << 20, 2});
    filled.node("ConstantOfShape", {"to"}, {"k"});
    filled.node("Add", {"k", "x"}, {"y"});
    CHECK_THAT(filled.refused(), Catch::Contains("node 'k' (ConstantOfShape): expected at most 536870912 elements"));
    Made nested;
    nested.input("x", {-1, 2}).output("y");
    format::GraphProto body = body_of("0", "Add", nullptr);
    for (int d = 1; d < 12; ++d) body = body_of(std::to_string(d), "", &body);
    nested.wholes("count", {}, {1}), nested.wholes("yes", {}, {1});
    set(nested.node("Loop", {"count", "yes", "x"}, {"y"}), "body", body);
    CHECK_THAT(nested.refused(), Catch::Contains("expected at most 8 nested graphs, found 9"));
}

TEST_CASE("Axes that a file leaves open have sizes by name, or what flows in") {
    Made m;
    m.input("x", {-1, -2}).output("y");
    m.node("Relu", {"x"}, {"y"});
    CHECK(model_of(m, {.sizes = {{"open", 5}}}).records.costs[0].prediction == Shape{batch, 5});
    CHECK_THAT(error_text([&] { model_of(m); }), Catch::Contains("set open axes by .sizes"));
    CHECK(Model(network(Input(7) + m.read() + SquaredDiff())).records.costs[0].prediction == Shape{batch, 7});
}

TEST_CASE("Tensors beside the file are read from below its folder alone") {
    const Scratch folder;
    std::filesystem::create_directory(folder / "data");
    const std::vector<float> w = counted(6);
    folder.write("data/w.bin", std::string("....") + std::string(reinterpret_cast<const char*>(w.data()), 24));
    const auto refused = [&](const std::string& location, const std::string& offset = "4") {
        Made m;
        m.input("x", {-1, 2}).output("y");
        auto& t = m.floats("w", {2, 3}, {});
        t.set_data_location(format::TensorProto::EXTERNAL);
        const auto say = [&](const char* key, const std::string& value) {
            auto& e = *t.add_external_data();
            e.set_key(key), e.set_value(value);
        };
        say("location", location), say("offset", offset), say("length", "24");
        m.node("MatMul", {"x", "w"}, {"y"});
        const std::string file = folder.write("m.onnx", m.bytes());
        return error_text([&] {
            const auto model = import_onnx(file);
            require_close(predicted(model, {1, 0, 0, 1}, 2), w);
        });
    };
    CHECK(refused("data/w.bin") == "no error");
    CHECK_THAT(refused("data/../data/w.bin"), Catch::Contains("expected a path below the folder of the file"));
    CHECK_THAT(refused(folder / "data/w.bin"), Catch::Contains("expected a path below the folder of the file"));
    CHECK_THAT(refused("data/w.bin", "5"), Catch::Contains("expected 24 bytes from byte 5 on, found 23"));
    CHECK_THAT(refused("data/w.bin", "-1"), Catch::Contains("offset as a number of bytes"));
    CHECK_THAT(refused("none.bin"), Catch::Contains("No such file"));
    std::filesystem::create_symlink("w.bin", folder / "data/link.bin");
    CHECK_THAT(refused("data/link.bin"), Catch::Contains("expected a path without links"));
}

TEST_CASE("A file of another kind names the function that reads it") {
    const Scratch folder;
    const Model model(network(Input(2) + Dense(1)), 1);
    save_model(model, folder / "a.sigma");
    export_onnx(model, folder / "a.onnx");
    CHECK_THROWS_WITH(load_model(folder / "a.onnx"),
                      Catch::Contains("found an ONNX model: read it with import_onnx of <sigma/onnx.hpp>"));
    CHECK_THROWS_WITH(import_onnx(folder / "a.sigma"),
                      Catch::Contains("found a model of save_model: read it with load_model of <sigma/exchange.hpp>"));
}

TEST_CASE("What is wrong with a file is one sentence, before anything is made") {
    const auto refused = [](auto change) {
        Made m;
        make_perceptron(m);
        change(m);
        return m.refused();
    };
    const auto says = [&](auto change, const std::string& text) { CHECK_THAT(refused(change), Catch::Contains(text)); };
    CHECK(refused([](Made&) {}) == "no error");
    says([](Made& m) { m.graph.mutable_node(1)->set_op_type("Unique"); },
         "file 'made', node 'r' ('Unique'): expected an operator that Sigma imports (docs/onnx-import.md), found "
         "'Unique'");
    says([](Made& m) { m.graph.mutable_node(1)->set_domain("com.example"); },
         "found an operator of domain 'com.example'");
    says([](Made& m) { m.graph.mutable_node(1)->set_input(0, "p"); },
         "node 'r' ('Relu'): expected a value 'p' of an earlier node, found no such value");  // a cycle
    says([](Made& m) { m.graph.mutable_node(1)->set_output(0, "h"); }, "a name that occurs once");
    says([](Made& m) { m.graph.mutable_initializer(0)->set_dims(0, 7); },
         "initializer 'w1': expected 28 elements, found 32");
    says([](Made& m) { m.graph.mutable_initializer(0)->set_dims(0, 1ll << 40); }, "expected extents from 0 to");
    says(
        [](Made& m) { m.graph.mutable_initializer(2)->set_dims(0, 6), m.graph.mutable_initializer(2)->set_dims(1, 4); },
        "node 'p' (MatMul)");
    says([](Made& m) { m.graph.mutable_initializer(0)->set_data_type(format::TensorProto::STRING); },
         "found elements of type STRING");
    says([](Made& m) { m.model.mutable_opset_import(0)->set_version(99); },
         "expected operators of set 1 to 25, found 99");
    says([](Made& m) { m.model.set_ir_version(1); }, "expected a model of version 3 to 13");
    says([](Made& m) { m.graph.mutable_output(0)->set_name("nowhere"); },
         "output 'nowhere': expected a value of the graph");
    says([](Made& m) { m.graph.clear_output(); }, "expected a graph with outputs");
    says([](Made& m) { set(*m.graph.mutable_node(4), "axis", 9); },
         "node 'y' (Softmax): expected an axis of 2, found 9");
    const std::string nothing = "this is no model";
    CHECK_THAT(error_text<DataError>([&] {
                   const OnnxGraph graph(std::as_bytes(std::span(nothing)));
                   static_cast<void>(graph);
               }),
               Catch::Contains("expected an ONNX model"));
    CHECK_THAT(error_text<DataError>([] { import_onnx("/nowhere/m.onnx"); }), Catch::Contains("No such file"));
}
