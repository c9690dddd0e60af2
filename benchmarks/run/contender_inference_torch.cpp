// SPDX-License-Identifier: BSL-1.0
// libtorch's side of compare_inference.py: its modules in InferenceMode. `--write FOLDER` saves them, `--once FILE`
// loads one and predicts once.
#include "support/contender.hpp"

#include <torch/torch.h>

#include <filesystem>
#include <string>

using contender::Cases;
using contender::Work;
using torch::Tensor;
namespace nn = torch::nn;

namespace {

nn::Sequential perceptron(std::initializer_list<int> sizes, bool tanh = false) {
    nn::Sequential all;
    for (auto i = sizes.begin(); i + 1 != sizes.end(); ++i) {
        all->push_back(nn::Linear(i[0], i[1]));
        if (i + 2 == sizes.end()) break;
        if (tanh) all->push_back(nn::Tanh());
        else all->push_back(nn::ReLU());
    }
    return all;
}
nn::Sequential softmaxed(nn::Sequential all) {
    all->push_back(nn::Softmax(1));
    return all;
}
nn::Sequential lenet() {
    return softmaxed(nn::Sequential(nn::Conv2d(nn::Conv2dOptions(1, 6, 5)), nn::ReLU(), nn::MaxPool2d(2),
                                    nn::Conv2d(nn::Conv2dOptions(6, 16, 5)), nn::ReLU(), nn::MaxPool2d(2),
                                    nn::Flatten(), nn::Linear(256, 120), nn::ReLU(), nn::Linear(120, 84), nn::ReLU(),
                                    nn::Linear(84, 10)));
}

/// (time, batch, 128), as it takes them.
struct BlockImpl : nn::Module {
    nn::TransformerEncoderLayer block{nullptr};
    nn::Linear out{nullptr};
    BlockImpl() {
        block = register_module(
            "block",
            nn::TransformerEncoderLayer(nn::TransformerEncoderLayerOptions(128, 4).dim_feedforward(512).dropout(0.0)));
        out = register_module("out", nn::Linear(128, 10));
    }
    Tensor forward(const Tensor& x) { return out(block(x)); }
};
TORCH_MODULE(Block);

/// One step of a cell and a layer on it, from states that the caller keeps.
template <class Cell, class Options>
struct StepImpl : nn::Cloneable<StepImpl<Cell, Options>> {
    int in, units, results;
    Cell cell{nullptr};
    nn::Linear out{nullptr};
    StepImpl(int i, int u, int r) : in(i), units(u), results(r) { reset(); }
    void reset() override {
        cell = this->register_module("cell", Cell(Options(in, units)));
        out = this->register_module("out", nn::Linear(units, results));
    }
};
using LstmStep = StepImpl<nn::LSTMCell, nn::LSTMCellOptions>;
using GruStep = StepImpl<nn::GRUCell, nn::GRUCellOptions>;

Work step(const std::shared_ptr<LstmStep>& m, long count) {
    const auto x = torch::rand({count, m->in});
    auto states = std::tuple(torch::zeros({count, m->units}), torch::zeros({count, m->units}));
    return [=]() mutable {
        const c10::InferenceMode guard;
        states = m->cell(x, states);
        const Tensor y = m->out(std::get<0>(states));
        contender::keep(&y);
    };
}
Work step(const std::shared_ptr<GruStep>& m, long count) {
    const auto x = torch::rand({count, m->in});
    auto state = torch::zeros({count, m->units});
    return [=]() mutable {
        const c10::InferenceMode guard;
        state = m->cell(x, state);
        const Tensor y = m->out(state);
        contender::keep(&y);
    };
}
template <class M>
Work call(M module, const std::vector<int64_t>& extents) {
    module->eval();
    const auto x = torch::rand(extents);
    return [=]() mutable {
        const c10::InferenceMode guard;
        const Tensor y = module->forward(x);
        contender::keep(&y);
    };
}

nn::Sequential mlp() { return softmaxed(perceptron({784, 128, 64, 10})); }
nn::Sequential wide() { return softmaxed(perceptron({784, 1024, 1024, 10})); }

void add(Cases& cases, const std::string& name, const std::vector<int64_t>& record, std::vector<long> batches,
         nn::Sequential (*make)()) {
    const auto of = [=](long n) {
        std::vector<int64_t> extents{n};
        extents.insert(extents.end(), record.begin(), record.end());
        return [=] { return call(make(), extents); };
    };
    for (const long n : batches) cases[name + "-" + std::to_string(n)] = of(n);
    cases["latency-" + name] = of(1);
}
template <class Step>
void add_step(Cases& cases, const std::string& name, int in, int units, int out) {
    cases[name] = cases["latency-" + name] = [=] { return step(std::make_shared<Step>(in, units, out), 1); };
    if (in > 1) cases[name + "-64"] = [=] { return step(std::make_shared<Step>(in, units, out), 64); };
}

template <class M>
int load(M module, const std::string& file, const std::vector<int64_t>& extents) {
    torch::load(module, file);
    call(module, extents)();
    return 0;
}
int once(const std::string& file) {
    const std::string name = std::filesystem::path(file).stem();
    if (name == "mlp") return load(mlp(), file, {1, 784});
    if (name == "wide") return load(wide(), file, {1, 784});
    if (name == "lenet") return load(lenet(), file, {1, 1, 28, 28});
    if (name == "transformer") return load(Block(), file, {64, 1, 128});
    return 2;
}

}  // namespace

int main(int count, char** arguments) {
    torch::set_num_threads(1);
    torch::manual_seed(1);
    const std::string option = count > 1 ? arguments[1] : "";
    if (option == "--once") return once(arguments[2]);
    if (option == "--write") {
        const std::string folder = arguments[2];
        torch::save(mlp(), folder + "/mlp.pt"), torch::save(wide(), folder + "/wide.pt");
        torch::save(lenet(), folder + "/lenet.pt"), torch::save(Block(), folder + "/transformer.pt");
        return 0;
    }
    Cases cases;
    add(cases, "mlp", {784}, {1, 8, 64, 256, 1024}, mlp);
    add(cases, "wide", {784}, {1, 8, 64, 256, 1024}, wide);
    add(cases, "lenet", {1, 28, 28}, {1, 8, 64, 256, 1024}, lenet);
    for (const long n : {1, 8, 64})
        cases["transformer-" + std::to_string(n)] = [n] { return call(Block(), {64, n, 128}); };
    cases["latency-transformer"] = cases["transformer-1"];
    add_step<LstmStep>(cases, "step", 64, 128, 64);
    add(cases, "dense-8", {1}, {1}, [] { return perceptron({1, 8, 8, 1}, true); });
    for (const int units : {8, 16, 24, 32}) {
        add_step<LstmStep>(cases, "lstm-" + std::to_string(units), 1, units, 1);
        add_step<GruStep>(cases, "gru-" + std::to_string(units), 1, units, 1);
    }
    add(cases, "conv1d", {8, 70}, {1}, [] { return nn::Sequential(nn::Conv1d(nn::Conv1dOptions(8, 8, 7))); });
    return contender::serve(cases, "libtorch " TORCH_VERSION);
}
