// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/acting/dqn.hpp>
#include <sigma/core/config.hpp>
#include <sigma/core/error.hpp>

#include <algorithm>

namespace sigma::detail {

SIGMA_IMPL void examine(const DqnOptions& o) {
    const auto count = [](const char* name, auto given) {
        if (given < 1) throw ArgumentError(sentence("DQN with ", name), "1 or more", sentence(given));
    };
    count("environments", o.environments);
    count("replay", o.replay);
    count("steps_per_update", o.steps_per_update);
    count("minibatch", o.minibatch);
    count("target_every", o.target_every);
    count("epsilon_steps", o.epsilon_steps);
    check_share("DQN with ", "discount", o.discount);
    check_share("DQN with ", "first_epsilon", o.first_epsilon);
    check_share("DQN with ", "last_epsilon", o.last_epsilon);
}

SIGMA_IMPL DqnCore::DqnCore(const DqnOptions& options, std::size_t observation_size, std::size_t actions)
    : options_((examine(options), options)), actions_count_(actions),
      random_{Philox(options.seed, RandomUse::generate, 0)}, draws_{Philox(options.seed, RandomUse::shuffle, 0)},
      buffer_(options.replay, observation_size) {}
SIGMA_IMPL double DqnCore::epsilon() const {
    const double part = std::min(1.0, static_cast<double>(steps_) / static_cast<double>(options_.epsilon_steps));
    return options_.first_epsilon + part * (options_.last_epsilon - options_.first_epsilon);
}
SIGMA_IMPL std::span<const std::size_t> DqnCore::choose(std::span<const float> observations,
                                                        std::span<const double> q) {
    observations_.assign(observations.begin(), observations.end());
    actions_.clear();
    for (std::size_t i = 0; i < options_.environments; ++i) {
        const bool random = random_.uniform<double>() < epsilon();
        actions_.push_back(random ? static_cast<std::size_t>(random_.below(actions_count_))
                                  : greedy_action(q.subspan(i * actions_count_, actions_count_)));
    }
    return actions_;
}
SIGMA_IMPL void DqnCore::record(std::span<const StepOutcome> outcomes, std::span<const float> reached) {
    const std::size_t width = reached.size() / outcomes.size();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const StepOutcome& o = outcomes[i];
        buffer_.add(std::span(observations_).subspan(i * width, width), actions_[i], o.reward,
                    reached.subspan(i * width, width), o.terminated);
        if (!o.ended()) continue;
        ++run_.episodes;
        returns_ += o.episode_return;
    }
    steps_ += static_cast<std::int64_t>(outcomes.size());
}
SIGMA_IMPL bool DqnCore::is_due() {
    const auto warmup = static_cast<std::int64_t>(options_.warmup);
    const std::int64_t wanted = (steps_ - warmup) / static_cast<std::int64_t>(options_.steps_per_update);
    if (steps_ < warmup || updates_ >= wanted) return false;
    ++updates_;
    return true;
}
SIGMA_IMPL const ReplaySample& DqnCore::draw() { return drawn_ = buffer_.sample(options_.minibatch, draws_); }
SIGMA_IMPL std::span<const double> DqnCore::targets(std::span<const double> q, std::span<const double> chosen_by,
                                                    std::span<const double> valued_by) {
    targets_.assign(q.begin(), q.end());
    for (std::size_t k = 0; k < drawn_.actions.size(); ++k) {
        const std::size_t row = k * actions_count_;
        const double next = valued_by[row + greedy_action(chosen_by.subspan(row, actions_count_))];
        targets_[row + drawn_.actions[k]] = drawn_.rewards[k] + (drawn_.terminated[k] ? 0 : options_.discount * next);
    }
    return targets_;
}
SIGMA_IMPL bool DqnCore::add(double loss) {
    losses_ += loss;
    ++run_.updates;
    return updates_ % static_cast<std::int64_t>(options_.target_every) == 0;
}
SIGMA_IMPL DqnReport DqnCore::report() {
    DqnReport report = run_;
    if (report.episodes > 0) report.mean_return = returns_ / static_cast<double>(report.episodes);
    if (report.updates > 0) report.loss = losses_ / static_cast<double>(report.updates);
    report.steps = steps_;
    report.updates = updates_;
    report.epsilon = epsilon();
    return report;
}

}  // namespace sigma::detail
