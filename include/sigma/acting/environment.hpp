// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Environments in which models act: Environment, EnvironmentStep, ParallelEnvironments, play_episodes. Include it
/// yourself.
#include <sigma/core/philox.hpp>
#include <sigma/core/words.hpp>
#include <sigma/network/model.hpp>
#include <sigma/tape/mistake.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace sigma {

/// A mistake at compile time: an environment has no copy constructor.
template <class E>
struct error_environment_cannot_be_copied;
/// A mistake at compile time: an environment has neither a number of actions, `static constexpr std::size_t actions =
/// 2;`, nor a number of elements of an action, `static constexpr std::size_t action_size = 1;`.
template <class E>
struct error_environment_has_no_actions;
/// A mistake at compile time: an environment has no `reset(PhiloxSequence&)` that returns an observation, such as a
/// `std::array<float, 4>`.
template <class E>
struct error_environment_has_no_reset_that_returns_floats;
/// A mistake at compile time: an environment has no `step(std::size_t action)` that returns an EnvironmentStep, or no
/// `step(std::span<const float> action)` if it has an `action_size`.
template <class E>
struct error_environment_has_no_step_that_returns_an_EnvironmentStep;

/// The result of a step of an environment.
/// @tparam Observation  type of observations, such as `std::array<float, 4>`
///
/// @see Environment
template <class Observation>
struct EnvironmentStep {
    Observation observation{};  ///< Numbers that the model sees after the step.
    double reward = 0;          ///< Reward of the step.
    bool terminated = false;    ///< True if the episode ends and no reward would follow.
    bool truncated = false;     ///< True if the episode is cut off, for example after its longest time.
};

namespace detail {

template <class O>
concept ObservedNumbers = std::convertible_to<const O&, std::span<const float>>;
template <class E>
concept CountsActions = requires {
    { E::actions } -> std::convertible_to<std::size_t>;
};
template <class E>
concept SizesActions = requires {
    { E::action_size } -> std::convertible_to<std::size_t>;
};
template <class E>
concept Resets = requires(E& e, PhiloxSequence& random) {
    { e.reset(random) } -> ObservedNumbers;
};
template <class S>
concept StepOfEnvironment = ObservedNumbers<decltype(S::observation)> && requires(const S& s) {
    { s.reward } -> std::convertible_to<double>;
    { s.terminated } -> std::convertible_to<bool>;
    { s.truncated } -> std::convertible_to<bool>;
};
/// An element of an action: a number of an action, or one of several numbers that make an action.
template <class E>
using ActionElement = std::conditional_t<SizesActions<E>, float, std::size_t>;
template <class E>
concept Steps = requires(E& e, std::conditional_t<SizesActions<E>, std::span<const float>, std::size_t> action) {
    { e.step(action) } -> StepOfEnvironment;
};
/// The type that names what an environment lacks; void if it lacks nothing.
template <class E>
using EnvironmentMistake =
    MistakeOf<FirstMistake<MistakeIf<!std::copy_constructible<E>, error_environment_cannot_be_copied<E>>,
                           MistakeIf<!CountsActions<E> && !SizesActions<E>, error_environment_has_no_actions<E>>,
                           MistakeIf<!Resets<E>, error_environment_has_no_reset_that_returns_floats<E>>,
                           MistakeIf<!Steps<E>, error_environment_has_no_step_that_returns_an_EnvironmentStep<E>>>>;
/// Stands for a class that is no environment, in the type of what it was given to.
template <class Why>
struct NoEnvironment;

}  // namespace detail

/// A world in which a model acts step by step.
///
/// A class fulfils the concept with three members, and if it can be copied:
///
/// - `static constexpr std::size_t actions`: the number of actions. Or, for continuous actions,
///   `static constexpr std::size_t action_size`: the number of elements of an action.
/// - `reset(PhiloxSequence& random)`: begins an episode and returns the first observation. An observation is anything
///   that converts to a `std::span<const float>`, of the same size each time.
/// - `step(std::size_t action)`: makes a step and returns an EnvironmentStep. Actions are numbers from 0. With an
///   `action_size`, write `step(std::span<const float> action)`, which clips the elements to their range.
///
/// @par Example
/// @code
/// // #include <sigma/acting/environment.hpp>
/// struct Coin {  // guess what comes next: 1 for a right guess, in ten rounds
///     static constexpr std::size_t actions = 2;
///     std::array<float, 1> reset(PhiloxSequence& random) { round = 0; return {coming = float(random.below(2))}; }
///     EnvironmentStep<std::array<float, 1>> step(std::size_t guess) {
///         return {{coming}, guess == static_cast<std::size_t>(coming) ? 1.0 : 0.0, false, ++round == 10};
///     }
///     float coming = 0;
///     int round = 0;
/// };
/// static_assert(Environment<Coin>);
/// @endcode
///
/// @see CartPole, PPO, DQN, docs/acting.md
template <class E>
concept Environment = std::is_void_v<detail::EnvironmentMistake<E>>;

/// The outcome of a step in one of several environments.
///
/// @see ParallelEnvironments
struct StepOutcome {
    double reward = 0;               ///< Reward of the step.
    bool terminated = false;         ///< True if the episode has ended and no reward would follow.
    bool truncated = false;          ///< True if the episode was cut off.
    double episode_return = 0;       ///< Sum of the rewards of the episode so far, this step included.
    std::int64_t episode_steps = 0;  ///< Steps of the episode so far, this step included.

    /// Returns whether the episode has ended, for either reason.
    bool ended() const { return terminated || truncated; }
};

namespace detail {

/// The part of ParallelEnvironments that does not depend on the type of the environment.
class EnvironmentRows {
public:
    EnvironmentRows(std::size_t count, std::uint64_t seed);

    std::size_t size() const { return outcomes_.size(); }
    std::size_t observation_size() const { return observations_.size() / size(); }
    std::span<const float> observations() const { return observations_; }
    std::span<const float> reached() const { return reached_; }

protected:
    std::vector<PhiloxSequence> random_{};
    std::vector<float> observations_{}, reached_{};
    std::vector<StepOutcome> outcomes_;

    void begin(std::size_t i, std::span<const float> observation);
    void record(std::size_t i, std::span<const float> observation, double reward, bool terminated, bool truncated);
    void check_actions(std::span<const std::size_t> actions, std::size_t below) const;
    void check_actions(std::span<const float> actions, std::size_t size_of_one) const;
    void put(std::vector<float>& rows, std::size_t i, std::span<const float> observation) const;
};

/// Throws ArgumentError for an option outside of 0 to 1. `where`: such as "PPO with ".
void check_share(const char* where, const char* name, double x);
/// Throws ShapeError unless the network takes observations of this size and predicts `outputs` numbers.
void check_acting_network(const char* network, const Shape& input, std::size_t observation, const Shape& prediction,
                          std::size_t outputs, bool continuous);
template <class M>
void check_acting_network(const char* network, const M& model, std::size_t observation, std::size_t outputs,
                          bool continuous = false) {
    check_acting_network(network, model.records.inputs[0], observation, model.records.costs[0].prediction, outputs,
                         continuous);
}
/// Returns the observations as an array that the model takes.
template <class M>
ArrayView<const float> as_inputs(const M& model, std::span<const float> rows, std::size_t count) {
    return {rows.data(), array_extents(model.records.inputs[0], static_cast<std::ptrdiff_t>(count))};
}
template <class M>
std::vector<double> predicted_rows(const M& model, std::span<const float> rows, std::size_t count) {
    const auto predictions = model.predict(as_inputs(model, rows, count));
    return {predictions.begin(), predictions.end()};
}
/// Returns the action with the greatest number, of equal ones the first.
std::size_t greedy_action(std::span<const double> numbers);
/// Returns how many numbers a policy predicts: one for each action or, for continuous actions, the mean of each element
/// and then the logarithm of each standard deviation.
template <class E>
constexpr std::size_t policy_outputs() {
    if constexpr (SizesActions<E>) return 2 * std::size_t{E::action_size};
    else return E::actions;
}
/// Returns the standard deviation for a predicted logarithm, which is limited to -5 … 2.
double deviation_of(double logarithm);

}  // namespace detail

/// Several copies of an environment that make their steps together, so that one prediction covers all of them.
///
/// If an episode ends, the environment begins the next one at once. Each copy has random numbers of its own, which
/// depend on the seed and the number of the copy.
/// @tparam E  type of the environment
///
/// @par Example
/// @code
/// // #include <sigma/acting/cart_pole.hpp>
/// ParallelEnvironments carts(CartPole{}, 8, 1);
/// const std::vector<std::size_t> right(8, 1);
/// double reward = carts.step(right)[0].reward;
/// @endcode
///
/// @see Environment, docs/acting.md
template <class E>
class ParallelEnvironments : detail::EnvironmentRows {
    using Rows = detail::EnvironmentRows;

public:
    /// Copies an environment and begins an episode in each copy.
    /// @param environment  the environment
    /// @param count        number of copies, at least 1
    /// @param seed         seed of their random numbers. Default: 0.
    /// @throws ArgumentError  if `count` is 0
    /// @throws ShapeError     if an observation is empty, or they differ in their sizes
    ParallelEnvironments(const E& environment, std::size_t count, std::uint64_t seed = 0)
        : Rows(count, seed), each_(count, environment) {
        for (std::size_t i = 0; i < count; ++i) begin(i, each_[i].reset(Rows::random_[i]));
    }
    /// Returns the number of environments.
    using Rows::size;
    /// Returns the number of elements of an observation.
    using Rows::observation_size;
    /// Returns what the model sees before the next step: an observation for each environment, one after the other.
    using Rows::observations;
    /// Returns the observations right after the last step. They differ from `observations` where an episode has ended.
    using Rows::reached;

    /// Makes a step in each environment. If an episode ends, begins the next one.
    /// @param actions  an action for each environment, continuous ones one after the other
    /// @return what the step gave in each environment, valid until the next step
    /// @throws ArgumentError  if the number of actions is wrong, an action does not exist, or an element of one is not
    ///                        finite
    /// @throws ShapeError     if observations differ in their sizes
    std::span<const StepOutcome> step(std::span<const detail::ActionElement<E>> actions) {
        if constexpr (detail::SizesActions<E>) Rows::check_actions(actions, E::action_size);
        else Rows::check_actions(actions, E::actions);
        for (std::size_t i = 0; i < size(); ++i) {
            const auto now = [&] {
                if constexpr (detail::SizesActions<E>)
                    return each_[i].step(actions.subspan(i * E::action_size, E::action_size));
                else return each_[i].step(actions[i]);
            }();
            Rows::record(i, now.observation, now.reward, now.terminated, now.truncated);
            if (Rows::outcomes_[i].ended()) begin(i, each_[i].reset(Rows::random_[i]));
        }
        return Rows::outcomes_;
    }

private:
    std::vector<E> each_;
};

/// @cond internal
template <class Why>
class ParallelEnvironments<detail::NoEnvironment<Why>>;
template <class E>
    requires(!Environment<E>)
ParallelEnvironments(const E&, std::size_t, std::uint64_t = 0)
    -> ParallelEnvironments<detail::NoEnvironment<detail::EnvironmentMistake<E>>>;
/// @endcond

/// Options of `play_episodes`.
///
/// @see play_episodes
struct PlayOptions {
    std::size_t episodes = 100;  ///< Number of episodes, at least 1.
    std::uint64_t seed = 0;      ///< Seed of the environments and of the draws.
    /// 0: the action with the greatest prediction. Above 0: draws by the predicted probabilities p^(1/temperature).
    /// Continuous actions: the predicted mean, and draws with temperature times the predicted deviation.
    double temperature = 0;
};

/// The episodes that `play_episodes` has played.
///
/// @see play_episodes
struct EpisodeResults {
    std::vector<double> returns{};      ///< Sum of the rewards of each episode.
    std::vector<std::int64_t> steps{};  ///< Number of steps of each episode.

    /// Returns the mean of the returns.
    double mean_return() const;
};

namespace detail {

class EpisodePlay {
public:
    explicit EpisodePlay(const PlayOptions& options);
    std::span<const std::size_t> choose(std::span<const double> predictions);
    std::span<const float> choose_elements(std::span<const double> predictions);
    /// Keeps the first episode of each environment. Returns whether some have not ended.
    bool go_on(std::span<const StepOutcome> outcomes);
    EpisodeResults results;

private:
    PlayOptions options_;
    PhiloxSequence random_;
    std::vector<std::size_t> actions_{};
    std::vector<float> elements_{};
    std::size_t ended_ = 0;
};

}  // namespace detail

/// Plays episodes with a model that chooses the actions, and returns their returns. The model learns nothing.
///
/// All episodes are played at the same time. Each of them must end, so an environment needs a longest time.
/// @param model        a model that predicts a number for each action: a policy or a Q network. Continuous actions: the
///                     mean of each element, and then the logarithm of each standard deviation.
/// @param environment  the environment, which is copied
/// @param options      number of episodes, seed and temperature
/// @return the returns and lengths, in the order of the environments
/// @throws ShapeError     if the network does not fit the environment
/// @throws ArgumentError  if an option is out of its range
///
/// @par Example
/// @code
/// // #include <sigma/acting/cart_pole.hpp>
/// struct Policy : Network<Input(4) + Dense(64, tanh) + Dense(2) + SoftmaxCE()> {};
/// const Model<Policy> policy(1);
/// double steps = play_episodes(policy, CartPole{}, {.episodes = 10, .seed = 7}).mean_return();
/// @endcode
///
/// @see PPO, DQN, docs/acting.md
template <AnyNetwork N, class T, Environment E>
EpisodeResults play_episodes(const Model<N, T>& model, const E& environment, const PlayOptions& options = {}) {
    ParallelEnvironments<E> all(environment, options.episodes, options.seed);
    detail::check_acting_network("network", model, all.observation_size(), detail::policy_outputs<E>(),
                                 detail::SizesActions<E>);
    detail::EpisodePlay play(options);
    bool more = true;
    while (more) {
        const auto predictions = detail::predicted_rows(model, all.observations(), all.size());
        if constexpr (detail::SizesActions<E>) more = play.go_on(all.step(play.choose_elements(predictions)));
        else more = play.go_on(all.step(play.choose(predictions)));
    }
    return play.results;
}
/// @cond internal
template <AnyNetwork N, class T, class E>
    requires(!Environment<E>)
auto play_episodes(const Model<N, T>&, const E&, const PlayOptions& = {})
    -> decltype(detail::plainly(std::type_identity<detail::EnvironmentMistake<E>>{}));
/// @endcond

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/acting/impl/environment.ipp>
#endif
