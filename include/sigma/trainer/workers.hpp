// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/any_function.hpp>
#include <sigma/device/device.hpp>
#include <sigma/tape/tensor.hpp>
#include <sigma/trainer/worker_status.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// Training by several workers, each with a network of its own, which become one from time to time.
namespace sigma {

/// What the values that a parameter has in each worker become.
enum class MergeBy { average, sum, maximum, minimum };

/// How the parameters whose names match become one: an expression over their values in each worker.
struct Merger {
    using Expression = detail::AnyFunction<Tensor(std::span<const Tensor> of_workers)>;

    std::string pattern;
    Expression expression;
    std::string text;
    bool elementwise = false;  ///< may it be done with some of the elements after others?
};
/// merge("*.weights", MergeBy::average)
Merger merge(std::string pattern, MergeBy by);
/// Σ weight · value / Σ weight, one weight for each worker. Throws ArgumentError where one is negative or NaN, or all
/// are 0.
Merger merge(std::string pattern, std::vector<double> weights);
/// Any expression: `merge("*", [](std::span<const Tensor> x) { return (x[0] + x[1]) * 0.5; })`.
inline Merger merge(std::string pattern, Merger::Expression expression) {
    return {std::move(pattern), std::move(expression), "an expression", false};
}

/// What the workers of a run do apart.
enum class WorkerData {
    dealt,  ///< batches of an epoch are dealt out: batch 0 to the first, 1 to the second, …; an epoch is one of the
            ///< data
    whole,  ///< each takes all records in each epoch, in an order of its own
};

struct WorkerOptions {
    std::int64_t merge_every = 0;  ///< steps of each worker; 0: at the end of each epoch, as it is after the last ones
    WorkerData data = WorkerData::dealt;
    bool merge_states = true;       ///< are states of the optimizer averaged, too, or kept by each?
    std::vector<Merger> mergers{};  ///< the last one that matches decides; the average where none does
};

/// See `workers`.
struct WorkerSet {
    std::vector<Device> devices;
    WorkerOptions options;
};
/// `trainer.run(workers(4), 10)`: four networks are trained apart, each on a thread of its own, and merged at the end
/// of each epoch (local SGD: Stich 2019). What is read of the trainer meanwhile is what they would be merged to; what
/// is set goes to all of them. Throws ArgumentError for less than one, or more than 256.
WorkerSet workers(int count, WorkerOptions options = {});
/// On these devices: `workers({cpu(1), cpu(1), gpu()})`.
WorkerSet workers(std::vector<Device> devices, WorkerOptions options = {});

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/trainer/impl/workers.ipp>
#endif
