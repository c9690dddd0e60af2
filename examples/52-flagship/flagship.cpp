// SPDX-License-Identifier: BSL-1.0
// The network for digits of the earlier Sigma in C# (2017), word by word, and why it hardly learns: the first step of
// Adagrad saturates the sigmoids of the last layer. Without them the network learns, and so it does with the dropout of
// that Sigma, which does not scale. After 200 steps the three networks classify less than 75 %, at least 88 % and at
// least 80 % of the test digits correctly.
//   52_flagship [STEPS]     steps of 100 digits (default: 200)
#include <sigma/data/mnist.hpp>
#include <sigma/sigma.hpp>

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

using namespace sigma;

// [written]
constexpr DenseOptions normal{.weights = gaussian(0.1), .biases = gaussian(0.05)};

struct Written : Network<Input(28, 28) + Dropout(0.2) + Dense(1000, relu, normal) + Dropout(0.4) +
                         Dense(800, relu, normal) + Dropout(0.4) + Dense(10, sigmoid, normal) + SoftmaxCE()> {};
// [written]

// [mended]
struct Mended : Network<Input(28, 28) + Dropout(0.2) + Dense(1000, relu, normal) + Dropout(0.4) +
                        Dense(800, relu, normal) + Dropout(0.4) + Dense(10, normal) + SoftmaxCE()> {};
// [mended]

// [unscaled]
/// Dropout as in 2017: elements that are kept are not multiplied by 1 / (1 - rate).
struct UnscaledDropout : Layer {
    double rate;

    constexpr explicit UnscaledDropout(double rate_) : rate(rate_) {}
    static constexpr Text kind = "dropout";
    constexpr Tensor forward(Context& context, Tensor x) const {
        return context.training() ? where(random_uniform(context, x.shape()) >= rate, x, 0.0) : x;
    }
};
// [unscaled]

struct Unscaled : Network<Input(28, 28) + UnscaledDropout(0.2) + Dense(1000, relu, normal) + UnscaledDropout(0.4) +
                          Dense(800, relu, normal) + UnscaledDropout(0.4) + Dense(10, sigmoid, normal) + SoftmaxCE()> {
};

namespace {

struct Result {
    double accuracy = 0, saturated = 0;  // saturated: after the first step
};

template <class N>
Result learn(const char* title, const data::ImageParts& digits, std::uint64_t steps) {
    std::printf("\n%s\n", title);
    Trainer trainer("digits", N{}, Adagrad{.learning_rate = 0.02}, minibatches(digits.training, 100));
    Result result;
    if constexpr (std::same_as<N, Mended>) {  // without sigmoids, so nothing saturates
        trainer.add(every(100, iteration)
                        .then(report("step {:3}  loss {:5.2f}  zeros {:3.0%}, {:3.0%}", iteration, loss,
                                     share_of_zeros(outputs("2-dense")), share_of_zeros(outputs("4-dense")))));
    } else {
        // [watch]
        const auto watch = report("step {:3}  loss {:5.2f}  zeros {:3.0%}, {:3.0%}  saturated {:3.0%}", iteration, loss,
                                  share_of_zeros(outputs("2-dense")), share_of_zeros(outputs("4-dense")),
                                  share_saturated(outputs("6-dense")));
        trainer.add(at(1, iteration).then(watch), at(2, iteration).then(watch), every(100, iteration).then(watch));
        // [watch]
        trainer.add(
            at(2, iteration).then(use(share_saturated(outputs("6-dense")), [&](double x) { result.saturated = x; })));
    }
    trainer.add(at(steps, iteration).then(stop));
    trainer.run(cpu(1), 1000);
    result.accuracy = trainer.evaluate(digits.testing).accuracy;
    std::printf("%.1f %% of the test digits are correct\n", 100 * result.accuracy);
    return result;
}

int run(std::uint64_t steps) {
    const data::ImageParts digits = data::mnist();
    const Result written = learn<Written>("as written", digits, steps);
    const Result mended = learn<Mended>("without the last sigmoid", digits, steps);
    const Result unscaled = learn<Unscaled>("with dropout that does not scale", digits, steps);
    if (written.saturated > 0.8 && written.accuracy < 0.75 && mended.accuracy >= 0.88 && unscaled.accuracy >= 0.8)
        return 0;
    std::puts(
        "expected more than 80 % of the sigmoids saturated after the first step, and accuracies below 75 %, "
        "at least 88 % and at least 80 %");
    return 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return run(count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 200); });
}
