// SPDX-License-Identifier: BSL-1.0
// Writes models and what they predict, for a program in C: `inputs` and `outputs` of so many records, number by number.
//   c_abi_models DIRECTORY
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/exchange/model_file.hpp>
#include <sigma/sigma.hpp>
#include <sigma/storage/file.hpp>

#include <span>
#include <string>
#include <vector>

using namespace sigma;

namespace {

constexpr int records = 4;
std::string directory;

void write_file(const std::string& name, const std::string& text) {
    AtomicFile file(directory + "/" + name);
    file.write(std::as_bytes(std::span<const char>(text)));
    file.commit();
}

void write(const std::string& name, const Model<DynamicNetwork>& model, const data::Preprocessing& preprocessing) {
    save_model(model, directory + "/" + name + ".sigma", preprocessing);
    const detail::NetworkTable& table = model.definition().made().table();
    std::vector<std::vector<float>> inputs, outputs;
    std::vector<const float*> from;
    std::vector<float*> to;
    std::string text = sentence(records, "\n");
    unsigned state = 1;
    for (const Shape& s : table.inputs) {
        std::vector<float>& x = inputs.emplace_back(static_cast<std::size_t>(s.count() * records));
        for (float& e : x) e = static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) / 8388608.0f - 1;
    }
    for (const detail::CostRecord& c : table.costs)
        outputs.emplace_back(static_cast<std::size_t>(c.prediction.count() * records));
    for (const auto& x : inputs) from.push_back(x.data());
    for (auto& y : outputs) to.push_back(y.data());
    if (table.states.empty()) {
        model.predict_anew(from, to, records);
    } else {  // one after the other
        const Predictor predictor(model);
        auto stream = predictor.stream();
        const auto in = static_cast<std::size_t>(table.inputs[0].count());
        const auto out = static_cast<std::size_t>(table.costs[0].prediction.count());
        for (std::size_t r = 0; r < records; ++r) stream.step({from[0] + r * in, in}, {to[0] + r * out, out});
    }
    for (const auto& list : {inputs, outputs})
        for (const auto& numbers : list)
            for (const float x : numbers) text += sentence(x, "\n");
    write_file(name + ".txt", text);
}

int run(int count, char** arguments) {
    if (count != 2) return 2;
    directory = arguments[1];
    write("dense", Model(network(Input(2, 3) + Dense(5, relu) + Dense(3) + SoftmaxCE()), 1), {});
    write("costs",
          Model(network((Input(4) & named("side", Input(2))) + Concatenate() + Dense(5, tanh) +
                        Costs(Dense(2) + SoftmaxCE(), named("price", Dense(1) + SquaredDiff()))),
                2),
          {});
    write("stateful",
          Model(network(Input(1, 3) + GRU(4, {.last = true, .stateful = true}) + Dense(2) + SquaredDiff()), 3), {});
    const Dataset raw = data::iris(), iris = raw >> data::standardize(data::inputs);
    Trainer trainer("iris", network(Input(4) + Dense(8, tanh) + Dense(3) + SoftmaxCE()), Adam{.learning_rate = 0.03},
                    minibatches(iris, 10), element<float>, 1);
    trainer.run({.epochs = 20, .device = cpu(1), .quiet = true});
    write("iris", trainer.model(), iris.preprocessing());
    // Of sigma-model predict: numbers in the units of their targets, and targets that have no way back.
    const Model prices(network(Input(4) + Dense(1) + SquaredDiff()), 4);
    save_model(prices, directory + "/prices.sigma", fitted(data::normalize(data::targets, 100, 300), raw));
    save_model(prices, directory + "/no-way-back.sigma", fitted(data::one_hot(data::targets, 3), raw));
    save_model(prices, directory + "/function.sigma",
               fitted(data::apply(data::inputs, "half", [](float x) { return x / 2; }), raw));
    Model named(network(Input(4) + Dense(3) + SoftmaxCE()), 5);
    named.set_classes({"a, b", "\"c\"", "d\ne"});
    save_model(named, directory + "/names.sigma");
    std::string flowers;
    for (std::size_t r = 0; r < raw.size(); ++r) {
        for (const float x : raw.input(r)) flowers += sentence(x, " ");
        flowers += sentence(raw.label(r), "\n");
    }
    write_file("flowers.txt", flowers);
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return run(count, arguments); });
}
