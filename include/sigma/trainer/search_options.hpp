// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/core/words.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

/// What a search is told and gives. `search` itself is in <sigma/trainer/search.hpp>, which a program includes.
namespace sigma {

struct MachineSet;

/// Evenly between two bounds, or so that 0.001 to 0.01 has as much room as 0.01 to 0.1.
enum class SearchScale { linear, logarithmic };
/// Drawn (Bergstra and Bengio 2012), or every combination.
enum class SearchBy { random, grid };
/// A trial falls behind where its loss is greater than the median of four or more at the same step (Golovin et al.
/// 2017, "Google Vizier", section 3.2.2), or where at a rung it is not among the best of those that came so far
/// (successive halving, Jamieson and Talwalkar 2016, that waits for nobody, Li et al. 2020, "ASHA").
enum class SearchStop { median, halving };

struct SearchOptions {
    std::int64_t trials = 20;  ///< a grid has one for each combination instead
    SearchBy by = SearchBy::random;
    int points = 5;  ///< of a grid, for a real number, ends included; for a whole one at most
    SearchStop stop = SearchStop::median;
    int reduction_factor = 4;       ///< of halving: one of so many goes on, and the next rung is so many times as far
    std::int64_t min_resource = 1;  ///< of halving: steps to the first rung
    std::uint64_t seed = 0;         ///< the same seed draws the same
    int threads = 1;                ///< trials at the same time
    /// Processes, of <sigma/machines.hpp>, that take trials in turn; each returns all. What falls behind does so among
    /// those of all that were heard of. The file of a process beyond the first ends in its number.
    const MachineSet* machines = nullptr;
    std::string file{};  ///< keeps trials that ended; the same search goes on behind them, and tries again what failed
    std::string best{};  ///< where `Trial::keep` writes
    bool quiet = false;  ///< no line for each trial on the terminal
};

struct SearchedTrial;

namespace detail {
struct SearchState;
struct GridNode;
}  // namespace detail

/// One attempt: chooses sizes and hyper-parameters. What is drawn under a name depends on the seed, the number of the
/// trial and the name alone. Throws ArgumentError where bounds make no sense.
class Trial {
public:
    std::int64_t number() const;
    /// A whole number between two, both included.
    int whole(std::string_view name, int least, int greatest, SearchScale scale = SearchScale::linear) {
        return static_cast<int>(between(name, least, greatest, scale, true));
    }
    double real(std::string_view name, double least, double greatest, SearchScale scale = SearchScale::linear) {
        return between(name, least, greatest, scale, false);
    }
    /// The position of one of these texts.
    std::size_t choice(std::string_view name, std::initializer_list<std::string_view> of);

    /// Is this loss after so many epochs, or steps, so far behind (SearchStop) that the trial may as well end?
    /// `trainer.on_epoch([&](auto& t) { if (trial.falls_behind(t.epoch(), t.mean_loss())) t.stop(); })`. NaN and
    /// infinity always are, and who is behind stays so. Of several losses at one step the first counts.
    bool falls_behind(std::uint64_t after_steps, double reached);

    /// Calls save(file), with the file `.best` of the search's options, where this loss is less than all that were kept
    /// before, so that the best model stays: `trial.keep(loss, [&](auto& file) { trainer.save_parameters(file); })`.
    /// One thread at a time. Throws ArgumentError where no file is named.
    void keep(double loss, const detail::AnyFunction<void(const std::string& file)>& save);

private:
    friend struct detail::SearchState;
    Trial(detail::SearchState& search, SearchedTrial& now) : search_(search), now_(now) {}

    double between(std::string_view name, double least, double greatest, SearchScale scale, bool whole,
                   const std::string_view* texts = nullptr);

    detail::SearchState& search_;
    SearchedTrial& now_;
    const SearchedTrial* repeats_ = nullptr;  ///< which only shows that it still chooses the same
    detail::GridNode* node_ = nullptr;        ///< of a grid: where the next choice stands,
    std::uint64_t code_ = 0;                  ///< and the points from there on
};

struct include_sigma_trainer_search_hpp;
template <class F>
    requires detail::NotIncluded<F, include_sigma_trainer_search_hpp>
error_word_is_not_included<include_sigma_trainer_search_hpp> search(const SearchOptions&, F);

}  // namespace sigma
