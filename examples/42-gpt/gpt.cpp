// SPDX-License-Identifier: BSL-1.0
// A small GPT: learns its tokens (byte-level BPE) from Shakespeare, then to predict the next token, and writes text one
// position per token. With the 99,844 characters that come with the library, the perplexity per character of new text
// is at most 6.2. A larger network with all 1,115,394 characters:
//   42_gpt EPOCHS WIDTH BLOCKS VOCABULARY DIRECTORY    (with input.txt of tiny Shakespeare)
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/tokens.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/text/tokenizer.hpp>
#include <sigma/decoding/generate.hpp>
#include <sigma/sigma.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace sigma;

namespace {

constexpr int window = 64;  // tokens

// [network]
/// A GPT: for training, all positions of a window at once; for writing, one position that remembers those before.
DynamicNetwork gpt(int vocabulary, int width, int blocks, int remember) {
    const TransformerBlock block(4, 4 * width, {.causal = true, .dropout = 0.1, .remember = remember});
    Layers layers = Input(remember > 0 ? 1 : window);
    layers += Embedding(vocabulary, width) + LearnedPositions({.remember = remember}) + blocks * block;
    layers += LayerNorm() + Linear(vocabulary) + SoftmaxCE();
    return network(layers);
}
// [network]

struct Plan {
    int epochs = 5, width = 64, blocks = 2, vocabulary = 512;
};

int run(const Plan& plan, const std::string& text, bool promised) {
    // [tokens]
    const std::size_t known = text.size() / 10 * 9;
    const std::string read = text.substr(0, known), unread = text.substr(known);
    const auto tokenizer = data::SubwordTokenizer::train(
        read, {.vocabulary_size = static_cast<std::size_t>(plan.vocabulary), .special = {"<|endoftext|>"}});
    const auto training =
        data::tokens<window>(data::memory(read), tokenizer, {.step = window / 2}) >> data::dataset("read");
    const auto validation = data::tokens<window>(data::memory(unread), tokenizer) >> data::dataset("unread");
    // [tokens]
    const double characters = static_cast<double>(unread.size()) / static_cast<double>(tokenizer.encode(unread).size());
    std::printf("%zu tokens, %.2f characters of new text per token\n", tokenizer.size(), characters);
    const auto perplexity = [characters](double loss_of_token) { return std::exp(loss_of_token / characters); };

    const int count = static_cast<int>(tokenizer.size());
    Trainer trainer("gpt", gpt(count, plan.width, plan.blocks, 0), AdamW{.learning_rate = 0.002, .weight_decay = 0.1},
                    minibatches(training, 16));
    trainer.add(every(epoch).then(
        score(validation), compute<"a character">(validation_loss, perplexity),
        report("epoch {:2}  loss of a token {:.3f}, on new text {:.3f}, perplexity of a character {:.2f}", epoch,
               training_loss, validation_loss, value<"a character">)));
    trainer.run(cpu(), plan.epochs);

    // [write]
    Model writer(gpt(count, plan.width, plan.blocks, window));
    transfer(trainer.model(), writer);
    const std::string written = generate(writer, tokenizer, "ROMEO:\n", {.length = 200, .temperature = 0.8, .seed = 1});
    // [write]
    std::printf("\nROMEO:\n%s\n", written.c_str());
    const auto speed = [&](const char* how, const auto& model) {
        const auto begun = std::chrono::steady_clock::now();
        const std::string some = generate(model, tokenizer, "ROMEO:\n", {.length = 50, .seed = 1});
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
        std::printf("%s  %.0f characters/s\n", how, static_cast<double>(some.size()) / took.count());
    };
    speed("all positions for each token:", trainer.model());
    speed("one position a token:", writer);
    const double reached = perplexity(trainer.evaluate(validation).error), wanted = 6.2;
    if (reached <= wanted || !promised) return 0;
    std::printf("the perplexity is %.2f; it should be at most %.1f\n", reached, wanted);
    return 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] {
        Plan plan;
        int* const numbers[] = {&plan.epochs, &plan.width, &plan.blocks, &plan.vocabulary};
        for (int i = 1; i < count && i <= 4; ++i) *numbers[i - 1] = std::atoi(arguments[i]);
        return run(plan, count > 5 ? data::tiny_shakespeare(arguments[5]) : data::tiny_shakespeare_beginning(),
                   count == 1);
    });
}
