// SPDX-License-Identifier: BSL-1.0
// Learns Shakespeare character by character with an LSTM, then writes some. With the 99,844 characters that come with
// the library, the perplexity of new text is at most 7; with all 1,115,394 characters, at most 6:
//   11_character_lstm DIRECTORY    (with input.txt of tiny Shakespeare)
#include <sigma/core/run_main.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/text.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/split.hpp>
#include <sigma/decoding/generate.hpp>
#include <sigma/hook/report.hpp>
#include <sigma/hook/score.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/recurrent.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/network/transfer.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/trainer.hpp>

#include <cmath>
#include <cstdio>

using namespace sigma;

constexpr int characters = 65;  // in the whole text; the included beginning has 61

template <bool stateful>
constexpr auto body = Embedding(characters, 24) + LSTM(128, {.stateful = stateful}) + Linear(characters);

/// Predicts the next character at each of 64 positions.
struct Reader : Network<Input(64) + body<false> + SoftmaxCE()> {};
/// The same network for one character at a time. It continues with the state after the previous character.
struct Writer : Network<Input(1) + body<true> + SoftmaxCE()> {};

namespace {

int run(int count, char** arguments) {
    const bool full = count > 1;
    const std::string text = full ? data::tiny_shakespeare(arguments[1]) : data::tiny_shakespeare_beginning();
    const data::Vocabulary vocabulary(text);
    const auto sequences = data::characters<64>(data::memory(text), vocabulary) >> data::dataset("shakespeare");
    const auto [training, validation] = split(sequences, 0.9, 0.1);
    std::printf("training on %zu characters, validating on %zu\n\n%s\n", training.size() * 64, validation.size() * 64,
                summary<Reader>().c_str());

    Trainer trainer("characters", Reader{}, Adam{.learning_rate = 0.005}, minibatches(training, 16));
    trainer.add(
        every(epoch).then(score(validation), report("epoch {:2}  loss {:.3f}, on new text {:.3f}  {:.0f} texts/s",
                                                    epoch, training_loss, validation_loss, samples_per_second)));
    trainer.run(cpu(), full ? 4 : 6);

    Model<Writer> writer;
    transfer(trainer.model(), writer, "*", Transfer::common);  // all parameters; Reader has no state
    const std::string written = generate(writer, vocabulary, "ROMEO:\n", {.length = 400, .seed = 1});
    std::printf("\nROMEO:\n%s\n", written.c_str());

    const double wanted = full ? 6 : 7, perplexity = std::exp(trainer.evaluate(validation).error);
    std::printf("\nperplexity on new text: %.2f\n", perplexity);
    if (perplexity <= wanted) return 0;
    std::printf("the perplexity should be at most %.1f\n", wanted);
    return 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return run(count, arguments); });
}
