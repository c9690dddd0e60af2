// SPDX-License-Identifier: BSL-1.0
// Recognizes Parkinson's disease by measurements of voices (M. A. Little et al. 2007). Each person has several
// recordings. If recordings are held out, the network recognizes persons; so persons must be held out. The area under
// the curve is then at least 0.75, and lower than with recordings.
#include <sigma/data/ready.hpp>
#include <sigma/data/transform/on_datasets.hpp>
#include <sigma/data/transform/transforms.hpp>
#include <sigma/sigma.hpp>

#include <cstddef>
#include <cstdio>
#include <numeric>
#include <vector>

using namespace sigma;

struct Voice : Network<Input(22) + Dense(32, relu) + Dropout(0.5) + Dense(2) + SoftmaxCE()> {};

namespace {

/// Returns the area under the curve of all records, each predicted by a network that was trained without the records
/// of its group.
double area(const std::vector<std::size_t>& groups) {
    constexpr std::size_t parts = 8;
    const Dataset voices = data::parkinsons();
    AUC curve;
    for (std::size_t part = 0; part < parts; ++part) {
        std::vector<std::size_t> known, held_out;
        for (std::size_t i = 0; i < voices.size(); ++i) (groups[i] % parts == part ? held_out : known).push_back(i);
        const data::Preprocessing standardized = fitted(data::standardize(data::inputs), subset(voices, known));
        const Dataset training = subset(voices, known) >> standardized,
                      testing = subset(voices, held_out) >> standardized;

        Trainer trainer("voices", Voice{}, AdamW{.learning_rate = 0.003, .weight_decay = 0.3},
                        minibatches(training, 16));
        trainer.run({.epochs = 60, .quiet = true});
        const auto probabilities = trainer.predict(testing.inputs());
        std::vector<float> ill;
        for (std::size_t i = 0; i < testing.size(); ++i) ill.push_back(probabilities(i, 1));
        curve.add(ill, testing.targets());
    }
    return curve.value();
}

}  // namespace

int main() {
    const std::vector<std::size_t> persons = data::parkinsons_persons();
    std::vector<std::size_t> recordings(persons.size());
    std::iota(recordings.begin(), recordings.end(), std::size_t{0});
    const double of_persons = area(persons), of_recordings = area(recordings);
    std::printf("area under the curve: %.3f for unknown persons, %.3f for unknown recordings of known persons\n",
                of_persons, of_recordings);
    return of_persons >= 0.75 && of_recordings > of_persons ? 0 : 1;
}
