// SPDX-License-Identifier: BSL-1.0
#pragma once
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

/// It takes steps on all records until nothing changes, and knows no statistics that move with batches (BatchNorm).
template <class Network>
struct error_lbfgs_does_not_move_statistics_of_batches;

struct LbfgsOptions {
    std::int64_t iterations = 200;     ///< at most
    std::int64_t history = 10;         ///< pairs of steps and gradients that curvature is known from
    double gradient_tolerance = 1e-6;  ///< it ends where no element of the gradient is greater
    double change_tolerance = 1e-10;  ///< or where the value gets smaller by less, relative to the value or 1; 0: never
    double l2 = 0;                    ///< adds l2 / 2 · Σ w² over the parameters of this pattern; for models only
    std::string penalized = "*.weights";
};

/// Why it ended: gradient or change of the value below its tolerance, all iterations done, or no step along the last
/// direction that makes the value smaller, which rounding does near the minimum.
enum class LbfgsEnd { gradient, change, iterations, no_descent };

struct LbfgsResult {
    double value = 0;              ///< at the end, with the penalty
    double gradient = 0;           ///< its greatest element
    std::int64_t iterations = 0;   ///< steps taken
    std::int64_t evaluations = 0;  ///< of value and gradient
    LbfgsEnd end = LbfgsEnd::iterations;
};

/// Minimizes a function of many numbers, from `x` on, which becomes the place of the minimum: limited-memory BFGS
/// (Nocedal 1980), with a line search for the strong Wolfe conditions (Nocedal and Wright, Numerical Optimization,
/// algorithms 3.5, 3.6 and 7.5). `f(x, gradient)` returns the value and writes the gradient. Throws ArgumentError where
/// an option makes no sense, or value or gradient are not finite at the beginning.
LbfgsResult lbfgs(std::span<double> x, const detail::AnyFunction<double(std::span<const double>, std::span<double>)>& f,
                  const LbfgsOptions& options = {});

namespace detail {

inline constexpr Purpose to_minimize{.training = true, .losses = true, .gradients = GradientsIn::trained};

[[gnu::cold]] void refuse_statistics_of_batches(const MadeTables& network);
/// Are there none that a step changes? Networks made while the program runs are asked there.
template <class N>
concept WithoutStatistics = MadeNetwork<N> || changed_statistics(N::expression).size() == 0;

template <class T>
LbfgsResult lbfgs_of(ModelStore<T>& model, const CompiledProgram<T>& program, const Dataset& data,
                     const LbfgsOptions& options);

}  // namespace detail

/// Trains a network on all records at once, on the processor, as above: for small networks and data, above all with
/// Model<N, double>, since rounding of float ends it early. What layers draw at random is the same in each step. Throws
/// DataError or ShapeError where the data do not fit the network.
template <AnyNetwork N, class T>
    requires detail::WithoutStatistics<N>
LbfgsResult lbfgs(Model<N, T>& model, const Dataset& data, const LbfgsOptions& options = {}) {
    if constexpr (MadeNetwork<N>) detail::refuse_statistics_of_batches(model.definition().made());
    return detail::lbfgs_of<T>(model, model.template program<detail::to_minimize>(), data, options);
}
template <AnyNetwork N, class T>
    requires(!detail::WithoutStatistics<N>)
error_lbfgs_does_not_move_statistics_of_batches<N> lbfgs(Model<N, T>&, const Dataset&, const LbfgsOptions& = {});

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/lbfgs.ipp>
#endif
