// SPDX-License-Identifier: BSL-1.0
// A text as sequences: predicts each next character of Shakespeare. `corpus FILE` reads another text, compressed or
// not.
#include <sigma/data/data.hpp>
#include <sigma/sigma.hpp>

#include <cmath>
#include <cstdio>

using namespace sigma;
using namespace sigma::data;

constexpr int most_characters = 128;

/// Predicts the next character at each of sixteen positions.
struct Guesser
    : Network<Input(16) + Embedding(most_characters, 12) + Recurrent(64) + Linear(most_characters) + SoftmaxCE()> {};

namespace {

int run(const Source& source) {
    const Vocabulary vocabulary(source);
    if (vocabulary.size() > most_characters) {
        std::fprintf(stderr, "the text has %zu different characters, the network accepts %d\n", vocabulary.size(),
                     most_characters);
        return 2;
    }
    // Record r has the characters 16 r to 16 r + 15. Its targets begin one character later. The split keeps the order,
    // so that training never sees the validation text.
    const auto text = characters<16>(source, vocabulary) >> dataset("corpus");
    const auto [training, validation] = split(text, 0.95, 0.05);
    std::printf("%zu sequences, %zu characters in the vocabulary\n", text.size(), vocabulary.size());

    Trainer trainer("guesser", Guesser{}, Adam{.learning_rate = 0.005}, minibatches(training, 50));
    trainer.add(every(1, epoch).then(report(error)));
    trainer.run(cpu(), 3);
    return std::exp(trainer.evaluate(validation).error) < 12 ? 0 : 1;  // perplexity; a guess among 61 characters has 61
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] {
        return run(unpacked(file(count > 1 ? arguments[1] : SIGMA_SHARE_DIR "/tinyshakespeare/beginning.txt")));
    });
}
