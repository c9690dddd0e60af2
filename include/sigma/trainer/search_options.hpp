// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// SearchOptions and Trial, the types that `search` takes. Included by `<sigma/sigma.hpp>`. The function itself is in
/// `<sigma/trainer/search.hpp>`, which you include yourself.
#include <sigma/core/any_function.hpp>
#include <sigma/core/words.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace sigma {

struct MachineSet;

/// Distributions of a number between its bounds.
///
/// @see Trial
enum class SearchScale {
    linear,       ///< Evenly distributed.
    logarithmic,  ///< Evenly distributed logarithm: 0.001 to 0.01 is as likely as 0.01 to 0.1.
};
/// Kinds of search.
///
/// @see SearchOptions
enum class SearchBy {
    random,  ///< Draws each hyperparameter at random (Bergstra and Bengio 2012).
    grid,    ///< Tries every combination. The hyperparameter that is chosen first changes fastest.
};
/// Rules by which a trial falls behind, see `Trial::falls_behind`.
///
/// @see SearchOptions
enum class SearchStop {
    /// Compares the loss with the median of four or more trials at the same step (Golovin et al. 2017, "Google Vizier",
    /// section 3.2.2).
    median,
    /// Keeps at each rung only the best of the trials that have reached the rung so far (successive halving, Jamieson
    /// and
    /// Talwalkar 2016, asynchronous as in Li et al. 2020, "ASHA").
    halving,
};

/// Options of `search`.
///
/// @see search
struct SearchOptions {
    std::int64_t trials = 20;        ///< Number of trials, at least 1. A grid has one for each combination instead.
    SearchBy by = SearchBy::random;  ///< Kind of search.
    /// Points of a grid, at least 2. For a real number, ends included; for an integer, at most.
    int points = 5;
    SearchStop stop = SearchStop::median;  ///< Rule by which a trial falls behind.
    int reduction_factor = 4;  ///< Halving: one trial in so many continues. Also the ratio of two rungs. At least 2.
    std::int64_t min_resource = 1;  ///< Halving: number of steps to the first rung, at least 1.
    std::uint64_t seed = 0;         ///< Seed of the random choices.
    int threads = 1;                ///< Number of trials that run at the same time, at least 1.
    /// Processes of `<sigma/machines.hpp>` that take the trials in turn, or null. Each process returns all results. A
    /// trial falls behind among the trials of all processes. The file of a process other than rank 0 ends in its rank.
    const MachineSet* machines = nullptr;
    std::string file{};  ///< File that stores finished trials, from which the search continues. Empty: none.
    std::string best{};  ///< File that `Trial::keep` writes. Empty: none.
    bool quiet = false;  ///< Prints no line for each trial.
};

struct SearchedTrial;

namespace detail {
struct SearchState;
struct GridNode;
}  // namespace detail

/// One trial of a search, which chooses hyperparameters.
///
/// The value of a hyperparameter depends only on the seed, the number of the trial and the name. A name may be used
/// once in a trial.
///
/// @see search
class Trial {
public:
    /// Returns the number of the trial, from 1.
    std::int64_t number() const;
    /// Chooses an integer.
    /// @param name      name of the hyperparameter, in UTF-8
    /// @param least     smallest value
    /// @param greatest  greatest value, included
    /// @param scale     distribution of the values
    /// @return the chosen number
    /// @throws ArgumentError  if the bounds are in the wrong order, or not positive on a logarithmic scale; or if the
    ///                        name was used before
    int whole(std::string_view name, int least, int greatest, SearchScale scale = SearchScale::linear) {
        return static_cast<int>(between(name, least, greatest, scale, true));
    }
    /// Chooses a real number.
    /// @param name      name of the hyperparameter, in UTF-8
    /// @param least     smallest value
    /// @param greatest  greatest value
    /// @param scale     distribution of the values
    /// @return the chosen number
    /// @throws ArgumentError  if the bounds are in the wrong order, not finite, or not positive on a logarithmic scale;
    ///                        or if the name was used before
    double real(std::string_view name, double least, double greatest, SearchScale scale = SearchScale::linear) {
        return between(name, least, greatest, scale, false);
    }
    /// Chooses one of several texts.
    /// @param name   name of the hyperparameter, in UTF-8
    /// @param texts  such as `{"relu", "tanh"}`, in UTF-8
    /// @return the position of the chosen text, from 0
    /// @throws ArgumentError  if there are no texts, or if the name was used before
    std::size_t choice(std::string_view name, std::initializer_list<std::string_view> texts);

    /// Returns whether a loss is so far behind other trials, by `SearchOptions::stop`, that the trial should end.
    ///
    /// A loss that is NaN or infinite is always behind. A trial that is behind stays behind. If several losses have the
    /// same step, the first one counts.
    ///
    /// @param after_steps  number of steps or epochs so far, counted alike in all trials
    /// @param reached      the loss after these steps
    ///
    /// @par Example
    /// @code{.txt}
    /// trainer.on_epoch([&](auto& t) { if (trial.falls_behind(t.epoch(), t.training_loss())) t.stop(); });
    /// @endcode
    bool falls_behind(std::uint64_t after_steps, double reached);

    /// Saves the model if its loss is the smallest that was kept so far. One thread saves at a time.
    /// @param loss  the loss of the trial
    /// @param save  called with `SearchOptions::best` if the model is the best
    /// @throws ArgumentError  if `SearchOptions::best` is empty
    ///
    /// @par Example
    /// @code{.txt}
    /// trial.keep(loss, [&](auto& file) { trainer.save_parameters(file); });
    /// @endcode
    void keep(double loss, const detail::AnyFunction<void(const std::string& file)>& save);

private:
    friend struct detail::SearchState;
    Trial(detail::SearchState& search, SearchedTrial& now) : search_(search), now_(now) {}

    double between(std::string_view name, double least, double greatest, SearchScale scale, bool whole,
                   const std::string_view* texts = nullptr);

    detail::SearchState& search_;
    SearchedTrial& now_;
    const SearchedTrial* repeats_ = nullptr;  ///< stored trial with the choices that this one must repeat, or null
    detail::GridNode* node_ = nullptr;        ///< grid: node of the next choice
    std::uint64_t code_ = 0;                  ///< grid: the points of the further choices
};

/// @cond internal
struct include_sigma_trainer_search_hpp;
template <class F>
    requires detail::NotIncluded<F, include_sigma_trainer_search_hpp>
error_word_is_not_included<include_sigma_trainer_search_hpp> search(const SearchOptions&, F);
/// @endcond

}  // namespace sigma
