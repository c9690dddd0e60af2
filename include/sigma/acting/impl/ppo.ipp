// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/acting/ppo.hpp>
#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>
#include <sigma/decoding/sample.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace sigma {

namespace detail {

SIGMA_IMPL void examine(const PpoOptions& o) {
    const auto count = [](const char* name, std::size_t given) {
        if (given < 1) throw ArgumentError(sentence("PPO with ", name), "1 or more", "0");
    };
    count("environments", o.environments);
    count("steps", o.steps);
    count("epochs", o.epochs);
    count("minibatch", o.minibatch);
    check_share("PPO with ", "discount", o.discount);
    check_share("PPO with ", "lambda", o.lambda);
    if (!(o.clip > 0)) throw ArgumentError("PPO with clip", "a number above 0", sentence(o.clip));
    if (!(o.entropy_weight >= 0 && std::isfinite(o.entropy_weight)))
        throw ArgumentError("PPO with entropy_weight", "a finite number of 0 or more", sentence(o.entropy_weight));
}

}  // namespace detail

SIGMA_IMPL std::vector<double> generalized_advantages(std::span<const ValuedStep> steps, double discount,
                                                      double lambda) {
    detail::check_share("generalized_advantages with ", "discount", discount);
    detail::check_share("generalized_advantages with ", "lambda", lambda);
    std::vector<double> advantages(steps.size());
    double next = 0;
    for (std::size_t t = steps.size(); t-- > 0;) {
        const ValuedStep& s = steps[t];
        const double delta = s.reward + discount * s.next_value - s.value;
        advantages[t] = next = delta + (s.ended ? 0 : discount * lambda * next);
    }
    return advantages;
}

namespace detail {

SIGMA_IMPL ClippedObjective objective_of(double ratio, double advantage, double clip) {
    const double limited = std::clamp(ratio, 1 - clip, 1 + clip);
    return {.loss = -std::min(ratio * advantage, limited * advantage),
            .clipped = limited * advantage < ratio * advantage,
            .ratio = ratio};
}
SIGMA_IMPL ClippedObjective clipped_objective(std::span<const double> probabilities, std::size_t action,
                                              double old_probability, double advantage, const PpoOptions& options,
                                              std::span<double> gradient) {
    ClippedObjective found = objective_of(probabilities[action] / old_probability, advantage, options.clip);
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        const double logarithm = std::log(std::max(probabilities[i], 1e-30));
        found.entropy -= probabilities[i] * logarithm;
        gradient[i] = options.entropy_weight * (logarithm + 1);
    }
    if (!found.clipped) gradient[action] -= advantage / old_probability;
    return found;
}

/// Returns the logarithm of the density of an action.
SIGMA_IMPL double log_density(std::span<const double> predicted, std::span<const float> action) {
    double logarithm = 0;
    for (std::size_t j = 0; j < action.size(); ++j) {
        const double deviation = deviation_of(predicted[action.size() + j]), z = (action[j] - predicted[j]) / deviation;
        logarithm -= z * z / 2 + std::log(deviation) + std::log(2 * std::numbers::pi) / 2;
    }
    return logarithm;
}
SIGMA_IMPL ClippedObjective normal_objective(std::span<const double> predicted, std::span<const float> action,
                                             double old_logarithm, double advantage, const PpoOptions& options,
                                             std::span<double> gradient) {
    // The limit keeps an action that has become all but impossible or certain from overflowing.
    const double change = std::clamp(log_density(predicted, action) - old_logarithm, -20.0, 20.0);
    ClippedObjective found = objective_of(std::exp(change), advantage, options.clip);
    const double slope = found.clipped ? 0 : -advantage * found.ratio;  // with respect to the logarithm of the density
    const std::size_t n = action.size();
    for (std::size_t j = 0; j < n; ++j) {
        const double deviation = deviation_of(predicted[n + j]), z = (action[j] - predicted[j]) / deviation;
        found.entropy += std::log(deviation) + std::log(2 * std::numbers::pi * std::numbers::e) / 2;
        gradient[j] = slope * z / deviation;
        // Beyond a limit, only the way back has a gradient.
        const double of_logarithm = slope * (z * z - 1) - options.entropy_weight;
        const bool leaves = (predicted[n + j] >= 2 && of_logarithm < 0) || (predicted[n + j] <= -5 && of_logarithm > 0);
        gradient[n + j] = leaves ? 0 : of_logarithm;
    }
    return found;
}

SIGMA_IMPL PpoCore::PpoCore(const PpoOptions& options, std::size_t observation_size, std::size_t outputs)
    : options_(options), width_(observation_size), outputs_(outputs),
      random_{Philox(options.seed, RandomUse::generate, 0)}, shuffling_{Philox(options.seed, RandomUse::shuffle, 0)} {
    examine(options);
}
SIGMA_IMPL void PpoCore::see(std::span<const float> observations, std::span<const double> values) {
    observations_.insert(observations_.end(), observations.begin(), observations.end());
    values_.insert(values_.end(), values.begin(), values.end());
}
SIGMA_IMPL std::span<const std::size_t> PpoCore::choose(std::span<const float> observations,
                                                        std::span<const double> probabilities,
                                                        std::span<const double> values) {
    see(observations, values);
    for (std::size_t i = 0; i < options_.environments; ++i) {
        const auto row = probabilities.subspan(i * outputs_, outputs_);
        const std::size_t action = sigma::sample(row, random_);
        actions_.push_back(action);
        likelihoods_.push_back(row[action]);
    }
    return std::span(actions_).last(options_.environments);
}
SIGMA_IMPL std::span<const float> PpoCore::choose_elements(std::span<const float> observations,
                                                           std::span<const double> predictions,
                                                           std::span<const double> values) {
    see(observations, values);
    const std::size_t n = outputs_ / 2;
    for (const double x : predictions)
        if (!std::isfinite(x))
            throw ArgumentError("policy of PPO", "finite means and logarithms of deviations", sentence(x));
    for (std::size_t i = 0; i < options_.environments; ++i) {
        const auto row = predictions.subspan(i * outputs_, outputs_);
        for (std::size_t j = 0; j < n; ++j)
            elements_.push_back(static_cast<float>(row[j] + deviation_of(row[n + j]) * random_.normal<double>()));
        likelihoods_.push_back(log_density(row, std::span(elements_).last(n)));
    }
    return std::span(elements_).last(n * options_.environments);
}
SIGMA_IMPL void PpoCore::record(std::span<const StepOutcome> outcomes,
                                const AnyFunction<std::vector<double>()>& values_of) {
    std::vector<double> cut(outcomes.size(), 0);
    if (std::ranges::any_of(outcomes, [](const StepOutcome& o) { return o.truncated && !o.terminated; }))
        cut = values_of();
    cut_values_.insert(cut_values_.end(), cut.begin(), cut.end());
    outcomes_.insert(outcomes_.end(), outcomes.begin(), outcomes.end());
}
SIGMA_IMPL void PpoCore::finish(std::span<const double> last_values) {
    const std::size_t n = options_.environments, steps = options_.steps;
    advantages_.resize(n * steps);
    returns_.resize(n * steps);
    sums_ = {};
    double all = 0;
    std::vector<ValuedStep> own(steps);
    for (std::size_t e = 0; e < n; ++e) {
        for (std::size_t t = 0; t < steps; ++t) {
            const std::size_t i = t * n + e;
            const StepOutcome& o = outcomes_[i];
            const double next = t + 1 < steps ? values_[i + n] : last_values[e];
            own[t] = {o.reward, values_[i], o.terminated ? 0 : o.truncated ? cut_values_[i] : next, o.ended()};
            if (!o.ended()) continue;
            ++sums_.episodes;
            all += o.episode_return;
        }
        const std::vector<double> found = generalized_advantages(own, options_.discount, options_.lambda);
        for (std::size_t t = 0; t < steps; ++t) {
            advantages_[t * n + e] = found[t];
            returns_[t * n + e] = found[t] + values_[t * n + e];
        }
    }
    if (sums_.episodes > 0) sums_.mean_return = all / static_cast<double>(sums_.episodes);
    steps_ += static_cast<std::int64_t>(n * steps);
    order_.resize(n * steps);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
}
SIGMA_IMPL std::size_t PpoCore::per_pass() const {
    return (order_.size() + options_.minibatch - 1) / options_.minibatch;
}
SIGMA_IMPL std::size_t PpoCore::minibatches() const { return options_.epochs * per_pass(); }
SIGMA_IMPL const PpoCore::Minibatch& PpoCore::minibatch(std::size_t number) {
    const std::size_t first = number % per_pass() * options_.minibatch;
    if (first == 0) shuffle(std::span(order_), shuffling_);
    part_ = std::span(order_).subspan(first, std::min(options_.minibatch, order_.size() - first));
    minibatch_ = {};
    minibatch_.count = part_.size();
    for (const std::size_t i : part_) {
        const auto row = observations_.begin() + static_cast<std::ptrdiff_t>(i * width_);
        minibatch_.observations.insert(minibatch_.observations.end(), row, row + static_cast<std::ptrdiff_t>(width_));
        minibatch_.returns.push_back(returns_[i]);
    }
    return minibatch_;
}
SIGMA_IMPL std::span<const double> PpoCore::gradient(std::span<const double> predictions) {
    const auto n = static_cast<double>(part_.size());
    double mean = 0, squares = 0;
    for (const std::size_t i : part_) mean += advantages_[i] / n;
    for (const std::size_t i : part_) squares += (advantages_[i] - mean) * (advantages_[i] - mean) / n;
    minibatch_.upstream.resize(predictions.size());
    const std::span<double> upstream = minibatch_.upstream;
    const double share = 1 / static_cast<double>(minibatches()) / n;  // of a step in the report
    for (std::size_t k = 0; k < part_.size(); ++k) {
        const std::size_t i = part_[k];
        const auto row = predictions.subspan(k * outputs_, outputs_);
        const auto to = upstream.subspan(k * outputs_, outputs_);
        const double advantage = (advantages_[i] - mean) / (std::sqrt(squares) + 1e-8);
        const std::size_t n_elements = outputs_ / 2;
        const auto found = elements_.empty()
                               ? clipped_objective(row, actions_[i], likelihoods_[i], advantage, options_, to)
                               : normal_objective(row, std::span(elements_).subspan(i * n_elements, n_elements),
                                                  likelihoods_[i], advantage, options_, to);
        sums_.policy_loss += share * found.loss;
        sums_.entropy += share * found.entropy;
        sums_.clipped += found.clipped ? share : 0;
        sums_.divergence += share * (found.ratio - 1 - std::log(std::max(found.ratio, 1e-30)));
    }
    for (double& each : upstream) each /= n;
    return upstream;
}
SIGMA_IMPL void PpoCore::add_value_loss(double loss) { sums_.value_loss += loss / static_cast<double>(minibatches()); }
SIGMA_IMPL PpoUpdate PpoCore::report() {
    sums_.steps = steps_;
    return sums_;
}
SIGMA_IMPL void PpoCore::begin() {
    observations_.clear();
    actions_.clear();
    elements_.clear();
    likelihoods_.clear();
    values_.clear();
    outcomes_.clear();
    cut_values_.clear();
}

}  // namespace detail
}  // namespace sigma
