// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Proximal policy optimization: PPO, generalized_advantages. Include it yourself.
#include <sigma/acting/environment.hpp>
#include <sigma/execution/batch_trainer.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sigma {

/// One step of one environment, as `generalized_advantages` takes it.
///
/// @see generalized_advantages
struct ValuedStep {
    double reward = 0;  ///< Reward of the step.
    double value = 0;   ///< Estimated value of the observation before the step.
    /// Estimated value of the observation after the step. 0 if the episode has terminated.
    double next_value = 0;
    bool ended = false;  ///< True if the episode ended with this step, for either reason.
};

/// Returns the generalized advantage of each step of one environment.
///
/// Schulman et al. 2016, "High-Dimensional Continuous Control Using Generalized Advantage Estimation", arXiv
/// 1506.02438, equation 16: A(t) = δ(t) + γλ A(t+1) with δ(t) = reward + γ · next value - value. A(t+1) is 0 after the
/// last step and at the end of an episode. The advantage plus the value is a target for the estimated value.
/// @param steps     steps in their order, of one or several episodes
/// @param discount  γ, the weight of the next step, from 0 to 1
/// @param lambda    λ, from 0 (only the next value) to 1 (all rewards)
/// @return an advantage for each step
/// @throws ArgumentError  if `discount` or `lambda` is not from 0 to 1
///
/// @par Example
/// @code
/// // #include <sigma/acting/ppo.hpp>
/// const std::vector<ValuedStep> episode{{.reward = 1, .value = 0.5, .next_value = 0.5}, {.reward = 1, .ended = true}};
/// const std::vector<double> advantages = generalized_advantages(episode, 0.99, 0.95);
/// @endcode
///
/// @see PPO
std::vector<double> generalized_advantages(std::span<const ValuedStep> steps, double discount, double lambda);

/// Options of `PPO`. Most defaults are those of the paper for Atari games. `clip` is that for continuous control.
///
/// @see PPO
struct PpoOptions {
    std::size_t environments = 8;  ///< Environments that make their steps together, at least 1.
    std::size_t steps = 128;       ///< Steps of each environment between two updates, at least 1.
    std::size_t epochs = 4;        ///< Passes over the steps in an update, at least 1.
    std::size_t minibatch = 256;   ///< Steps of a minibatch, at least 1. The last one of a pass may be smaller.
    double discount = 0.99;        ///< Factor γ for each step that a reward lies in the future, from 0 to 1.
    double lambda = 0.95;          ///< λ of `generalized_advantages`, from 0 to 1.
    double clip = 0.2;             ///< Limits new / old probability or density to 1 ± clip in the objective, above 0.
    double entropy_weight = 0.01;  ///< Weight of the entropy of the actions in the objective, at least 0.
    std::uint64_t seed = 0;        ///< Seed of environments, actions and minibatches.
};

/// The report of an update of `PPO`.
///
/// @see PPO
struct PpoUpdate {
    std::int64_t steps = 0;    ///< Steps of all environments since the start.
    std::size_t episodes = 0;  ///< Episodes that ended before this update and after the last one.
    /// Mean of their returns. NaN if there are none.
    double mean_return = std::numeric_limits<double>::quiet_NaN();
    double policy_loss = 0;  ///< Mean of the negative clipped objective, without the entropy.
    double value_loss = 0;   ///< Mean loss of the value network.
    double entropy = 0;      ///< Mean entropy of the actions. That of continuous actions may be negative.
    double clipped = 0;      ///< Share of the steps whose objective was clipped, from 0 to 1.
    double divergence = 0;   ///< Estimate of KL(old policy ‖ new policy): the mean of r - 1 - ln r (Schulman 2020).
};

namespace detail {

/// The objective of one step: max over the policy of min(r A, clip(r) A) + weight · entropy, with r = p / old p.
struct ClippedObjective {
    double loss = 0, entropy = 0;
    bool clipped = false;
    double ratio = 1;
};
/// Returns the objective of a step, and writes the gradient of loss - weight · entropy with respect to all
/// probabilities.
ClippedObjective clipped_objective(std::span<const double> probabilities, std::size_t action, double old_probability,
                                   double advantage, const PpoOptions& options, std::span<double> gradient);

/// Returns the objective of a step with a continuous action, whose elements are normally distributed. `predicted` has
/// their means, and then the logarithms of their standard deviations. Writes the gradient with respect to these.
ClippedObjective normal_objective(std::span<const double> predicted, std::span<const float> action,
                                  double old_logarithm, double advantage, const PpoOptions& options,
                                  std::span<double> gradient);

/// The part of PPO that does not depend on the types of networks and environments.
class PpoCore {
public:
    /// `outputs` is the number of elements of a prediction of the policy.
    PpoCore(const PpoOptions& options, std::size_t observation_size, std::size_t outputs);

    /// Forgets the steps of the last update, also those of one that has thrown.
    void begin();
    std::span<const std::size_t> choose(std::span<const float> observations, std::span<const double> probabilities,
                                        std::span<const double> values);
    /// Draws continuous actions.
    std::span<const float> choose_elements(std::span<const float> observations, std::span<const double> predictions,
                                           std::span<const double> values);
    /// Keeps what a step gave. `values_of()` returns the values of the observations that the step has reached; it is
    /// called only if an episode was cut off.
    void record(std::span<const StepOutcome> outcomes, const AnyFunction<std::vector<double>()>& values_of);
    /// Computes advantages, from the values of the observations after the last step.
    void finish(std::span<const double> last_values);

    /// A part of the steps, in random order.
    struct Minibatch {
        std::vector<float> observations{};
        std::vector<double> returns{}, upstream{};
        std::size_t count = 0;
    };
    /// Returns the number of minibatches of an update.
    std::size_t minibatches() const;
    const Minibatch& minibatch(std::size_t number);
    /// Returns the gradient of the mean loss of the minibatch with respect to the predictions of the policy.
    std::span<const double> gradient(std::span<const double> predictions);
    void add_value_loss(double loss);
    PpoUpdate report();

private:
    PpoOptions options_;
    std::size_t width_, outputs_;
    PhiloxSequence random_, shuffling_;
    std::vector<float> observations_{};
    std::vector<std::size_t> actions_{}, order_{};
    std::vector<float> elements_{};      // of continuous actions
    std::vector<double> likelihoods_{};  // the probability of each action, or the logarithm of its density
    std::vector<double> values_{}, advantages_{}, returns_{};
    std::vector<StepOutcome> outcomes_{};
    std::vector<double> cut_values_{};  // value after a step that was cut off
    Minibatch minibatch_{};
    std::span<const std::size_t> part_{};
    PpoUpdate sums_{};
    std::int64_t steps_ = 0;

    std::size_t per_pass() const;
    /// Keeps observations and their values.
    void see(std::span<const float> observations, std::span<const double> values);
};

}  // namespace detail

/// Trains a policy by proximal policy optimization, with a second network that estimates the value of an observation.
///
/// Schulman et al. 2017, "Proximal Policy Optimization Algorithms", arXiv 1707.06347: the clipped objective (equation
/// 7), an entropy bonus, and generalized advantages that are normalized in each minibatch. Training runs on the
/// processor, by a `BatchTrainer` for each network. Models must outlive the learner.
///
/// The policy predicts a probability for each action, such as `Dense(2) + SoftmaxCE()`. For continuous actions of n
/// elements it predicts 2n numbers, such as `Dense(2) + SquaredDiff()` for one: the mean of each element, and then the
/// logarithm of each standard deviation, which is limited to -5 … 2. The value network predicts one number, such as
/// `Dense(1) + SquaredDiff()`. Its loss decides how values are learned.
///
/// @tparam P  network of the policy
/// @tparam V  network of the value
/// @tparam E  type of the environment
/// @tparam O  type of the optimizers
/// @tparam T  element type of the policy
/// @tparam U  element type of the value network
///
/// @par Example
/// @code
/// // #include <sigma/acting/cart_pole.hpp>
/// // #include <sigma/acting/ppo.hpp>
/// struct Policy : Network<Input(4) + Dense(64, tanh) + Dense(2) + SoftmaxCE()> {};
/// struct Value : Network<Input(4) + Dense(64, tanh) + Dense(1) + SquaredDiff()> {};
/// Model<Policy> policy(1);
/// Model<Value> value(2);
/// PPO learner(policy, value, CartPole{}, Adam{.learning_rate = 0.001}, {.seed = 1});
/// const PpoUpdate first = learner.update();
/// @endcode
///
/// @see DQN, play_episodes, docs/acting.md
template <AnyNetwork P, AnyNetwork V, class E, AnyOptimizer O, class T, class U>
class PPO {
public:
    /// Constructs a learner and begins the episodes.
    /// @param policy       model of the policy, which is trained
    /// @param value        model of the value, which is trained
    /// @param environment  the environment, which is copied
    /// @param optimizer    optimizer of both networks
    /// @param options      numbers of environments and steps, weights and seed
    /// @throws ArgumentError  if an option is out of its range
    /// @throws ShapeError     if a network does not fit the environment
    PPO(Model<P, T>& policy, Model<V, U>& value, const E& environment, O optimizer, const PpoOptions& options = {})
        : environments_(environment, options.environments, options.seed), policy_(policy), value_(value),
          actor_(policy, optimizer), critic_(value, optimizer),
          core_(options, environments_.observation_size(), detail::policy_outputs<E>()), steps_(options.steps) {
        detail::check_acting_network("policy network", policy, environments_.observation_size(),
                                     detail::policy_outputs<E>(), detail::SizesActions<E>);
        detail::check_acting_network("value network", value, environments_.observation_size(), 1);
    }

    /// Plays `steps` steps in each environment, and trains both networks on them.
    /// @return returns of the episodes that have ended, and losses
    /// @throws NumericError   if a parameter would become infinite or NaN
    /// @throws ArgumentError  if the policy predicts something that is no probability, or no finite mean or deviation
    PpoUpdate update() {
        const std::size_t n = environments_.size();
        core_.begin();
        for (std::size_t t = 0; t < steps_; ++t) {
            const auto seen = environments_.observations();
            const auto predictions = detail::predicted_rows(policy_, seen, n);
            const auto values = detail::predicted_rows(value_, seen, n);
            const auto actions = [&] {
                if constexpr (detail::SizesActions<E>) return core_.choose_elements(seen, predictions, values);
                else return core_.choose(seen, predictions, values);
            }();
            core_.record(environments_.step(actions),
                         [&] { return detail::predicted_rows(value_, environments_.reached(), n); });
        }
        core_.finish(detail::predicted_rows(value_, environments_.observations(), n));
        for (std::size_t i = 0; i < core_.minibatches(); ++i) {
            const auto& some = core_.minibatch(i);
            const auto states = detail::as_inputs(policy_, some.observations, some.count);
            const auto upstream = core_.gradient(detail::predicted_rows(policy_, some.observations, some.count));
            actor_.backward(states, shaped_as(policy_, upstream, some.count));
            actor_.apply();
            core_.add_value_loss(critic_.train_on_batch(detail::as_inputs(value_, some.observations, some.count),
                                                        shaped_as(value_, some.returns, some.count)));
        }
        return core_.report();
    }

    /// Returns the optimizer of the policy, whose numbers may be changed between updates.
    O& policy_optimizer() { return actor_.optimizer; }
    /// Returns the optimizer of the value network, whose numbers may be changed between updates.
    O& value_optimizer() { return critic_.optimizer; }

private:
    ParallelEnvironments<E> environments_;
    Model<P, T>& policy_;
    Model<V, U>& value_;
    BatchTrainer<P, O, T> actor_;
    BatchTrainer<V, O, U> critic_;
    detail::PpoCore core_;
    std::size_t steps_;

    template <class M>
    static ArrayView<const double> shaped_as(const M& model, std::span<const double> rows, std::size_t count) {
        return {rows.data(),
                detail::array_extents(model.records.costs[0].prediction, static_cast<std::ptrdiff_t>(count))};
    }
};

/// @cond internal
template <class P, class V, class Why, class O, class T, class U>
class PPO<P, V, detail::NoEnvironment<Why>, O, T, U>;
template <AnyNetwork P, AnyNetwork V, class E, AnyOptimizer O, class T, class U>
    requires(!Environment<E>)
PPO(Model<P, T>&, Model<V, U>&, const E&, O, PpoOptions = {})
    -> PPO<P, V, detail::NoEnvironment<detail::EnvironmentMistake<E>>, O, T, U>;
/// @endcond

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/acting/impl/ppo.ipp>
#endif
