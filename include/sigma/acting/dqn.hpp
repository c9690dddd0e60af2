// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Deep Q-learning: DQN. Include it yourself.
#include <sigma/acting/environment.hpp>
#include <sigma/acting/replay.hpp>
#include <sigma/execution/batch_trainer.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sigma {

/// A mistake at compile time: DQN needs a number of actions, and the environment has an `action_size`. Use PPO.
template <class E>
struct error_DQN_takes_no_continuous_actions;

/// Options of `DQN`.
///
/// @see DQN
struct DqnOptions {
    std::size_t environments = 4;       ///< Environments that make their steps together, at least 1.
    std::size_t replay = 50000;         ///< Steps that the replay buffer keeps, at least 1.
    std::size_t warmup = 1000;          ///< Steps before the first update.
    std::size_t steps_per_update = 1;   ///< Steps of all environments for each update of the network, at least 1.
    std::size_t minibatch = 64;         ///< Steps that an update draws from the buffer, at least 1.
    std::size_t target_every = 64;      ///< Updates after which the target network is copied, at least 1.
    double discount = 0.99;             ///< Weight γ of the next step in the value of a step, from 0 to 1.
    double first_epsilon = 1;           ///< Share of random actions at the start, from 0 to 1.
    double last_epsilon = 0.05;         ///< Share of random actions after `epsilon_steps`, from 0 to 1.
    std::int64_t epsilon_steps = 5000;  ///< Steps in which the share falls linearly, at least 1.
    /// Double Q-learning (van Hasselt et al. 2016, arXiv 1509.06461): the trained network chooses the next action, and
    /// the target network values it. False: the target network does both.
    bool double_q = true;
    std::uint64_t seed = 0;  ///< Seed of environments, actions and minibatches.
};

/// The report of `DQN::run`.
///
/// @see DQN
struct DqnReport {
    std::int64_t steps = 0;    ///< Steps of all environments since the start.
    std::int64_t updates = 0;  ///< Updates of the network since the start.
    std::size_t episodes = 0;  ///< Episodes that ended in this run.
    /// Mean of their returns. NaN if there are none.
    double mean_return = std::numeric_limits<double>::quiet_NaN();
    double loss = 0;     ///< Mean loss of the updates of this run. 0 without updates.
    double epsilon = 0;  ///< Share of random actions at the end.
};

namespace detail {

/// The part of DQN that does not depend on the types of network and environment.
class DqnCore {
public:
    DqnCore(const DqnOptions& options, std::size_t observation_size, std::size_t actions);

    /// Begins a run, whose report counts from here.
    void begin() { run_ = {}, losses_ = 0, returns_ = 0; }
    std::span<const std::size_t> choose(std::span<const float> observations, std::span<const double> q);
    void record(std::span<const StepOutcome> outcomes, std::span<const float> reached);
    /// Returns whether an update is due, and counts it.
    bool is_due();
    const ReplaySample& draw();
    /// Returns targets for the drawn steps: `q` of the observations, with the new value of the action that was taken.
    /// `chosen_by` are the numbers by which the next action is chosen, and `valued_by` those that value it.
    std::span<const double> targets(std::span<const double> q, std::span<const double> chosen_by,
                                    std::span<const double> valued_by);
    /// Adds the loss of an update. Returns whether the target network is to be copied.
    bool add(double loss);
    double epsilon() const;
    DqnReport report();

private:
    DqnOptions options_;
    std::size_t actions_count_;
    PhiloxSequence random_, draws_;
    ReplayBuffer buffer_;
    ReplaySample drawn_{};
    std::vector<float> observations_{};
    std::vector<std::size_t> actions_{};
    std::vector<double> targets_{};
    DqnReport run_{};
    double losses_ = 0, returns_ = 0;
    std::int64_t steps_ = 0, updates_ = 0;
};

}  // namespace detail

/// Trains a network that predicts the value of each action (Q), by deep Q-learning.
///
/// Mnih et al. 2015, "Human-level control through deep reinforcement learning": a replay buffer, a target network and a
/// falling share of random actions, with double Q-learning. Training runs on the processor, by a `BatchTrainer`. The
/// model must outlive the learner.
///
/// The network predicts a number for each action, such as `Dense(2) + SquaredDiff()`. Its loss compares a prediction
/// with a target that differs in the action that was taken. `Huber` limits the influence of large errors.
///
/// @tparam Q  network of the values
/// @tparam E  type of the environment
/// @tparam O  type of the optimizer
/// @tparam T  element type of the model
///
/// @par Example
/// @code
/// // #include <sigma/acting/cart_pole.hpp>
/// // #include <sigma/acting/dqn.hpp>
/// struct Values : Network<Input(4) + Dense(64, relu) + Dense(64, relu) + Dense(2) + SquaredDiff()> {};
/// Model<Values> values(1);
/// DQN learner(values, CartPole{}, Adam{.learning_rate = 0.001}, {.seed = 1});
/// const DqnReport report = learner.run(2000);
/// @endcode
///
/// @see PPO, ReplayBuffer, play_episodes, docs/acting.md
template <AnyNetwork Q, class E, AnyOptimizer O, class T>
class DQN {
public:
    /// Constructs a learner and begins the episodes.
    /// @param model        model of the values, which is trained
    /// @param environment  the environment, which is copied
    /// @param optimizer    the optimizer
    /// @param options      numbers of steps, share of random actions and seed
    /// @throws ArgumentError  if an option is out of its range
    /// @throws ShapeError     if the network does not fit the environment
    DQN(Model<Q, T>& model, const E& environment, O optimizer, const DqnOptions& options = {})
        : environments_(environment, options.environments, options.seed), model_(model), target_(model),
          trainer_(model, optimizer), core_(options, environments_.observation_size(), E::actions),
          double_q_(options.double_q) {
        detail::check_acting_network("Q network", model, environments_.observation_size(), E::actions);
    }

    /// Makes at least this many steps, all environments together, and trains the network meanwhile.
    /// @param steps  number of steps
    /// @return returns of the episodes that have ended, and the mean loss
    /// @throws NumericError  if a parameter would become infinite or NaN
    DqnReport run(std::int64_t steps) {
        core_.begin();
        for (std::int64_t made = 0; made < steps; made += static_cast<std::int64_t>(environments_.size())) {
            const auto seen = environments_.observations();
            const auto actions = core_.choose(seen, detail::predicted_rows(model_, seen, environments_.size()));
            const auto outcomes = environments_.step(actions);
            core_.record(outcomes, environments_.reached());
            while (core_.is_due()) train();
        }
        return core_.report();
    }

    /// Returns the optimizer, whose numbers may be changed between runs.
    O& optimizer() { return trainer_.optimizer; }

private:
    ParallelEnvironments<E> environments_;
    Model<Q, T>& model_;
    Model<Q, T> target_;
    BatchTrainer<Q, O, T> trainer_;
    detail::DqnCore core_;
    bool double_q_;

    void train() {
        const ReplaySample& some = core_.draw();
        const std::size_t n = some.actions.size();
        const auto valued_by = detail::predicted_rows(target_, some.next_observations, n);
        const auto chosen_by = double_q_ ? detail::predicted_rows(model_, some.next_observations, n) : valued_by;
        const auto targets = core_.targets(detail::predicted_rows(model_, some.observations, n), chosen_by, valued_by);
        const ArrayView<const double> rows(
            targets.data(), detail::array_extents(model_.records.costs[0].prediction, static_cast<std::ptrdiff_t>(n)));
        if (core_.add(trainer_.train_on_batch(detail::as_inputs(model_, some.observations, n), rows))) target_ = model_;
    }
};

/// @cond internal
template <class Q, class Why, class O, class T>
class DQN<Q, detail::NoEnvironment<Why>, O, T>;
template <AnyNetwork Q, class E, AnyOptimizer O, class T>
    requires(!Environment<E> || detail::SizesActions<E>)
DQN(Model<Q, T>&, const E&, O, DqnOptions = {})
    -> DQN<Q,
           detail::NoEnvironment<detail::MistakeOf<
               detail::FirstMistake<Mistake<detail::EnvironmentMistake<E>>,
                                    MistakeIf<detail::SizesActions<E>, error_DQN_takes_no_continuous_actions<E>>>>>,
           O, T>;
/// @endcond

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/acting/impl/dqn.ipp>
#endif
