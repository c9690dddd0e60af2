// SPDX-License-Identifier: BSL-1.0
// Sigma's side of compare_inference.py: predictions of networks that are types, or with --loaded of the same from their
// files. `--write FOLDER` writes the files, Sigma's and ONNX's; `--once FILE` loads one and predicts once.
#include "support/contender.hpp"

#include <sigma/exchange/model_file.hpp>
#include <sigma/network/predictor.hpp>
#include <sigma/onnx.hpp>
#include <sigma/sigma.hpp>

#include <fstream>
#include <memory>
#include <string>

using namespace sigma;
using contender::array;
using contender::Cases;
using contender::Work;

namespace {

struct Mlp : Network<Input(784) + Dense(128, relu) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};
struct Wide : Network<Input(784) + 2 * Dense(1024, relu) + Dense(10) + SoftmaxCE()> {};
struct LeNet : Network<Input(28, 28) + Conv2D(6, 5, relu) + MaxPool(2) + Conv2D(16, 5, relu) + MaxPool(2) +
                       Dense(120, relu) + Dense(84, relu) + Dense(10) + SoftmaxCE()> {};
struct Block
    : Network<Input(64, 128) + TransformerBlock(4, 512, relu, {.pre_norm = false}) + Linear(10) + SquaredDiff()> {};
/// One position at a time.
struct Step : Network<Input(1, 64) + LSTM(128, {.stateful = true}) + Linear(64) + SquaredDiff()> {};

// Of the sizes of sound, one sample at a time, as RTNeural has them; its convolutions are over blocks of samples.
struct Small : Network<Input(1) + 2 * Dense(8, tanh) + Dense(1) + SquaredDiff()> {};
template <int units>
struct Lstm : Network<Input(1, 1) + LSTM(units, {.stateful = true}) + Linear(1) + SquaredDiff()> {};
template <int units>
struct Gru : Network<Input(1, 1) + GRU(units, {.stateful = true}) + Linear(1) + SquaredDiff()> {};
/// 64 samples of 8 channels behind the 6 before them.
struct Filter : Network<Input(70, 8) + Conv1D(8, 7) + SquaredDiff()> {};

bool loaded = false;

template <class N>
std::size_t inputs(std::size_t records) {
    return records * static_cast<std::size_t>(N::input.count());
}
template <class N>
std::size_t outputs(std::size_t records) {
    return records * static_cast<std::size_t>(N::output.count());
}

template <class N, class F>
Work with_model(F f) {
    const Model<N> model(1);
    if (!loaded) return f(model);
    const std::string file = "contender_inference.sigma";
    save_model(model, file);
    const auto again = load_model(file);
    std::remove(file.c_str());
    return f(static_cast<const Model<DynamicNetwork>&>(again));
}

template <class N>
std::function<Work()> batch(std::size_t records) {
    return [=] {
        return with_model<N>([&]<class M>(const Model<M>& model) -> Work {
            const auto predictor = std::make_shared<Predictor<M>>(model);
            const auto x = array(inputs<N>(records), 0, 1), y = array(outputs<N>(records));
            return [=] { predictor->predict(x.get(), y.get(), static_cast<std::ptrdiff_t>(records)); };
        });
    };
}
template <class N>
std::function<Work()> stream() {
    return [] {
        return with_model<N>([&]<class M>(const Model<M>& model) -> Work {
            const auto predictor = std::make_shared<Predictor<M>>(model);
            const auto one = std::make_shared<typename Predictor<M>::Stream>(predictor->stream());
            const auto x = array(inputs<N>(1), 0, 1), y = array(outputs<N>(1));
            return [=] { (void)predictor, one->step({x.get(), inputs<N>(1)}, {y.get(), outputs<N>(1)}); };
        });
    };
}
/// So many that go on side by side.
template <class N>
std::function<Work()> streams(std::size_t count) {
    return [=] {
        return with_model<N>([&]<class M>(const Model<M>& trained) -> Work {
            const auto model = std::make_shared<Model<M>>(trained);
            const auto x = array(inputs<N>(count), 0, 1), y = array(outputs<N>(count));
            return [=] { model->predict(x.get(), y.get(), static_cast<std::ptrdiff_t>(count)); };
        });
    };
}

template <class N>
void write(const std::string& folder, const char* name) {
    const Model<N> model(1);
    const std::string file = sentence(folder, "/", name);
    save_model(model, file + ".sigma");
    const OnnxContents contents = export_onnx(model, file + ".onnx");
    std::ofstream text(file + ".txt");
    for (const auto& i : contents.inputs) text << "input " << i << '\n';
    for (const auto& o : contents.outputs) text << "output " << o << '\n';
}

template <class N>
void add(Cases& cases, const std::string& name, std::initializer_list<std::size_t> batches) {
    for (const std::size_t n : batches) cases[sentence(name, "-", n)] = batch<N>(n);
    cases["latency-" + name] = batch<N>(1);
}
template <class N>
void add_stream(Cases& cases, const std::string& name) {
    cases[name] = cases["latency-" + name] = stream<N>();
}

int once(const std::string& file) {
    const Predictor predictor{static_cast<const Model<DynamicNetwork>&>(load_model(file))};
    const auto& records = predictor.model().records;
    std::vector<float> x(static_cast<std::size_t>(records.inputs[0].count()), 0.5f),
        y(static_cast<std::size_t>(records.costs[0].prediction.count()));
    predictor.predict(x.data(), y.data(), 1);
    return y[0] == y[0] ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string option = count > 1 ? arguments[1] : "";
    if (option == "--once") return once(arguments[2]);
    if (option == "--write") {
        const std::string folder = arguments[2];
        write<Mlp>(folder, "mlp"), write<Wide>(folder, "wide"), write<LeNet>(folder, "lenet");
        write<Block>(folder, "transformer"), write<Step>(folder, "step"), write<Small>(folder, "dense-8");
        write<Lstm<8>>(folder, "lstm-8"), write<Lstm<16>>(folder, "lstm-16"), write<Lstm<24>>(folder, "lstm-24");
        write<Lstm<32>>(folder, "lstm-32"), write<Gru<8>>(folder, "gru-8"), write<Gru<16>>(folder, "gru-16");
        write<Gru<24>>(folder, "gru-24"), write<Gru<32>>(folder, "gru-32"), write<Filter>(folder, "conv1d");
        return 0;
    }
    loaded = option == "--loaded";
    Cases cases;
    add<Mlp>(cases, "mlp", {1, 8, 64, 256, 1024});
    add<Wide>(cases, "wide", {1, 8, 64, 256, 1024});
    add<LeNet>(cases, "lenet", {1, 8, 64, 256, 1024});
    add<Block>(cases, "transformer", {1, 8, 64});
    add_stream<Step>(cases, "step");
    cases["step-64"] = streams<Step>(64);
    add<Small>(cases, "dense-8", {1});
    add_stream<Lstm<8>>(cases, "lstm-8"), add_stream<Lstm<16>>(cases, "lstm-16");
    add_stream<Lstm<24>>(cases, "lstm-24"), add_stream<Lstm<32>>(cases, "lstm-32");
    add_stream<Gru<8>>(cases, "gru-8"), add_stream<Gru<16>>(cases, "gru-16");
    add_stream<Gru<24>>(cases, "gru-24"), add_stream<Gru<32>>(cases, "gru-32");
    add<Filter>(cases, "conv1d", {1});
    return contender::serve(cases, sentence("Sigma", loaded ? ", models from files" : ", models as types"));
}
