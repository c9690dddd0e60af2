// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/trainer/run.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace sigma {

/// How `fit` trains: what a run is told (RunOptions), what the trainer is made of, and the recipe.
struct FitOptions {
    std::int64_t epochs = 100;      ///< at most
    std::int64_t batch_size = 32;   ///< records in a step; all of them where there are fewer
    double validation_share = 0.1;  ///< of the records, on which the network is not trained but scored; 0 for none
    std::optional<Dataset> validation{};  ///< instead of such a share
    std::int64_t patience = 10;  ///< epochs in a row without a better loss after which it ends; 0: it never does
    std::int64_t plateau = 4;    ///< the same, after which the learning rate is halved
    bool quiet = false;          ///< otherwise it prints a line an epoch, and on a terminal shows how far it is
    std::string checkpoint{};    ///< a file that holds the best state so far; none where empty
    Device device = cpu();
    std::uint64_t seed = 0;  ///< of parameters, dropout, the order of records and the split
    /// Ctrl-C (SIGINT) ends it after the step, with the best parameters so far; a second one kills the process.
    bool stop_on_interrupt = false;
};

namespace detail {

void check_fit_options(const FitOptions& o);

struct FitData {
    Dataset training;
    std::optional<Dataset> validation;
};
/// What is trained on and what is scored on; each with the same share of each class where there are classes.
[[gnu::cold]] FitData fit_data(const Dataset& data, const FitOptions& o, bool classifies);

/// "epoch  3/20   training loss 0.1234   validation loss 0.1312   accuracy 95.67 %   0.42 s   best"
[[gnu::cold]] std::string fit_line(const EpochResult& e, std::uint64_t epochs);

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/fit_options.ipp>
#endif
