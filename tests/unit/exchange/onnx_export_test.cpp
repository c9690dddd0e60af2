// SPDX-License-Identifier: BSL-1.0
// What stands in the ONNX files that models are written to. That ONNX Runtime computes the same numbers of them is
// tested in tests/onnx.
#include <onnx/format.hpp>
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include <catch2/catch.hpp>
#include <support/scratch.hpp>

#include <cstring>
#include <string>
#include <vector>

using namespace sigma;

namespace {

using detail::format::AttributeProto, detail::format::GraphProto, detail::format::ModelProto, detail::format::NodeProto,
    detail::format::TensorProto;
using Names = std::vector<std::string>;

struct Digits : Network<Input(4, 3) + Dense(5, relu) + named("last", Dense(2)) + SoftmaxCE()> {};

ModelProto parsed(const std::string& file) {
    ModelProto model;
    REQUIRE(model.ParseFromString(file_text(file)));
    return model;
}
template <AnyNetwork N, class T>
ModelProto exported(const Model<N, T>& model, const OnnxOptions& options = {}) {
    const Scratch folder;
    export_onnx(model, folder / "m.onnx", options);
    return parsed(folder / "m.onnx");
}
template <class L>
ModelProto exported(const L& expression) {
    return exported(Model<DynamicNetwork>(network(expression)));
}
Names operators(const GraphProto& graph) {
    Names names;
    for (const NodeProto& n : graph.node()) names.push_back(n.op_type());
    return names;
}
const NodeProto& node_of(const GraphProto& graph, const std::string& op) {
    for (const NodeProto& n : graph.node())
        if (n.op_type() == op) return n;
    throw std::runtime_error("no node " + op);
}
const AttributeProto& attribute(const NodeProto& node, const std::string& name) {
    for (const AttributeProto& a : node.attribute())
        if (a.name() == name) return a;
    throw std::runtime_error("no attribute " + name);
}
const TensorProto& tensor(const GraphProto& graph, const std::string& name) {
    for (const TensorProto& t : graph.initializer())
        if (t.name() == name) return t;
    throw std::runtime_error("no tensor " + name);
}
template <class T>
std::vector<T> elements(const std::string& raw) {
    std::vector<T> all(raw.size() / sizeof(T));
    std::memcpy(all.data(), raw.data(), raw.size());
    return all;
}
std::vector<long long> extents(const TensorProto& t) { return {t.dims().begin(), t.dims().end()}; }
std::string type_text(const detail::format::ValueInfoProto& v) {
    std::string text = v.name() + ":";
    for (const auto& d : v.type().tensor_type().shape().dim())
        text += " " + (d.has_dim_param() ? d.dim_param() : sentence(d.dim_value()));
    return text;
}

}  // namespace

TEST_CASE("a model in ONNX has the names of its network") {
    const Model<Digits> model(3);
    const ModelProto m = exported(model);
    CHECK(m.ir_version() == 8);
    REQUIRE(m.opset_import_size() == 1);
    CHECK(m.opset_import(0).version() == 17);
    CHECK(m.producer_name() == "sigma");
    CHECK(m.producer_version() == version());
    CHECK(m.metadata_props_size() == 0);
    const GraphProto& g = m.graph();
    REQUIRE(g.input_size() == 1);
    CHECK(type_text(g.input(0)) == "0-input: batch 4 3");
    REQUIRE(g.output_size() == 1);
    CHECK(type_text(g.output(0)) == "3-softmax_ce: batch 2");
    CHECK(operators(g) == Names{"Reshape", "Gemm", "Relu", "Gemm", "Softmax"});
    CHECK(node_of(g, "Relu").name() == "1-dense/Relu");
    const TensorProto& w = tensor(g, "1-dense.weights");
    CHECK(w.data_type() == TensorProto::FLOAT);
    CHECK(extents(w) == std::vector<long long>{12, 5});
    std::vector<float> wanted;
    for (const float x : model.parameter<"1-dense.weights">()) wanted.push_back(x);
    CHECK(elements<float>(w.raw_data()) == wanted);
    CHECK(extents(tensor(g, "last.biases")) == std::vector<long long>{2});
}

TEST_CASE("who exports a model is told what stands in the file") {
    const Scratch folder;
    const OnnxContents c = export_onnx(Model<Digits>(), folder / "m.onnx");
    CHECK(c.inputs == Names{"0-input (batch, 4, 3)"});
    CHECK(c.outputs == Names{"3-softmax_ce (batch, 2)"});
    REQUIRE(c.nodes.size() == 5);
    CHECK(c.nodes[1] == "Gemm(1-dense/Reshape, 1-dense.weights, 1-dense.biases) -> 1-dense/Gemm");
    CHECK(c.nodes[4] == "Softmax(last/Gemm) -> 3-softmax_ce");
}

TEST_CASE("a trained model in ONNX has the names of its classes") {
    const Dataset data{{{4, 2}, {0, 0, 0, 1, 1, 0, 1, 1}}, {{4}, {0, 1, 1, 0}}, "xor", {"same", "\"other\""}};
    Trainer trainer("onnx", network(Input(2) + Dense(2) + SoftmaxCE()), Adam{}, minibatches(data, 4));
    trainer.run(cpu(), 1);
    const ModelProto m = exported(trainer.model());
    REQUIRE(m.metadata_props_size() == 1);
    CHECK(m.metadata_props(0).key() == "classes");
    CHECK(m.metadata_props(0).value() == R"(["same", "\"other\""])");
}

TEST_CASE("images are channels first in ONNX, with one transposition at each end") {
    const Model<DynamicNetwork> model(network(Input(8, 9, 2) + Conv2D(3, {3, 2}, relu, {.padding = same}) +
                                              BatchNorm() + MaxPool(2) + Conv2D(4, 3) + AveragePool({1, 2}) +
                                              SquaredDiff()));
    const ModelProto m = exported(model);
    const GraphProto& g = m.graph();
    CHECK(operators(g) ==
          Names{"Transpose", "Conv", "Relu", "BatchNormalization", "MaxPool", "Conv", "AveragePool", "Transpose"});
    const NodeProto& conv = node_of(g, "Conv");
    REQUIRE(conv.input_size() == 3);
    CHECK(conv.input(1) == "1-conv2d.weights");
    CHECK(conv.input(2) == "1-conv2d.biases");
    const auto& pads = attribute(conv, "pads").ints();
    CHECK(std::vector<long long>(pads.begin(), pads.end()) == std::vector<long long>{1, 0, 1, 1});
    const TensorProto& w = tensor(g, "1-conv2d.weights");
    REQUIRE(extents(w) == std::vector<long long>{3, 2, 3, 2});  // outputs, inputs, height, width
    const std::vector<float> values = elements<float>(w.raw_data());
    const auto own = model.parameter("1-conv2d.weights");
    for (std::size_t o = 0; o < 3; ++o)
        for (std::size_t c = 0; c < 2; ++c)
            for (std::size_t y = 0; y < 3; ++y)
                for (std::size_t x = 0; x < 2; ++x) CHECK(values[((o * 2 + c) * 3 + y) * 2 + x] == own(y, x, c, o));
    CHECK(attribute(node_of(g, "BatchNormalization"), "epsilon").f() == 1e-5f);
}

TEST_CASE("a convolution of volumes is one operator of ONNX") {
    const auto volumes = Input(5, 6, 7, 2) + Conv3D(3, {3, 2, 2}, {.stride = {2, 1, 1}, .padding = {1, 0, 0}});
    const GraphProto g = exported(volumes + SquaredDiff()).graph();
    CHECK(operators(g) == Names{"Transpose", "Conv", "Transpose"});
    const NodeProto& conv = node_of(g, "Conv");
    CHECK(conv.input_size() == 3);
    const auto ints = [&](const char* name) {
        const auto& all = attribute(conv, name).ints();
        return std::vector<long long>(all.begin(), all.end());
    };
    CHECK(ints("strides") == std::vector<long long>{2, 1, 1});
    CHECK(ints("pads") == std::vector<long long>{1, 0, 0, 1, 0, 0});
    CHECK(extents(tensor(g, "1-conv3d.weights")) == std::vector<long long>{3, 2, 3, 2, 2});
}

TEST_CASE("formulas of the library are operators of ONNX") {
    const auto ops = [](const auto& layer) { return operators(exported(Input(6) + layer + SquaredDiff()).graph()); };
    const std::pair<const char*, Tensor (*)(Tensor)> rows[] = {{"Relu", relu},
                                                               {"Sigmoid", sigmoid},
                                                               {"Tanh", tanh},
                                                               {"Softplus", softplus},
                                                               {"Softmax", softmax},
                                                               {"LeakyRelu", leaky_relu},
                                                               {"Elu", elu},
                                                               {"Selu", selu},
                                                               {"Softsign", softsign},
                                                               {"HardSigmoid", hard_sigmoid},
                                                               {"HardSwish", hard_swish},
                                                               {"Clip", relu6}};
    for (const auto& [name, f] : rows) CHECK(ops(Dense(4, f)) == Names{"Gemm", name});
    CHECK(ops(PReLU()) == Names{"PRelu"});
    CHECK(ops(LayerNorm()) == Names{"LayerNormalization"});
    CHECK(ops([](Tensor x) { return log_softmax(x); }) == Names{"LogSoftmax"});
    CHECK(ops([](Tensor x) { return leaky_relu(x, 0.2); }) == Names{"LeakyRelu"});
    CHECK(ops([](Tensor x) { return x + mean(x, axis(1), keep); }) == Names{"ReduceMean", "Add"});
    // What is nearly the same is not taken for it.
    CHECK(ops([](Tensor x) { return max(x, 0.5); }) == Names{"Max"});
    CHECK(ops([](Tensor x) { return where(x > 0.5, x, 0.1 * x); }).back() == "Where");
    const GraphProto g = exported(Input(6) + [](Tensor x) { return leaky_relu(x, 0.2); } + SquaredDiff()).graph();
    CHECK(attribute(g.node(0), "alpha").f() == 0.2f);
}

TEST_CASE("what only depends on numbers is computed before it is written") {
    const GraphProto g = exported(Input(5, 4) + SinusoidalPositions() + SquaredDiff()).graph();
    CHECK(operators(g) == Names{"Add"});
    REQUIRE(g.initializer_size() == 1);
    CHECK(elements<float>(g.initializer(0).raw_data())[1] == 1.0f);  // the cosine of 0
}

TEST_CASE("recurrent layers are operators of ONNX, other loops are Scan") {
    const auto ops = [](const auto& layer) { return operators(exported(Input(5, 4) + layer + SquaredDiff()).graph()); };
    CHECK(ops(GRU(3)) == Names{"Transpose", "GRU", "Squeeze", "Transpose"});
    CHECK(ops(LSTM(3) + Recurrent(2)) == Names{"Transpose", "LSTM", "Squeeze", "RNN", "Squeeze", "Transpose"});
    const Model<DynamicNetwork> model(network(Input(5, 4) + LSTM(3, {.backwards = true}) + SquaredDiff()));
    const GraphProto g = exported(model).graph();
    CHECK(attribute(node_of(g, "LSTM"), "direction").s() == "reverse");
    CHECK(attribute(node_of(g, "LSTM"), "hidden_size").i() == 3);
    const TensorProto& w = tensor(g, "1-lstm.weights");
    REQUIRE(extents(w) == std::vector<long long>{1, 12, 4});
    const std::vector<float> values = elements<float>(w.raw_data());
    const auto own = model.parameter("1-lstm.weights");
    for (std::size_t column = 0; column < 4; ++column) {
        CHECK(values[0 * 4 + column] == own(column, 0));
        CHECK(values[3 * 4 + column] == own(column, 9));   // output gate
        CHECK(values[6 * 4 + column] == own(column, 3));   // forget gate
        CHECK(values[10 * 4 + column] == own(column, 7));  // cell
    }
    const Names loop = ops(
        [](Tensor x) { return scan(x, filled(x, 0, {batch, 4}), [](Tensor now, Tensor h) { return now - 0.5 * h; }); });
    CHECK(loop == Names{"Shape", "Concat", "Expand", "Scan"});
    CHECK(ops(Recurrent(3, relu))[5] == "Scan");
    CHECK(
        operators(exported(Model<DynamicNetwork, double>(network(Input(5, 4) + GRU(3) + SquaredDiff()))).graph())[5] ==
        "Scan");
}

TEST_CASE("states of stateful layers are further inputs and outputs in ONNX") {
    const GraphProto g = exported(Input(5, 4) + LSTM(3, {.backwards = true, .stateful = true}) + SquaredDiff()).graph();
    REQUIRE(g.input_size() == 3);
    CHECK(type_text(g.input(1)) == "1-lstm.h_state: batch 3");
    CHECK(type_text(g.input(2)) == "1-lstm.c_state: batch 3");
    REQUIRE(g.output_size() == 3);
    CHECK(type_text(g.output(0)) == "2-squared_diff: batch 5 3");
    CHECK(type_text(g.output(1)) == "1-lstm.h_state.next: batch 3");
    CHECK(type_text(g.output(2)) == "1-lstm.c_state.next: batch 3");
}

TEST_CASE("weights lie beside an ONNX file where that is wanted") {
    const Scratch folder;
    const Model<DynamicNetwork> model(network(Input(40) + Dense(30) + Dense(2) + SquaredDiff()));
    export_onnx(model, folder / "m.onnx", {.weights_beside = true});
    const ModelProto m = parsed(folder / "m.onnx");
    const TensorProto& w = tensor(m.graph(), "1-dense.weights");
    CHECK_FALSE(w.has_raw_data());
    CHECK(w.data_location() == TensorProto::EXTERNAL);
    REQUIRE(w.external_data_size() == 3);
    CHECK(w.external_data(0).key() == "location");
    CHECK(w.external_data(0).value() == "m.onnx.data");
    CHECK(w.external_data(1).key() == "offset");
    CHECK(w.external_data(2).value() == "4800");
    const std::string all = file_text(folder / "m.onnx.data");
    const std::size_t offset = std::stoul(w.external_data(1).value());
    REQUIRE(all.size() >= offset + 4800);
    CHECK(elements<float>(all.substr(offset, 4800))[31] == model.parameter("1-dense.weights")(1, 1));
    CHECK(tensor(m.graph(), "1-dense.biases").has_raw_data());  // small
    export_onnx(Model<Digits>(), folder / "small.onnx", {.weights_beside = true});
    CHECK(folder.files().size() == 3);
}

TEST_CASE("a model of doubles is one of doubles in ONNX") {
    const ModelProto m = exported(Model<Digits, double>(3));
    CHECK(m.graph().input(0).type().tensor_type().elem_type() == TensorProto::DOUBLE);
    CHECK(tensor(m.graph(), "1-dense.weights").data_type() == TensorProto::DOUBLE);
    CHECK(tensor(m.graph(), "1-dense.weights").raw_data().size() == 12 * 5 * sizeof(double));
}

TEST_CASE("what ONNX cannot say is refused, and no file is written") {
    const Scratch folder;
    const Model<DynamicNetwork> model(
        network(Input(3, 3) + named("solved", [](Tensor x) { return solve(x, x); }) + SquaredDiff()));
    CHECK_THROWS_WITH(export_onnx(model, folder / "m.onnx", {.weights_beside = true}),
                      "export_onnx, layer 'solved': expected operations that ONNX has, found 'lu'");
    CHECK_THROWS_AS(export_onnx(model, folder / "m.onnx"), ArgumentError);
    CHECK(folder.files().empty());
    const Model<Digits> good;
    CHECK_THROWS_AS(export_onnx(good, folder / "no/folder/m.onnx"), StorageError);
    CHECK_THROWS_AS(export_onnx(good, folder / "no/folder/m.onnx", {.weights_beside = true}), StorageError);
    CHECK(folder.files().empty());
}
