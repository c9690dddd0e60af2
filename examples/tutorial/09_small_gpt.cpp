// SPDX-License-Identifier: BSL-1.0
// Tutorial, chapter 9: attention. A small GPT learns to write like Shakespeare, and is saved for chapter 10 as
// gpt.sigma and tokenizer.json.
//   tutorial_09_small_gpt [PICTURE.svg]
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/tokens.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/text/tokenizer.hpp>
#include <sigma/decoding/generate.hpp>
#include <sigma/exchange.hpp>
#include <sigma/sigma.hpp>

#include <cmath>
#include <cstdio>
#include "picture.hpp"

using namespace sigma;

constexpr int vocabulary = 512, positions = 64, width = 64;

// [network]
/// A GPT. With remember = 0 it reads a window of tokens; otherwise one token at a time, and remembers the others.
template <int remember>
struct Gpt : Network<Input(remember == 0 ? positions : 1) + Embedding(vocabulary, width) +
                     LearnedPositions({.remember = remember}) +
                     2 * TransformerBlock(4, 4 * width, {.causal = true, .dropout = 0.1, .remember = remember}) +
                     LayerNorm() + Linear(vocabulary) + SoftmaxCE()> {};
// [network]

int main(int count, char** arguments) {
    return run_main([&] {
        // [tokens]
        const std::string text = data::tiny_shakespeare_beginning();
        const std::string known = text.substr(0, text.size() / 10 * 9), unknown = text.substr(known.size());
        const auto tokenizer = data::SubwordTokenizer::train(known, {.vocabulary_size = vocabulary});
        const auto training =
            data::tokens<positions>(data::memory(known), tokenizer, {.step = positions / 2}) >> data::dataset("known");
        const auto validation = data::tokens<positions>(data::memory(unknown), tokenizer) >> data::dataset("unknown");
        std::printf("%zu tokens; 'the king' is %zu of them\n", tokenizer.size(), tokenizer.encode("the king").size());
        // [tokens]

        // [train]
        Trainer trainer("gpt", Gpt<0>{}, AdamW{.learning_rate = 0.002, .weight_decay = 0.1}, minibatches(training, 16));
        std::vector<double> epochs, losses;
        trainer.add(every(1, epoch).then(score(validation), report(epoch, error, validation_error),
                                         use(validation_error, [&](double v) {
                                             losses.push_back(v);
                                             epochs.push_back(static_cast<double>(losses.size()));
                                         })));
        trainer.run(cpu(), 4);
        // [train]

        // [write]
        Model<Gpt<positions>> writer;
        transfer(trainer.model(), writer);
        const std::string written =
            generate(writer, tokenizer, "ROMEO:\n", {.length = 60, .temperature = 0.8, .top_k = 40, .seed = 1});
        std::printf("ROMEO:\n%s\n", written.c_str());
        // [write]
        // [save]
        save_model(writer, "gpt.sigma", Dtype::bf16);
        tokenizer.save("tokenizer.json");
        // [save]

        if (count > 1) {
            tutorial::Chart chart("A small GPT: loss of a token of new text", "epoch", "loss");
            chart.line("validation", epochs, losses);
            chart.write(arguments[1]);
        }
        return losses.back() < 4.6 ? 0 : 1;  // guessing evenly costs log 512 = 6.24
    });
}
