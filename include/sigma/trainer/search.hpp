// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace sigma {

/// How numbers are drawn between two bounds: evenly, or so that 0.001 to 0.01 is as likely as 0.01 to 0.1.
enum class SearchScale { linear, logarithmic };

struct SearchOptions {
    std::int64_t trials = 20;
    std::uint64_t seed = 0;  ///< the same seed draws the same
    bool quiet = false;      ///< no line for each trial on the terminal
};

/// What a trial was made of, and what came of it.
struct SearchedTrial {
    struct Choice {
        std::string name;
        double number = 0;  ///< of a text its position
        std::string text;   ///< "64", "0.0031", "relu"
    };
    std::int64_t number = 0;  ///< from 1
    double loss = 0;          ///< NaN where there is none
    double seconds = 0;
    std::vector<Choice> choices{};
    bool ended_early = false;  ///< it fell behind
    std::string refused{};     ///< why it could not be tried, if so

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
    /// All trials with what was chosen, the best first; those that were refused last, with the reason.
    std::string table() const;
};

/// One attempt: chooses sizes and hyper-parameters. What is chosen under a name depends on the seed, the number of the
/// trial and the name alone. Throws ArgumentError where bounds make no sense.
class Trial {
public:
    std::int64_t number() const { return now_.number; }
    /// A whole number between two, both included.
    int whole(std::string_view name, int least, int greatest, SearchScale scale = SearchScale::linear);
    double real(std::string_view name, double least, double greatest, SearchScale scale = SearchScale::linear);
    /// The position of one of these texts.
    std::size_t choice(std::string_view name, std::initializer_list<std::string_view> of);

    /// Is the loss after so many epochs, or steps, greater than the median of what at least four trials before had
    /// there? Then it may as well end: `trainer.on_epoch([&](auto& t) { if (trial.falls_behind(t.epoch(),
    /// t.mean_loss())) t.stop(); })` (the median rule of Golovin et al. 2017, "Google Vizier", section 3.2.2).
    bool falls_behind(std::uint64_t after_steps, double reached);

private:
    friend SearchResult search(const SearchOptions&, const detail::AnyFunction<double(Trial&)>&);
    struct Seen {
        std::int64_t trial;
        std::uint64_t after;
        double loss;
    };

    Trial(std::uint64_t seed, std::int64_t number, std::vector<Seen>& seen) : seed_(seed), seen_(seen) {
        now_.number = number;
    }
    double draw(std::string_view name) const;
    void note(std::string_view name, double number, std::string text);

    std::uint64_t seed_;
    std::vector<Seen>& seen_;  ///< by all trials
    SearchedTrial now_{};
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
/// Random search (Bergstra and Bengio 2012). A trial whose network is a MistakeError counts as refused. Throws
/// ArgumentError where an option makes no sense, and what `loss_of` throws otherwise.
SearchResult search(const SearchOptions& options, const detail::AnyFunction<double(Trial&)>& loss_of);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/search.ipp>
#endif
