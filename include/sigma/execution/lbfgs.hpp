// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Minimization with L-BFGS, of functions and of networks. Include it yourself.
#include <sigma/core/any_function.hpp>
#include <sigma/core/words.hpp>
#include <sigma/data/dataset.hpp>
#include <sigma/execution/step.hpp>
#include <sigma/network/model.hpp>

#include <cstdint>
#include <span>
#include <string>

SIGMA_INCLUDED(sigma, include_sigma_execution_lbfgs_hpp);

namespace sigma {

/// A mistake at compile time: `lbfgs` is called for a network with statistics of batches, such as those of BatchNorm.
///
/// The method makes steps on all records until the parameters no longer change, so no statistics can move.
template <class Network>
struct error_lbfgs_does_not_move_statistics_of_batches;

/// Options of `lbfgs`.
///
/// @see lbfgs
struct LbfgsOptions {
    std::int64_t iterations = 200;     ///< Most iterations, at least 0.
    std::int64_t history = 10;         ///< Pairs of steps and gradients that estimate the curvature, at least 1.
    double gradient_tolerance = 1e-6;  ///< Ends if no element of the gradient is larger, at least 0.
    /// Ends if the value falls by less, relative to the value or 1. At least 0; 0: never.
    double change_tolerance = 1e-10;
    /// Adds l2 / 2 · Σ w² over the penalized parameters. Finite and at least 0; for models only.
    double l2 = 0;
    std::string penalized = "*.weights";  ///< Pattern of names of the parameters that `l2` penalizes.
};

/// The reasons for which `lbfgs` ends.
///
/// @see lbfgs
enum class LbfgsEnd {
    gradient,    ///< No element of the gradient is above `gradient_tolerance`.
    change,      ///< The value has fallen by less than `change_tolerance`.
    iterations,  ///< All iterations are done.
    no_descent   ///< No step along the last direction lowers the value, because of rounding near the minimum.
};

/// The result of `lbfgs`.
///
/// @see lbfgs
struct LbfgsResult {
    double value = 0;                     ///< Value at the end, with the penalty.
    double gradient = 0;                  ///< Largest magnitude of an element of the gradient at the end.
    std::int64_t iterations = 0;          ///< Number of steps.
    std::int64_t evaluations = 0;         ///< Number of evaluations of value and gradient.
    LbfgsEnd end = LbfgsEnd::iterations;  ///< Reason for the end.
};

/// Minimizes a function of many numbers with limited-memory BFGS.
///
/// Nocedal 1980, with a line search for the strong Wolfe conditions (Nocedal and Wright, Numerical Optimization,
/// algorithms 3.5, 3.6 and 7.5).
/// @param x         numbers at which to start; afterwards those of the minimum
/// @param function  `function(x, gradient)` returns the value and writes the gradient
/// @param options   limits and tolerances
/// @return value and gradient at the end, and the reason for the end
/// @throws ArgumentError  if an option is out of its range, or value or gradient are not finite at the start
///
/// @par Example
/// @code
/// // #include <sigma/execution/lbfgs.hpp>
/// std::vector<double> x{3, 4};
/// lbfgs(x, [](std::span<const double> at, std::span<double> gradient) {
///     for (std::size_t i = 0; i < at.size(); ++i) gradient[i] = 2 * at[i];
///     return at[0] * at[0] + at[1] * at[1];
/// });  // x becomes {0, 0}
/// @endcode
LbfgsResult lbfgs(std::span<double> x,
                  const detail::AnyFunction<double(std::span<const double>, std::span<double>)>& function,
                  const LbfgsOptions& options = {});

namespace detail {

inline constexpr Purpose to_minimize{.training = true, .losses = true, .gradients = GradientsIn::trained};

[[gnu::cold]] void refuse_statistics_of_batches(const MadeTables& network);
/// True for a network without statistics that a step changes. Run-time networks are checked at run time.
template <class N>
concept WithoutStatistics = MadeNetwork<N> || changed_statistics(N::expression).size() == 0;

template <class T>
LbfgsResult lbfgs_of(ModelStore<T>& model, const CompiledProgram<T>& program, const Dataset& data,
                     const LbfgsOptions& options);

}  // namespace detail

/// Trains a network with L-BFGS on all records at once, on the processor. For small networks and data sets.
///
/// Use a `Model<N, double>`, because rounding of `float` ends the search early. Layers that draw random numbers draw
/// the same in each step. It does not compile for a network with statistics of batches.
/// @param model    model to train
/// @param data     data set that fits the network
/// @param options  limits, tolerances and penalty
/// @return value and gradient at the end, and the reason for the end
/// @throws DataError      if the data do not fit the network
/// @throws ShapeError     if a shape of the data does not fit the network
/// @throws ArgumentError  if an option is out of its range, or value or gradient are not finite at the start
///
/// @par Example
/// @code
/// // #include <sigma/execution/lbfgs.hpp>
/// struct Logistic : Network<Input(28, 28) + Dense(10) + SoftmaxCE()> {};
/// Model<Logistic, double> logistic(1);
/// const LbfgsResult result = lbfgs(logistic, testing, {.l2 = 1e-4});
/// @endcode
template <AnyNetwork N, class T>
    requires detail::WithoutStatistics<N>
LbfgsResult lbfgs(Model<N, T>& model, const Dataset& data, const LbfgsOptions& options = {}) {
    if constexpr (MadeNetwork<N>) detail::refuse_statistics_of_batches(model.definition().made());
    return detail::lbfgs_of<T>(model, model.template program<detail::to_minimize>(), data, options);
}
/// @cond internal
template <AnyNetwork N, class T>
    requires(!detail::WithoutStatistics<N>)
error_lbfgs_does_not_move_statistics_of_batches<N> lbfgs(Model<N, T>&, const Dataset&, const LbfgsOptions& = {});
/// @endcond

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/lbfgs.ipp>
#endif
