// SPDX-License-Identifier: BSL-1.0
// A loop of your own, as programs of libtorch have it: a convolutional network learns digits minibatch by minibatch,
// with a learning rate that the loop sets. At least 95 % of the test digits must be correct.
//   51_own_loop [FILE]     the trained model is written to FILE (default: a temporary file)
#include <sigma/data/mnist.hpp>
#include <sigma/exchange.hpp>
#include <sigma/execution/batch_trainer.hpp>
#include <sigma/sigma.hpp>

#include <cstdio>
#include <filesystem>
#include <string>

using namespace sigma;

// In libtorch: a class derived from torch::nn::Module, whose forward() is checked when it runs.
struct Digits : Network<Input(28, 28) + Conv2D(8, 5, relu) + MaxPool(2) + Conv2D(16, 5, relu) + MaxPool(2) +
                        Dense(64, relu) + Dense(10) + SoftmaxCE()> {};

namespace {

int run(const std::string& saved) {
    const auto [training, testing, whole] = data::mnist();
    const auto batches = minibatches(training, 64);

    Model<Digits> model(1);                                  // 1: the seed of the parameters
    BatchTrainer loop{model, Adam{.learning_rate = 0.002}};  // torch::optim::Adam

    for (unsigned epoch = 0; epoch < 4; ++epoch) {
        double sum = 0;
        int count = 0;
        loop.optimizer.learning_rate = 0.002 / (1 + epoch);
        for (const Batch& batch : epoch_of(batches, epoch)) {
            sum += loop.train_on_batch(batch);  // zero_grad, forward, loss, backward and step
            ++count;
        }
        std::printf("epoch %u   loss %.4f   accuracy %.2f %%\n", epoch + 1, sum / count,
                    100 * model.evaluate(testing).accuracy);
    }

    save_model(model, saved, training);  // torch::save, with the network itself
    const auto again = load_model(saved);
    const double accuracy = again.evaluate(testing).accuracy;
    std::printf("from the file: %.2f %% of %zu digits are correct\n", 100 * accuracy, testing.size());
    return accuracy >= 0.95 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] {
        const auto temporary = std::filesystem::temp_directory_path() / "sigma-example-51.sigma";
        return run(count > 1 ? arguments[1] : temporary.string());
    });
}
