// SPDX-License-Identifier: BSL-1.0
// A table of numbers and a category: classifies fruits by diameter, weight and colour, at least 85 % of the test fruits
// correctly. The numbers are standardized, and the colour becomes one number for each possible colour. A model that
// loads the parameters classifies one raw record.
#include <sigma/data/data.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/parameters_file.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

using namespace sigma;
using namespace sigma::data;

// [network]
struct Fruits : Network<(named("numbers", Input(2)) & named("colour", Input(3))) + Concatenate() + Dense(16, tanh) +
                        Dense(3) + SoftmaxCE()> {};
// [network]

namespace {

// Apples come in all colours, lemons are rarely red, tomatoes never yellow; sizes overlap.
void write_fruits(const std::string& table) {
    struct Kind {
        const char* name;
        unsigned diameter, weight;
        const char* colours[4];
    };
    const Kind kinds[]{{"apple", 74, 170, {"green", "yellow", "red", "red"}},
                       {"lemon", 58, 110, {"yellow", "yellow", "yellow", "green"}},
                       {"tomato", 62, 130, {"red", "red", "red", "green"}}};
    std::mt19937 random(1);
    const auto about = [&](unsigned value) { return value * (90 + random() % 21 + random() % 21 - 20) / 90; };
    std::ofstream to(table);
    to << "diameter,weight,colour,kind\n";
    for (int i = 0; i < 600; ++i) {
        const Kind& kind = kinds[i % 3];
        to << about(kind.diameter) << ',' << about(kind.weight) << ',' << kind.colours[random() % 4] << ',' << kind.name
           << '\n';
    }
}

int run(const std::string& table, const std::string& saved) {
    // [read]
    const auto fruits =
        csv(file(table), {.header = true}) >>
        sections(input<"numbers"> = columns<0, 1>(), input<"colour"> = labels("colour", {"green", "yellow", "red"}),
                 targets = labels("kind", {"apple", "lemon", "tomato"})) >>
        one_hot<3>(input<"colour">) >> dataset("fruits");
    const auto [some, others] = stratified_split(shuffled(fruits, 7), 0.8, 0.2);
    const Preprocessing standardized =
        fitted(standardize(input<"numbers">), some);  // learned from the training records only
    const auto training = some >> standardized, testing = others >> standardized;
    // [read]

    Trainer trainer("fruits", Fruits{}, Adam{.learning_rate = 0.01}, minibatches(training, 16));
    trainer.run(cpu(), 40);
    const double right = trainer.evaluate(testing).accuracy;
    std::printf("%.1f %% of %zu fruits are right\n", 100 * right, testing.size());

    // [store]
    save_parameters(trainer.model(), saved,
                    training.preprocessing());  // with the one-hot colours and the standardization

    Model<Fruits> model;
    load_parameters(model, saved);
    const Preprocessing stored = Preprocessing::load(saved);
    const Array<float> numbers{{57, 108}};  // diameter and weight of one fruit, (1, 2)
    const Array<float> colour{1};           // yellow, (1)
    const Array<float> probabilities = model.predict(stored(numbers, "numbers"), stored(colour, "colour"));
    // [store]
    for (std::size_t kind = 0; kind < 3; ++kind)
        std::printf("%-8s %5.1f %%\n", testing.classes()[kind].c_str(),
                    100 * static_cast<double>(probabilities(0, kind)));
    return right > 0.85 && probabilities(0, 1) > 0.5f ? 0 : 1;
}

}  // namespace

int main() {
    const auto directory = std::filesystem::temp_directory_path();
    const auto table = directory / "sigma-example-25.csv", saved = directory / "sigma-example-25.safetensors";
    const int result = run_main([&] {
        write_fruits(table.string());
        return run(table.string(), saved.string());
    });
    std::filesystem::remove(table);
    std::filesystem::remove(saved);
    return result;
}
