// SPDX-License-Identifier: BSL-1.0
// Tutorial, chapter 3: a network learns from a CSV file.
//   tutorial_03_own_data [PICTURE.svg]
#include <sigma/data/data.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/terminal.hpp>

#include <cstdio>
#include "picture.hpp"

using namespace sigma;
using namespace sigma::data;

// [network]
struct Iris : Network<Input(4) + Dense(16, tanh) + Dense(3) + SoftmaxCE()> {};
// [network]

int main(int count, char** arguments) {
    return run_main([&] {
        // [read]
        const auto flowers = csv(file(SIGMA_SHARE_DIR "/iris/iris.data")) >>
                             sections(inputs = columns<0, 3>(), targets = labels(4)) >> dataset("iris");
        std::printf("%zu flowers, the first: %g %g %g %g, %s\n", flowers.size(),
                    static_cast<double>(flowers.input(0)[0]), static_cast<double>(flowers.input(0)[1]),
                    static_cast<double>(flowers.input(0)[2]), static_cast<double>(flowers.input(0)[3]),
                    flowers.classes()[flowers.label(0)].c_str());
        // [read]

        // [prepare]
        const auto [some, others] = stratified_split(shuffled(flowers, 7), 0.8, 0.2);
        const Preprocessing standardized = fitted(standardize(inputs), some);  // learns from the training part
        const auto training = some >> standardized, testing = others >> standardized;
        // [prepare]

        // [train]
        Trainer trainer("iris", Iris{}, Adam{.learning_rate = 0.01}, minibatches(training, 16));
        const Confusion confusion;
        trainer.add(every(10, epoch).then(report("epoch {:2}  loss {:.4f}", epoch, training_loss)),
                    every(epoch).then(score(testing, confusion)), at(stop).then(confusion_matrix(confusion)));
        trainer.run(cpu(), 50);
        // [train]

        // [predict]
        const Array<float> measured{{6.1f, 2.8f, 4.7f, 1.2f}};  // one flower, in centimetres
        const Classified kind = trainer.classify(standardized(measured));
        std::printf("the flower is %s\n", kind.name(0).c_str());
        // [predict]

        if (count > 1) {
            tutorial::Chart chart("Petals of 150 flowers", "length", "width");
            for (std::size_t c = 0; c < 3; ++c) {
                std::vector<double> x, y;
                for (std::size_t i = 0; i < flowers.size(); ++i)
                    if (static_cast<std::size_t>(flowers.label(i)) == c) {
                        x.push_back(static_cast<double>(flowers.input(i)[2]));
                        y.push_back(static_cast<double>(flowers.input(i)[3]));
                    }
                chart.points(flowers.classes()[c], x, y);
            }
            chart.write(arguments[1]);
        }
        return confusion.matrix().accuracy() > 0.9 ? 0 : 1;
    });
}
