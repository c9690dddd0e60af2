// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/data/split.hpp>
#include <sigma/worker/device.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace sigma {

/// How `fit` trains.
struct FitOptions {
    std::int64_t epochs = 100;             ///< at most
    std::int64_t batch_size = 32;          ///< records in a step; all of them where there are fewer
    double validation_share = 0.1;         ///< of the records, on which the network is not trained but scored; 0 for none
    std::optional<Dataset> validation{};   ///< instead of such a share
    std::int64_t patience = 10;            ///< epochs in a row without a better error after which it ends; 0: it never does
    std::int64_t plateau = 4;              ///< the same, after which the learning rate is halved
    bool quiet = false;                    ///< otherwise it prints a line an epoch
    std::string checkpoint{};              ///< a file that holds the best state so far; none where empty
    Device device = cpu();
    std::uint64_t seed = 0;                ///< of parameters, dropout, the order of records and the split
};

/// What `fit` has seen in an epoch. Where there are no validation data, or nothing that can be right or wrong, the numbers
/// are NaN.
struct FitEpoch {
    std::uint64_t epoch = 0;  ///< from 1
    double error = 0;         ///< mean loss while training
    double validation_error = std::numeric_limits<double>::quiet_NaN();
    double accuracy = std::numeric_limits<double>::quiet_NaN();  ///< share of the validation data classified right
    double seconds = 0;       ///< with scoring
    bool best = false;        ///< so far, by the validation error, or the error where there are no validation data
};

namespace detail {

inline void check_fit_options(const FitOptions& o) {
    const auto refuse = [](const char* name, const char* expected, auto found) {
        throw ArgumentError(sentence("fit with ", name), expected, sentence(found));
    };
    if (o.epochs < 1) refuse("epochs", "1 or more", o.epochs);
    if (o.batch_size < 1) refuse("batch_size", "1 or more", o.batch_size);
    if (o.patience < 0) refuse("patience", "0 or more", o.patience);
    if (o.plateau < 0) refuse("plateau", "0 or more", o.plateau);
    if (!(o.validation_share >= 0 && o.validation_share < 1))
        refuse("validation_share", "0 or more and less than 1", o.validation_share);
}

struct FitData {
    Dataset training;
    std::optional<Dataset> validation;
};
/// What is trained on and what is scored on; each with the same share of each class where there are classes.
[[gnu::cold]] inline FitData fit_data(const Dataset& data, const FitOptions& o, bool classifies) {
    if (o.validation) return {data, o.validation};
    if (o.validation_share == 0) return {data, {}};
    const Dataset mixed = shuffled(data, o.seed);
    auto [training, validation] = classifies && data.has_labels() ? stratified_split(mixed, 1 - o.validation_share, o.validation_share)
                                                                  : split(mixed, 1 - o.validation_share, o.validation_share);
    return {std::move(training), std::move(validation)};
}

/// "epoch  3/20   error 0.1234   validation error 0.1312   accuracy 95.67 %   0.42 s   best"
[[gnu::cold]] inline std::string fit_line(const FitEpoch& e, std::uint64_t epochs) {
    const std::string all = std::to_string(epochs), now = std::to_string(e.epoch);
    std::string line = sentence("epoch ", std::string(all.size() - std::min(all.size(), now.size()), ' '), now, "/", all);
    line += sentence("   error ", fixed_text(e.error, 4));
    if (!std::isnan(e.validation_error)) line += sentence("   validation error ", fixed_text(e.validation_error, 4));
    if (!std::isnan(e.accuracy)) line += sentence("   accuracy ", fixed_text(100 * e.accuracy, 2), " %");
    return sentence(line, "   ", fixed_text(e.seconds, 2), " s", e.best ? "   best" : "");
}

}  // namespace detail
}  // namespace sigma
