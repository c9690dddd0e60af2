// SPDX-License-Identifier: BSL-1.0
// Predicts the next word of a text with an LSTM, in the format of the Penn Treebank: words between blanks, a sentence
// on each line, <unk> for rare words. The perplexity of new text is at most 0.7 times that of the frequencies of words.
//   64_words DIRECTORY    (with ptb.train.txt and ptb.valid.txt)
// Without a directory, it brings the beginning of tiny Shakespeare into this format.
#include <sigma/core/run_main.hpp>
#include <sigma/data/pipeline/dataset.hpp>
#include <sigma/data/reader/text.hpp>
#include <sigma/data/ready.hpp>
#include <sigma/data/source/source.hpp>
#include <sigma/sigma.hpp>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace sigma;

constexpr int length = 20;

struct Reader : Network<Input(length) + Embedding(dim<"words">, 64) + Dropout(0.3) + LSTM(96) + Dropout(0.3) +
                        Linear(dim<"words">) + SoftmaxCE()> {};

namespace {

/// Ends each line with the word <eos>, as is usual for this format.
std::string with_ends(const std::string& lines) {
    std::string text;
    for (const char c : lines) c == '\n' ? text += " <eos> " : text += c;
    return text;
}
/// Returns words of letters in lower case between blanks, a line for each line that has some.
std::string formatted(const std::string& prose) {
    std::string lines;
    for (const char c : prose) {
        const bool begins_line = lines.empty() || lines.back() == '\n';
        if (c >= 'A' && c <= 'Z') lines += static_cast<char>(c - 'A' + 'a');
        else if ((c >= 'a' && c <= 'z') || c == '\'') lines += c;
        else if (!begins_line) lines += c == '\n' ? '\n' : ' ';
    }
    return lines;
}
std::string text_of(const std::string& file) {
    const std::vector<std::byte> bytes = data::read_all(data::file(file));
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Returns the perplexity of a text for the frequencies of words in another one, each word once more than it occurs.
double perplexity_of_frequencies(const data::Vocabulary& words, const std::string& training, const std::string& text) {
    std::vector<double> counts(words.size(), 1);
    double all = static_cast<double>(words.size()), sum = 0;
    for (const auto word : words.encode(training)) counts[static_cast<std::size_t>(word)] += 1, all += 1;
    const auto found = words.encode(text);
    for (const auto word : found) sum -= std::log(counts[static_cast<std::size_t>(word)] / all);
    return std::exp(sum / static_cast<double>(found.size()));
}

int run(int count, char** arguments) {
    std::string training, validation;
    if (count > 1) {
        training = with_ends(text_of(std::string(arguments[1]) + "/ptb.train.txt"));
        validation = with_ends(text_of(std::string(arguments[1]) + "/ptb.valid.txt"));
    } else {
        const std::string lines = with_ends(formatted(data::tiny_shakespeare_beginning()));
        const std::size_t cut = lines.rfind("<eos>", lines.size() * 9 / 10) + 5;
        training = lines.substr(0, cut), validation = lines.substr(cut);
    }
    const data::Vocabulary words(
        data::memory(training),
        {.unit = data::Unit::spaced_word, .min_count = count > 1 ? 1u : 3u, .special = {"<unk>", "<eos>"}});
    const auto sequences = [&](const std::string& text, std::size_t step) {
        return data::words<length>(data::memory(text), words, {.step = step}) >> data::dataset("words");
    };
    const Dataset learned = sequences(training, length), unseen = sequences(validation, length);

    Trainer trainer("words", Reader{dim<"words"> = static_cast<int>(words.size())}, Adam{.learning_rate = 0.004},
                    minibatches(learned, 20));
    trainer.add(every(epoch).then(score(unseen), report(epoch, training_loss, validation_loss)));
    trainer.run(cpu(), 12);

    const double of_network = std::exp(trainer.evaluate(unseen).error),
                 of_frequencies = perplexity_of_frequencies(words, training, validation);
    std::printf("%zu words; perplexity of new text %.0f, by the frequencies of words %.0f\n", words.size(), of_network,
                of_frequencies);
    return of_network <= 0.7 * of_frequencies ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] { return run(count, arguments); });
}
