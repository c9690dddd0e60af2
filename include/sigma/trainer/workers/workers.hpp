// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Training of separate networks in several workers, which are merged from time to time: workers, WorkerOptions, merge.
/// Included by `<sigma/sigma.hpp>`.
#include <sigma/core/any_function.hpp>
#include <sigma/device/device.hpp>
#include <sigma/tape/tensor.hpp>
#include <sigma/trainer/workers/worker_status.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sigma {

/// Rules for merging the values of a parameter from all workers, element by element.
///
/// @see merge
enum class MergeBy {
    average,  ///< The mean of the values.
    sum,      ///< The sum of the values.
    maximum,  ///< The greatest value.
    minimum,  ///< The smallest value.
};

/// A rule for merging the parameters that match a pattern. Made by `merge`.
///
/// @see merge
struct Merger {
    /// A function from the parameter's value in each worker to the merged value. All have the shape of the parameter.
    using Expression = detail::AnyFunction<Tensor(std::span<const Tensor> of_workers)>;

    std::string pattern;       ///< Names of parameters, with `*` for any text.
    Expression expression;     ///< Computes the merged value.
    std::string text;          ///< Name of the rule in messages.
    bool elementwise = false;  ///< True if parts of a parameter can be merged separately.
};
/// Merges the matching parameters by a given rule.
/// @param pattern  names of parameters, with `*` for any text
/// @param by       the rule
/// @return an element of `WorkerOptions::mergers`
///
/// @par Example
/// @code
/// trainer.run(workers(2, {.mergers = {merge("*", MergeBy::average), merge("*.biases", {0.75, 0.25})}}), 1);
/// @endcode
Merger merge(std::string pattern, MergeBy by);
/// Merges the matching parameters by a weighted average: Σ weight · value / Σ weight.
/// @param pattern  names of parameters, with `*` for any text
/// @param weights  one weight for each worker, 0 or more, not all 0
/// @return an element of `WorkerOptions::mergers`
/// @throws ArgumentError  if a weight is negative or not finite, or if all are 0
Merger merge(std::string pattern, std::vector<double> weights);
/// Merges the matching parameters by a function of tensors.
/// @param pattern     names of parameters, with `*` for any text
/// @param expression  computes the merged value from the values of all workers, all of the parameter's shape
/// @return an element of `WorkerOptions::mergers`
///
/// @par Example
/// @code
/// const Merger greatest = merge("2-*", [](std::span<const Tensor> x) { return max(x[0], x[1]); });
/// @endcode
inline Merger merge(std::string pattern, Merger::Expression expression) {
    return {std::move(pattern), std::move(expression), "an expression", false};
}

namespace detail {

template <class T>
class MadeCalls;
struct NetworkTable;
/// The last rule for a parameter, or the average.
const Merger& merger_of(std::string_view parameter, const std::vector<Merger>& mergers);
/// Throws ArgumentError if a rule matches no parameter.
void check_mergers(const std::string& where, const std::vector<Merger>& mergers, const NetworkTable& network);
/// Computes the merged values of `size` elements.
template <class T>
void merge_values(const Merger& by, std::span<const T* const> values, std::size_t size, T* result, MadeCalls<T>& calls);

}  // namespace detail

/// Distributions of the training data among workers.
///
/// @see WorkerOptions
enum class WorkerData {
    dealt,  ///< Deals out the batches of an epoch: the first to one worker, the second to the next, and so on.
    whole,  ///< Gives each worker all records in each epoch, in an order of its own.
};

/// Options of `workers`.
///
/// @see workers
struct WorkerOptions {
    /// Steps of each worker between two merges, at least 0. 0: merge only after each epoch.
    std::int64_t merge_every = 0;
    WorkerData data = WorkerData::dealt;  ///< Distribution of the training data.
    bool merge_states = true;  ///< Averages the states of the optimizer, too. Otherwise each worker keeps its own.
    /// Rules for merging parameters. The last rule that matches a parameter applies. Without one, it is averaged.
    std::vector<Merger> mergers{};
};

/// The workers of a run. Made by `workers`.
///
/// @see workers
struct WorkerSet {
    std::vector<Device> devices;  ///< Device of each worker.
    WorkerOptions options;        ///< Options of the run.
};
/// Returns the workers of a run, each with one thread of the CPU.
///
/// Each worker trains a network of its own on its own thread. They are merged at the end of each epoch (local SGD:
/// Stich 2019). Reading a parameter or a loss of the trainer gives its merged value. Setting a parameter sets it in all
/// workers.
///
/// @param count    number of workers, 1 to 256
/// @param options  how to distribute data and merge networks
/// @throws ArgumentError  if `count` or `options.merge_every` is out of range
///
/// @par Example
/// @code
/// trainer.run(workers(4, {.merge_every = 50}), 2);
/// @endcode
/// @see docs/workers.md
WorkerSet workers(int count, WorkerOptions options = {});
/// Returns the workers of a run on given devices.
/// @param devices  device of each worker, such as `{cpu(1), cpu(2), gpu()}`; 1 to 256
/// @param options  how to distribute data and merge networks
/// @throws ArgumentError  if the number of devices or `options.merge_every` is out of range
///
/// @par Example
/// @code
/// trainer.run(workers({cpu(1), cpu(1)}), 2);
/// @endcode
WorkerSet workers(std::vector<Device> devices, WorkerOptions options = {});

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/workers/impl/workers.ipp>
#endif
