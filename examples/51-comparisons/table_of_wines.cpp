// SPDX-License-Identifier: BSL-1.0
// A table from a CSV file, as programs of mlpack have it: standardized features, cross-validation, a confusion matrix,
// and a file with the model and its preprocessing. At least 93 % of the wines must be correct in cross-validation.
//   51_table_of_wines [TABLE]     TABLE: the class (1 to 3), then 13 numbers, without a header
#include <sigma/data/data.hpp>
#include <sigma/exchange.hpp>
#include <sigma/sigma.hpp>
#include <sigma/trainer/cross_validate.hpp>
#include <sigma/trainer/terminal.hpp>

#include <cstdio>
#include <filesystem>
#include <string>

using namespace sigma;
using namespace sigma::data;

struct Wines : Network<Input(13) + Dense(16, tanh) + Dense(3) + SoftmaxCE()> {};

namespace {

int run(const std::string& table, const std::string& saved) {
    // In mlpack: data::Load, and a conversion of the labels.
    const auto wines = csv(file(table)) >> sections(inputs = columns<1, 13>(), targets = labels(0, {"1", "2", "3"})) >>
                       dataset("wines");

    // In mlpack: KFoldCV with a scaler. Here each fold learns the standardization from its own training part.
    const CrossValidation found = cross_validate(Wines{}, wines, Adam{.learning_rate = 0.01}, standardize(inputs),
                                                 {.folds = 5, .fit = {.epochs = 60, .quiet = true, .seed = 1}});
    std::printf("%s\n", found.text().c_str());

    // One more network, to keep.
    const auto [training, testing] = stratified_split(shuffled(wines, 1), 0.8, 0.2);
    const Preprocessing standardized = fitted(standardize(inputs), training);
    const auto trained =
        fit(Wines{}, training >> standardized, Adam{.learning_rate = 0.01}, {.epochs = 60, .quiet = true, .seed = 1});
    std::printf("%s\n", classification_report(trained.model(), testing >> standardized).matrix().table().c_str());

    save_model(trained.model(), saved, training >> standardized);  // with the standardization
    const auto model = load_model(saved);
    const Array<float> measured{{13.2f, 1.8f, 2.3f, 17.f, 105.f, 2.9f, 3.f, 0.3f, 1.9f, 5.f, 1.0f, 3.1f, 1100.f}};
    std::printf("the measured wine is of class %s\n", model.classify(model.preprocessing()(measured)).name(0).c_str());
    return found.accuracy().mean >= 0.93 ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    return run_main([&] {
        const auto saved = std::filesystem::temp_directory_path() / "sigma-example-51-wines.sigma";
        return run(count > 1 ? arguments[1] : SIGMA_SHARE_DIR "/wine/wine.data", saved.string());
    });
}
