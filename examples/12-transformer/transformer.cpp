// SPDX-License-Identifier: BSL-1.0
// A small transformer that learns to write like Shakespeare, character by character. With the 99,844 characters that
// come with the library, the perplexity of new text is at most 8; with all 1,115,394 characters, at most 6.5:
//   12_transformer DIRECTORY    (with input.txt of tiny Shakespeare)
#include <sigma/core/run_main.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/text.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/data/split.hpp>
#include <sigma/decoding/generate.hpp>
#include <sigma/hook/compute.hpp>
#include <sigma/hook/report.hpp>
#include <sigma/hook/score.hpp>
#include <sigma/layer/dense.hpp>
#include <sigma/layer/embedding.hpp>
#include <sigma/layer/positions.hpp>
#include <sigma/layer/softmax_ce.hpp>
#include <sigma/layer/transformer_block.hpp>
#include <sigma/network/graph.hpp>
#include <sigma/optimizer/adam.hpp>
#include <sigma/trainer/trainer.hpp>

#include <cmath>
#include <cstdio>

using namespace sigma;

constexpr int characters = 65;  // in the whole text; the included beginning has 61
constexpr int length = 64;      // number of characters that it attends to

/// Predicts the next character at each of 64 positions from all characters up to it.
struct Reader
    : Network<Input(length) + Embedding(characters, 64) + LearnedPositions() +
              2 * TransformerBlock(4, 128, {.causal = true}) + LayerNorm() + Linear(characters) + SoftmaxCE()> {};

namespace {

int run(int count, char** arguments) {
    const bool full = count > 1;
    const std::string text = full ? data::tiny_shakespeare(arguments[1]) : data::tiny_shakespeare_beginning();
    const data::Vocabulary vocabulary(text);
    const auto sequences = data::characters<length>(data::memory(text), vocabulary) >> data::dataset("shakespeare");
    const auto [training, validation] = split(sequences, 0.9, 0.1);
    std::printf("training on %zu characters, validating on %zu\n\n%s\n", training.size() * length,
                validation.size() * length, summary<Reader>().c_str());

    Trainer trainer("transformer", Reader{}, Adam{.learning_rate = 0.003}, minibatches(training, 8));
    const auto perplexity = [](double loss_of_text) { return std::exp(loss_of_text); };
    trainer.add(every(epoch).then(score(validation), compute<"perplexity">(training_loss, perplexity),
                                  compute<"on new text">(validation_loss, perplexity),
                                  report("epoch {:2}  perplexity {:6.2f}, on new text {:6.2f}  {:.0f} texts/s", epoch,
                                         value<"perplexity">, value<"on new text">, samples_per_second)));
    trainer.run(cpu(), full ? 4 : 5);

    const std::string written = generate(trainer.model(), vocabulary, "ROMEO:\n", {.length = 400, .seed = 1});
    std::printf("\nROMEO:\n%s\n", written.c_str());

    const double wanted = full ? 6.5 : 8;
    if (perplexity(trainer.evaluate(validation).error) <= wanted) return 0;
    std::printf("the perplexity should be at most %.1f\n", wanted);
    return 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return run(count, arguments); });
}
