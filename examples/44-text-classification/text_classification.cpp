// SPDX-License-Identifier: BSL-1.0
// Classifies texts of a table: short reviews of restaurants, at least 95 % of the test reviews correctly. Reviews may
// contain "not bad", so single words do not decide. The program makes the two tables itself.
#include <sigma/data/data.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/parameters_file.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

using namespace sigma;
using namespace sigma::data;

// [network]
constexpr std::size_t longest = 16;                             // words of a text; further words are cut off
constexpr int most_words = 1000;                                // words of the vocabulary
constexpr auto mask_of = [](auto words) { return words > 0; };  // the mask: 0 at <pad>, which is word 0

struct Reviews : Network<Input(longest) + Fork(Embedding(most_words, 16), mask_of) + GRU(32, {.last = true}) +
                         Dense(2) + SoftmaxCE()> {};
// [network]

namespace {

// [encode]
/// Returns the numbers of the words of each text: (texts, longest), filled up with <pad>.
Array<float> numbers_of(const std::vector<std::string>& texts, const Vocabulary& vocabulary) {
    auto numbers = Array<float>::from_shape({texts.size(), longest});  // zeros, so <pad>
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::vector<std::size_t> words = vocabulary.encode(texts[i]);
        for (std::size_t t = 0; t < std::min(words.size(), longest); ++t) numbers(i, t) = static_cast<float>(words[t]);
    }
    return numbers;
}
// [encode]

// [dataset]
/// Reads a table with the columns `text` and `verdict`.
auto read_reviews(const std::string& path, const Vocabulary& vocabulary) {
    const std::vector<std::string> classes{"bad", "good"};
    const TableValues table = read_table(file(path), {.header = true});
    std::vector<float> targets;
    for (const std::string& verdict : table["verdict"].texts) {
        const auto found = std::ranges::find(classes, verdict);
        if (found == classes.end()) throw DataError(path, "", "'bad' or 'good'", verdict);
        targets.push_back(static_cast<float>(found - classes.begin()));
    }
    return make_dataset(numbers_of(table["text"].texts, vocabulary), Array<float>({table.records}, targets), "reviews",
                        classes);
}
// [dataset]

/// Writes reviews such as "The soup was not bad, and we were hungry." with their verdicts.
void write_reviews(const std::string& path, int records, unsigned seed) {
    const std::array dishes{"soup", "pasta", "fish", "salad", "coffee", "service", "music", "cake"};
    const std::array degrees{"", "really ", "very ", "rather ", "so "};
    const std::array good{"good", "great", "delicious", "excellent", "lovely", "perfect"};
    const std::array bad{"bad", "awful", "cold", "terrible", "bland", "slow"};
    const std::array begins{"The ", "I think the ", "On Sunday the ", "We all found that the "};
    const std::array ends{".", ", and we were hungry.", ", believe me!", ", as the \"\"guide\"\" says."};
    std::mt19937 random(seed);
    const auto one_of = [&](const auto& list) { return list[random() % list.size()]; };
    std::ofstream to(path);
    to << "text,verdict\n";
    for (int i = 0; i < records; ++i) {
        const bool praises = random() % 2 == 0, negated = random() % 3 == 0;
        to << '"' << one_of(begins) << one_of(dishes) << " was " << (negated ? "not " : "") << one_of(degrees)
           << one_of(praises ? good : bad) << one_of(ends) << "\"," << (praises != negated ? "good" : "bad") << '\n';
    }
}

int run(const std::filesystem::path& folder) {
    const std::string training_file = (folder / "training.csv").string(),
                      testing_file = (folder / "testing.csv").string();
    write_reviews(training_file, 2000, 1);
    write_reviews(testing_file, 500, 2);

    // [vocabulary]
    std::string text;
    for (const std::string& review : read_table(file(training_file), {.header = true})["text"].texts)
        text += review + '\n';
    const Vocabulary vocabulary(
        text, {.unit = Unit::word, .lower_case = true, .max_size = most_words, .special = {"<pad>", "<unk>"}});
    // [vocabulary]

    // [train]
    const Dataset training = read_reviews(training_file, vocabulary), testing = read_reviews(testing_file, vocabulary);
    Trainer trainer("reviews", Reviews{}, Adam{.learning_rate = 0.005}, minibatches(training, 32));
    trainer.add(every(1, epoch).then(score(testing), report(epoch, error, accuracy)));
    trainer.run(cpu(1), 5);
    // [train]

    // [predict]
    const std::vector<std::string> news{"The pizza was not bad at all.", "Really slow service, and cold coffee!"};
    const Classified verdicts = trainer.model().classify(numbers_of(news, vocabulary));
    for (std::size_t i = 0; i < news.size(); ++i) std::printf("%-5s %s\n", verdicts.name(i).c_str(), news[i].c_str());
    // [predict]

    // [store]
    save_parameters(trainer.model(), (folder / "reviews.safetensors").string());
    vocabulary.save((folder / "reviews.vocabulary").string());
    // [store]
    return trainer.evaluate(testing).accuracy >= 0.95 && verdicts.name(0) == "good" && verdicts.name(1) == "bad" ? 0
                                                                                                                 : 1;
}

}  // namespace

int main() {
    const auto folder = std::filesystem::temp_directory_path() / "sigma-example-44";
    std::filesystem::create_directories(folder);
    const int result = run_main([&] { return run(folder); });
    std::filesystem::remove_all(folder);
    return result;
}
