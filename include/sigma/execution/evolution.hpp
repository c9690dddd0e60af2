// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Minimization without gradients, of functions and of models: cma_es, evolution_strategy. Include it yourself.
#include <sigma/core/any_function.hpp>
#include <sigma/network/model.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace sigma {

/// A generation of a search, as `after_generation` gets it.
///
/// @see CmaEsOptions, EvolutionStrategyOptions
struct Generation {
    std::int64_t number = 0;       ///< Number of the generation, from 1.
    std::int64_t evaluations = 0;  ///< Evaluations so far.
    double value = 0;              ///< Least value of this generation.
    double best = 0;               ///< Least value so far of the numbers that may be returned.
    double step_size = 0;          ///< Standard deviation of the next candidates, without the shape of the covariance.
    std::span<const double> mean{};  ///< Mean of the next candidates. Valid during the call.
};

/// Options of `cma_es`. The defaults are those of Hansen 2016.
///
/// @see cma_es
struct CmaEsOptions {
    /// Standard deviation of the first candidates, finite and above 0. The minimum should lie within about three of
    /// them.
    double step_size = 0.3;
    std::size_t population = 0;         ///< Candidates of a generation, at least 4. 0: 4 + ⌊3 ln n⌋ of n numbers.
    std::int64_t evaluations = 100000;  ///< Begins no generation after so many evaluations, at least 1.
    double target = -std::numeric_limits<double>::infinity();  ///< Ends at a value of at most this.
    /// Ends if the values of a generation and the best ones of the last 10 + 30 n / population differ by less. At least
    /// 0; 0: never.
    double value_tolerance = 1e-12;
    /// Ends if the deviation of every number is below this part of `step_size`. At least 0; 0: never.
    double step_tolerance = 1e-12;
    /// Most numbers with a full covariance matrix. With more, the matrix is diagonal (Ros and Hansen 2008). A full
    /// matrix takes time n³ in a generation.
    std::size_t full_up_to = 100;
    std::vector<double> lower{};  ///< Lower bounds: one for all numbers, or one for each. Empty: none.
    std::vector<double> upper{};  ///< Upper bounds: one for all numbers, or one for each. Empty: none.
    std::uint64_t seed = 0;       ///< Seed of the candidates.
    /// Called after each generation. Returns whether the search continues. Default: none.
    detail::AnyFunction<bool(const Generation&)> after_generation{};
};

/// Options of `evolution_strategy`.
///
/// @see evolution_strategy
struct EvolutionStrategyOptions {
    double step_size = 0.1;             ///< Standard deviation of the candidates, finite and above 0.
    std::size_t pairs = 25;             ///< Pairs of candidates of a generation, at least 1.
    double learning_rate = 0.05;        ///< Learning rate of Adam, finite and above 0.
    std::int64_t evaluations = 100000;  ///< Begins no generation after so many evaluations, at least 1.
    /// Ends if the value of the numbers after a step is at most this. Values of candidates do not count.
    double target = -std::numeric_limits<double>::infinity();
    std::uint64_t seed = 0;  ///< Seed of the candidates.
    /// Called after each generation. Returns whether the search continues. Default: none.
    detail::AnyFunction<bool(const Generation&)> after_generation{};
};

/// The reasons for which `cma_es` and `evolution_strategy` end.
///
/// @see EvolutionResult
enum class EvolutionEnd {
    target,       ///< A value is at most `target`.
    value,        ///< The values differ by less than `value_tolerance`.
    step,         ///< The deviations are below `step_tolerance`.
    condition,    ///< The condition number of the covariance is above 1e14, so that rounding would decide.
    evaluations,  ///< All evaluations are done.
    stopped       ///< `after_generation` returned false.
};

/// The result of `cma_es` and `evolution_strategy`.
///
/// @see cma_es, evolution_strategy
struct EvolutionResult {
    double value = 0;                              ///< Value of the returned numbers.
    std::int64_t generations = 0;                  ///< Number of generations.
    std::int64_t evaluations = 0;                  ///< Number of evaluations.
    EvolutionEnd end = EvolutionEnd::evaluations;  ///< Reason for the end.
};

/// Minimizes a function with CMA-ES, from its values alone.
///
/// Covariance matrix adaptation: Hansen 2016, "The CMA Evolution Strategy: A Tutorial", arXiv 1604.00772, appendix A,
/// with negative weights. Only the order of the values matters. A value that is NaN counts as the greatest. Outside of
/// bounds, the function is mirrored at them, so `function` gets only numbers within the bounds.
/// @param x         numbers at which to start, at least one; afterwards the best that were evaluated
/// @param function  `function(x)` returns the value of a `std::span<const double>`
/// @param options   step size, population, limits, tolerances, bounds and seed
/// @return the best value, and the reason for the end
/// @throws ArgumentError  if an option is out of its range, the start is empty, not finite or outside of the bounds, or
///     the function returns no number in the first generation
///
/// @par Example
/// @code
/// // #include <sigma/execution/evolution.hpp>
/// std::vector<double> x{3, 4};
/// cma_es(x, [](std::span<const double> at) { return at[0] * at[0] + at[1] * at[1]; });  // x becomes about {0, 0}
/// @endcode
///
/// @see lbfgs, evolution_strategy, docs/acting.md
EvolutionResult cma_es(std::span<double> x, const detail::AnyFunction<double(std::span<const double>)>& function,
                       const CmaEsOptions& options = {});

/// Minimizes a function of very many numbers with an evolution strategy of pairs of candidates.
///
/// Salimans et al. 2017, "Evolution Strategies as a Scalable Alternative to Reinforcement Learning", arXiv 1703.03864:
/// mirrored candidates x + σε and x - σε, ranks instead of values, and Adam. Time and memory are linear in the number
/// of elements. A value that is NaN counts as the greatest. Each generation also evaluates x itself.
/// @param x         numbers at which to start, at least one; afterwards the best x
/// @param function  `function(x)` returns the value of a `std::span<const double>`
/// @param options   step size, pairs, learning rate, limits and seed
/// @return the value of x, and the reason for the end
/// @throws ArgumentError  if an option is out of its range, the start is empty or not finite, or its value is not
///     finite
///
/// @par Example
/// @code
/// // #include <sigma/execution/evolution.hpp>
/// std::vector<double> x{3, 4};
/// evolution_strategy(x, [](std::span<const double> at) { return at[0] * at[0] + at[1] * at[1]; }, {.target = 0.01});
/// @endcode
///
/// @see cma_es, docs/acting.md
EvolutionResult evolution_strategy(std::span<double> x,
                                   const detail::AnyFunction<double(std::span<const double>)>& function,
                                   const EvolutionStrategyOptions& options = {});

namespace detail {

/// Returns the elements of all trained parameters, in the order of the layers.
template <class T>
std::vector<double> trained_elements(const ModelStore<T>& model);
/// Sets the elements of all trained parameters.
template <class T>
void set_trained_elements(ModelStore<T>& model, std::span<const double> elements);

/// Calls minimize(x, function) with the trained parameters of a model as x. After an exception, the model is as before.
template <class M, class F, class Minimize>
EvolutionResult evolved(M& model, F& loss_of, const Minimize& minimize) {
    using T = typename M::Element;
    const std::vector<double> start = trained_elements<T>(model);
    std::vector<double> x = start;
    try {
        const EvolutionResult result = minimize(x, [&](std::span<const double> at) {
            set_trained_elements<T>(model, at);
            return static_cast<double>(loss_of(std::as_const(model)));
        });
        set_trained_elements<T>(model, x);
        return result;
    } catch (...) {
        set_trained_elements<T>(model, start);
        throw;
    }
}

}  // namespace detail

/// Trains a model with CMA-ES: minimizes a function of the model over its trained parameters.
///
/// Statistics such as those of BatchNorm and parameters of frozen layers stay as they are.
/// @param model    model to train; afterwards with the best parameters that were evaluated, rounded to its type
/// @param loss_of  `loss_of(model)` returns the value to minimize of a `const Model&`
/// @param options  step size, population, limits, tolerances and seed
/// @return the best value, and the reason for the end
/// @throws ArgumentError  as for numbers. After an exception, the model is unchanged.
///
/// @par Example
/// @code
/// // #include <sigma/execution/evolution.hpp>
/// struct Line : Network<Input(1) + Dense(1) + SquaredDiff()> {};
/// Model<Line> line(1);
/// cma_es(line, [&](const Model<Line>& now) { return now.evaluate(Array<float>{{1}, {2}}, Array<float>{{3},
/// {5}}).error; });
/// @endcode
///
/// @see evolution_strategy, docs/acting.md
template <AnyNetwork N, class T, class F>
    requires std::is_invocable_r_v<double, F&, const Model<N, T>&>
EvolutionResult cma_es(Model<N, T>& model, F loss_of, const CmaEsOptions& options = {}) {
    return detail::evolved(model, loss_of,
                           [&](std::span<double> x, const auto& value) { return cma_es(x, value, options); });
}
/// Trains a model with an evolution strategy: minimizes a function of the model over its trained parameters.
/// @param model    model to train; afterwards with the best parameters
/// @param loss_of  `loss_of(model)` returns the value to minimize of a `const Model&`
/// @param options  step size, pairs, learning rate, limits and seed
/// @return the value of the model, and the reason for the end
/// @throws ArgumentError  as for numbers. After an exception, the model is unchanged.
///
/// @see cma_es, docs/acting.md
template <AnyNetwork N, class T, class F>
    requires std::is_invocable_r_v<double, F&, const Model<N, T>&>
EvolutionResult evolution_strategy(Model<N, T>& model, F loss_of, const EvolutionStrategyOptions& options = {}) {
    return detail::evolved(
        model, loss_of, [&](std::span<double> x, const auto& value) { return evolution_strategy(x, value, options); });
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/evolution.ipp>
#endif
