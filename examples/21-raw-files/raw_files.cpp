// SPDX-License-Identifier: BSL-1.0
// Handwritten digits from their four raw files, with one expression for training and test data each. `raw_files
// DIRECTORY` reads the published files from DIRECTORY. Without it, the program reads the test images that come with the
// library, and trains on them, too.
#include <sigma/data/data.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include <string>

using namespace sigma;
using namespace sigma::data;

struct Digits : Network<Input(28, 28) + Dense(64, relu) + Dense(10) + SoftmaxCE()> {};

namespace {

/// Reads the images and labels of one part. The number of records is known when the files are read. The compiler knows
/// the extents, 28 x 28 and single numbers, and rejects a network with other inputs or targets.
auto digits(const std::string& directory, const std::string& part) {
    return zip(inputs = idx<28, 28>(file(directory + "/" + part + "-images-idx3-ubyte.gz")),
               targets = idx<>(file(directory + "/" + part + "-labels-idx1-ubyte.gz"))) >>
           normalize(inputs, 0, 255) >> dataset("digits");
}

int run(const std::string& directory, bool all) {
    const auto testing = digits(directory, "t10k");
    const auto training = all ? digits(directory, "train") : testing;
    std::printf("training on %zu digits, testing on %zu\n", training.size(), testing.size());

    Trainer trainer("digits", Digits{}, Adam{.learning_rate = 0.002},
                    minibatches(training, 100) >> augment(inputs, shift(1)) >> prefetch(2));
    trainer.add(every(1, epoch).then(score(testing), report(error, accuracy)));
    trainer.run(cpu(), 3);
    return trainer.evaluate(testing).accuracy > 0.93 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return count > 1 ? run(arguments[1], true) : run(SIGMA_SHARE_DIR "/mnist", false); });
}
