// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/words.hpp>
#include <sigma/trainer/search_options.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

SIGMA_INCLUDED(sigma, include_sigma_trainer_search_hpp);

namespace sigma {

/// What a trial was made of, and what came of it.
struct SearchedTrial {
    struct Choice {
        std::string name{};
        double number = 0;                ///< of a text its position
        std::string text{};               ///< "64", "0.0031", "relu"
        std::uint64_t point = 0, of = 0;  ///< of a grid: which, from 0, of how many
        bool operator==(const Choice&) const = default;
    };
    std::int64_t number = 0;  ///< from 1
    double loss = 0;          ///< NaN where there is none
    double seconds = 0;
    std::vector<Choice> choices{};
    bool ended_early = false;                                 ///< it fell behind
    std::string failed{};                                     ///< the reason, if so
    std::vector<std::pair<std::uint64_t, double>> reached{};  ///< steps and losses that were compared

    /// Throws ArgumentError where nothing of this name was chosen.
    const Choice& choice(std::string_view name) const;
    double real(std::string_view name) const { return choice(name).number; }
    int whole(std::string_view name) const { return static_cast<int>(choice(name).number); }
};

/// What has been tried, in order.
struct SearchResult {
    std::vector<SearchedTrial> trials{};

    /// That of the least loss. Throws ArgumentError where none has a loss.
    const SearchedTrial& best() const;
    /// All trials with what was chosen, the best first; those that failed last, with the reason.
    std::string table() const;
    /// The same in order of number, with exact numbers.
    std::string csv() const;
};

/// Looks for what gives the least loss: calls `loss_of(trial)` so many times, each of which makes a network of what it
/// chooses, trains it, and returns the loss that counts:
///
///     const SearchResult found = search({.trials = 30}, [&](Trial& trial) {
///         const int width = trial.whole("width", 8, 256, SearchScale::logarithmic);
///         const double rate = trial.real("learning_rate", 1e-4, 0.1, SearchScale::logarithmic);
///         const auto net = network(Input(4) + Dense(width, relu) + Dense(3) + SoftmaxCE());
///         return fit(net, data, Adam{.learning_rate = rate}, {.epochs = 30, .quiet = true}).best().watched_loss();
///     });
///     std::puts(found.table().c_str());
///
/// A trial that throws a std::exception has failed, and the others go on; anything else ends the search, once the
/// trials that run have ended. With threads `loss_of` is called by several at the same time; random trials and grids
/// are the same with any number of them, who falls behind is not.
///
/// A search with the file of an earlier one first calls `loss_of` up to the last choice of a trial that is there, to
/// see that it still chooses the same; there may be more trials than before. Trials of the file that failed are tried
/// again, since the program may have been mended. Throws DataError where the file is of another search, StorageError
/// where it cannot be written, ArgumentError where an option makes no sense or all trials failed.
SearchResult search(const SearchOptions& options, const detail::AnyFunction<double(Trial&)>& loss_of);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/search.ipp>
#endif
