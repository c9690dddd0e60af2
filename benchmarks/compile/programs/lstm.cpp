// SPDX-License-Identifier: BSL-1.0
// A reader of text, character by character, with a hook.
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/text.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/sigma.hpp>

using namespace sigma;

struct Reader : Network<Input(64) + Embedding(65, 24) + LSTM(128) + Linear(65) + SoftmaxCE()> {};

int main() {
    const data::Source text = data::memory(data::tiny_shakespeare_beginning());
    const data::Vocabulary vocabulary(text);
    const auto sequences = data::characters<64>(text, vocabulary) >> data::dataset("shakespeare");
    const auto [training, validation] = split(sequences, 0.9, 0.1);
    Trainer trainer("reader", Reader{}, Adam{.learning_rate = 0.005}, minibatches(training, 16));
    trainer.add(every(1, epoch).then(score(validation), report(epoch, error, validation_error)));
    trainer.run(cpu(1), 1);
}
