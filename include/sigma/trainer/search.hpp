// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// The function search, which finds hyperparameters. Include it yourself: `<sigma/trainer/search.hpp>`.
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

/// Results of one trial of a search.
///
/// @see SearchResult
struct SearchedTrial {
    /// One hyperparameter that the trial has chosen.
    struct Choice {
        std::string name{};       ///< Name of the hyperparameter.
        double number = 0;        ///< Chosen value. For a text, its position in the list.
        std::string text{};       ///< Chosen value as a text, such as "64", "0.0031", "relu".
        std::uint64_t point = 0;  ///< Grid: number of the point, from 0.
        std::uint64_t of = 0;     ///< Grid: number of points.
        /// Compares all members.
        bool operator==(const Choice&) const = default;
    };
    std::int64_t number = 0;        ///< Number of the trial, from 1.
    double loss = 0;                ///< Loss that the function returned. NaN if the trial failed.
    double seconds = 0;             ///< Duration in seconds.
    std::vector<Choice> choices{};  ///< Chosen hyperparameters, in the order of the calls.
    bool ended_early = false;       ///< True if the trial fell behind.
    std::string failed{};           ///< Reason of a failure. Empty if the trial did not fail.
    /// Steps and losses that were compared by `Trial::falls_behind`.
    std::vector<std::pair<std::uint64_t, double>> reached{};

    /// Returns a chosen hyperparameter.
    /// @param name  name of the hyperparameter
    /// @throws ArgumentError  if the trial has no hyperparameter of this name
    const Choice& choice(std::string_view name) const;
    /// Returns the value of a hyperparameter as a real number.
    /// @param name  name of the hyperparameter
    /// @throws ArgumentError  if the trial has no hyperparameter of this name
    double real(std::string_view name) const { return choice(name).number; }
    /// Returns the value of a hyperparameter as an integer.
    /// @param name  name of the hyperparameter
    /// @throws ArgumentError  if the trial has no hyperparameter of this name
    int whole(std::string_view name) const { return static_cast<int>(choice(name).number); }
};

/// Results of a search.
///
/// @see search
struct SearchResult {
    std::vector<SearchedTrial> trials{};  ///< Results of each trial, in the order of their numbers.

    /// Returns the trial with the smallest loss.
    /// @throws ArgumentError  if no trial has a loss
    const SearchedTrial& best() const;
    /// Returns a table of all trials with their hyperparameters: the best first, failed trials last with the reason.
    std::string table() const;
    /// Returns all trials as CSV in the order of their numbers, with exact numbers.
    std::string csv() const;
};

/// Searches for the hyperparameters with the smallest loss.
///
/// Calls `loss_of(trial)` for each trial. The function chooses hyperparameters from the trial, trains a network with
/// them, and returns the loss to compare.
///
/// A trial that throws a `std::exception` has failed, and the search continues with the next trial. Another exception
/// ends the search when the running trials have ended. With `options.threads`, several threads call `loss_of` at a
/// time. The hyperparameters of each trial do not depend on the number of threads. Which trials fall behind may depend
/// on it.
///
/// With `options.file`, a search continues after the trials of that file. It first calls `loss_of` up to the last
/// choice of a stored trial, to check that the function still chooses the same hyperparameters. `options.trials` may be
/// greater than before. Failed trials are tried again.
///
/// @param options  number of trials, kind of search and others
/// @param loss_of  called as `loss_of(trial)`, returns the loss of a trial; NaN counts as no loss
/// @return the results of all trials
/// @throws ArgumentError  if an option is out of range, or if all trials failed
/// @throws DataError      if the file belongs to another search or is damaged
/// @throws StorageError   if the file cannot be written
/// @throws MachineError   if a process fails
///
/// @par Example
/// @code{.txt}
/// #include <sigma/trainer/search.hpp>
/// …
/// const SearchResult found = search({.trials = 30}, [&](Trial& trial) {
///     const int width = trial.whole("width", 8, 256, SearchScale::logarithmic);
///     const double rate = trial.real("learning_rate", 1e-4, 0.1, SearchScale::logarithmic);
///     const auto net = network(Input(28, 28) + Dense(width, relu) + Dense(10) + SoftmaxCE());
///     return fit(net, training, Adam{.learning_rate = rate}, {.epochs = 3, .quiet = true}).best().watched_loss();
/// });
/// std::puts(found.table().c_str());
/// @endcode
/// @see docs/fit.md
SearchResult search(const SearchOptions& options, const detail::AnyFunction<double(Trial&)>& loss_of);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/search.ipp>
#endif
