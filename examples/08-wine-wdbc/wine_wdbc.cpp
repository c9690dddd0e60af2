// SPDX-License-Identifier: BSL-1.0
// Two small tables: the grower of a wine, out of three, and whether a tumour is malignant. Over ten splits, with two
// thirds for training and one third for testing, 97 % of both are classified correctly. The area under the ROC curve
// of the tumours is 0.99.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/terminal.hpp>

#include <cstdio>
#include <vector>

using namespace sigma;

struct Wine : Network<Input(13) + Dropout(0.25) + Dense(16, tanh) + Dense(3) + SoftmaxCE()> {};
struct Tumour : Network<Input(30) + Dropout(0.25) + Dense(16, tanh) + Dense(2) + SoftmaxCE()> {};

namespace {

constexpr std::uint64_t splits = 10;

/// Trains on two thirds of the records and calls `judge(probabilities, labels)` with the others, for several splits.
/// In tables as small as these, the result depends on the split, so the results of all splits count.
template <class N>
void learn(const char* name, const Dataset& all, auto judge) {
    std::printf("%s: %zu records\n\n%s\n", name, all.size(), summary<N>().c_str());
    for (std::uint64_t seed = 1; seed <= splits; ++seed) {
        auto [training, testing] = stratified_split(shuffled(all, seed), 2.0 / 3, 1.0 / 3);
        // Standardization, too, must not learn from the test records.
        const data::Preprocessing standardized = fitted(data::standardize(data::inputs), training);
        training = training >> standardized;
        testing = testing >> standardized;

        Trainer trainer(name, N{}, AdamW{.learning_rate = 0.01, .weight_decay = 0.1}, minibatches(training, 16, seed),
                        element<float>, seed);
        trainer.run(cpu(), 20);
        const auto probabilities = trainer.predict(testing.inputs());
        Accuracy accuracy(all.classes().size());
        accuracy.add(probabilities, testing.targets());
        judge(probabilities, testing.targets());
        std::printf("split %2d  error %.4f  accuracy on the %zu test records %6.2f %%\n", static_cast<int>(seed),
                    trainer.training_loss(), testing.size(), 100 * accuracy.value());
    }
}

bool wines() {
    ConfusionMatrix matrix(3, {"grower 1", "grower 2", "grower 3"});
    learn<Wine>("wine", data::wine(),
                [&](const auto& probabilities, const auto& labels) { matrix.add(probabilities, labels); });
    std::printf("\n%sprecision %.2f %%, recall %.2f %%, F1 %.2f %%, each the mean over the growers\n\n",
                matrix.table().c_str(), 100 * matrix.macro_precision(), 100 * matrix.macro_recall(),
                100 * matrix.macro_f1());
    return matrix.accuracy() >= 0.96;
}

bool tumours() {
    BinaryCounts counts;
    double area = 0;
    learn<Tumour>("wdbc", data::wdbc(), [&](const auto& probabilities, const auto& labels) {
        std::vector<float> malignant;
        for (std::size_t i = 0; i < labels.size(); ++i) malignant.push_back(probabilities(i, 1));
        counts.add(malignant, labels);
        AUC auc;
        auc.add(malignant, labels);
        area += auc.value() / splits;
    });
    std::printf("\nmalignant: %zu found, %zu missed; benign: %zu found, %zu classified as malignant\n",
                counts.true_positives(), counts.false_negatives(), counts.true_negatives(), counts.false_positives());
    std::printf("accuracy %.2f %%, precision %.2f %%, recall %.2f %%, F1 %.2f %%, area under the curve %.4f\n",
                100 * counts.accuracy(), 100 * counts.precision(), 100 * counts.recall(), 100 * counts.f1(), area);
    return counts.accuracy() >= 0.96 && area >= 0.99;
}

int run() {
    const bool wine = wines(), tumour = tumours();
    if (!wine) std::puts("the accuracy for wines should be at least 96 %");
    if (!tumour)
        std::puts("the accuracy for tumours should be at least 96 %, and the area under the curve at least 0.99");
    return wine && tumour ? 0 : 1;
}

}  // namespace

int main() { return run_main(run); }
