// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/acting/environment.hpp>
#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/decoding/sample.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace sigma::detail {

SIGMA_IMPL EnvironmentRows::EnvironmentRows(std::size_t count, std::uint64_t seed) : outcomes_(count) {
    if (count < 1) throw ArgumentError("environments", "1 environment or more", "0");
    for (std::size_t i = 0; i < count; ++i) random_.push_back({Philox(seed, RandomUse::user, i)});
}
SIGMA_IMPL void EnvironmentRows::put(std::vector<float>& rows, std::size_t i,
                                     std::span<const float> observation) const {
    if (rows.empty()) rows.resize(size() * observation.size());
    if (observation.empty() || observation.size() * size() != rows.size())
        throw ShapeError("observation of an environment",
                         observation.empty() ? "1 number or more" : sentence(rows.size() / size(), " numbers"),
                         sentence(observation.size()));
    std::ranges::copy(observation, rows.begin() + static_cast<std::ptrdiff_t>(i * observation.size()));
}
SIGMA_IMPL void EnvironmentRows::begin(std::size_t i, std::span<const float> observation) {
    put(observations_, i, observation);
}
SIGMA_IMPL void EnvironmentRows::record(std::size_t i, std::span<const float> observation, double reward,
                                        bool terminated, bool truncated) {
    const StepOutcome before = outcomes_[i].ended() ? StepOutcome{} : outcomes_[i];
    outcomes_[i] = {reward, terminated, truncated, before.episode_return + reward, before.episode_steps + 1};
    if (reached_.empty()) reached_.resize(observations_.size());
    put(reached_, i, observation);
    put(observations_, i, observation);
}
SIGMA_IMPL void EnvironmentRows::check_actions(std::span<const std::size_t> actions, std::size_t below) const {
    if (actions.size() != size())
        throw ArgumentError("step of environments", sentence(size(), " actions"), sentence(actions.size()));
    for (const std::size_t action : actions)
        if (action >= below)
            throw ArgumentError("step of environments", sentence("an action from 0 to ", below - 1), sentence(action));
}
SIGMA_IMPL void EnvironmentRows::check_actions(std::span<const float> actions, std::size_t size_of_one) const {
    if (actions.size() != size() * size_of_one)
        throw ArgumentError("step of environments", sentence(size() * size_of_one, " elements of actions"),
                            sentence(actions.size()));
    for (const float element : actions)
        if (!std::isfinite(element))
            throw ArgumentError("step of environments", "a finite element of an action", sentence(element));
}

SIGMA_IMPL void check_share(const char* where, const char* name, double x) {
    if (!(x >= 0 && x <= 1)) throw ArgumentError(sentence(where, name), "a number from 0 to 1", sentence(x));
}
SIGMA_IMPL void check_acting_network(const char* network, const Shape& input, std::size_t observation,
                                     const Shape& prediction, std::size_t outputs, bool continuous) {
    const auto elements = [](const Shape& shape) {
        std::size_t count = 1;
        for (const std::size_t extent : array_extents(shape)) count *= extent;
        return count;
    };
    if (elements(input) != observation)
        throw ShapeError(sentence(network, ", input"), sentence("the ", observation, " numbers of an observation"),
                         sentence(elements(input)));
    if (elements(prediction) != outputs)
        throw ShapeError(sentence(network, ", prediction"),
                         continuous     ? sentence(outputs, " numbers: means, then logarithms of deviations")
                         : outputs == 1 ? "1 number"
                                        : sentence("1 number for each of ", outputs, " actions"),
                         sentence(elements(prediction)));
}
SIGMA_IMPL std::size_t greedy_action(std::span<const double> numbers) {
    return static_cast<std::size_t>(std::ranges::max_element(numbers) - numbers.begin());
}

SIGMA_IMPL double deviation_of(double logarithm) { return std::exp(std::clamp(logarithm, -5.0, 2.0)); }

SIGMA_IMPL EpisodePlay::EpisodePlay(const PlayOptions& options)
    : options_(options), random_{Philox(options.seed, RandomUse::generate, 0)} {
    results.returns.resize(options.episodes);
    results.steps.resize(options.episodes);
}
SIGMA_IMPL std::span<const std::size_t> EpisodePlay::choose(std::span<const double> predictions) {
    const std::size_t each = predictions.size() / options_.episodes;
    actions_.clear();
    for (std::size_t i = 0; i < options_.episodes; ++i) {
        const auto row = predictions.subspan(i * each, each);
        actions_.push_back(options_.temperature == 0 ? greedy_action(row)
                                                     : sample(row, random_, {.temperature = options_.temperature}));
    }
    return actions_;
}
SIGMA_IMPL std::span<const float> EpisodePlay::choose_elements(std::span<const double> predictions) {
    const std::size_t each = predictions.size() / options_.episodes / 2;
    if (!(options_.temperature >= 0))
        throw ArgumentError("sampling", "a temperature of at least 0", sentence(options_.temperature));
    elements_.clear();
    for (std::size_t i = 0; i < options_.episodes * each; ++i) {
        const double* const row = predictions.data() + i / each * 2 * each + i % each;
        const double noise = options_.temperature == 0 ? 0 : options_.temperature * random_.normal<double>();
        elements_.push_back(static_cast<float>(row[0] + noise * deviation_of(row[each])));
    }
    return elements_;
}
SIGMA_IMPL bool EpisodePlay::go_on(std::span<const StepOutcome> outcomes) {
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (results.steps[i] != 0 || !outcomes[i].ended()) continue;
        results.returns[i] = outcomes[i].episode_return;
        results.steps[i] = outcomes[i].episode_steps;
        ++ended_;
    }
    return ended_ < outcomes.size();
}

}  // namespace sigma::detail

namespace sigma {

SIGMA_IMPL double EpisodeResults::mean_return() const {
    return std::accumulate(returns.begin(), returns.end(), 0.0) / static_cast<double>(returns.size());
}

}  // namespace sigma
