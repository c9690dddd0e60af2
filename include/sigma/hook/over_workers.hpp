// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Values over all workers of a run. Included by `<sigma/sigma.hpp>`.
#include <sigma/core/owners.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/words.hpp>

namespace sigma {

/// A mistake at compile time: the workers do not have a number of the value each, as in
/// `mean_over_workers(average(loss, 10))`.
///
/// Each worker has what its trainer counts and measures (`loss`, `error`, `iteration`), values of its parameters
/// (`norm(parameters("*"))`), and what hooks of `in_each_worker` compute. Values over time exist once, for all workers:
/// write `average(mean_over_workers(loss), 10)`.
template <class Value>
struct error_value_is_not_known_in_each_worker;

namespace detail {

enum class OverWorkers : unsigned char { mean, sum, maximum, minimum };

detail::SharedOwner<Derived> make_over_workers(const ValueHandle& source, OverWorkers how);

/// Returns whether each worker has a number of the value at any time.
template <class V>
constexpr bool is_known_in_each_worker() {
    if constexpr (is_derived<V>) {
        if constexpr (requires { V::wants; }) return V::Sources::count == 0 && V::Parts::count == 0 && !V::wants.any();
        else return false;
    } else return V::computed || is_read_of_values<V>;
}

/// The type of a value over all workers.
template <AnyValue V, OverWorkers how>
struct ValueOverWorkers : DerivedValue<ValueOverWorkers<V, how>> {
    using Sources = Types<>;
    using Parts = Types<V>;
    static constexpr bool larger_is_better = V::larger_is_better;
    static constexpr Moment moment = V::moment;

    explicit ValueOverWorkers(const V& v)
        : DerivedValue<ValueOverWorkers>(detail::make_over_workers(detail::value_of(v), how)) {}
};

}  // namespace detail

// A function of this name, and one that rejects values which the workers do not have.
#define SIGMA_OVER_WORKERS(name, how)                                        \
    template <AnyValue V>                                                    \
        requires(detail::is_known_in_each_worker<V>())                       \
    auto name(const V& value) {                                              \
        return detail::ValueOverWorkers<V, detail::OverWorkers::how>(value); \
    }                                                                        \
    template <AnyValue V>                                                    \
        requires(!detail::is_known_in_each_worker<V>())                      \
    error_value_is_not_known_in_each_worker<V> name(const V&);
/// Returns the mean of a value over the workers of a run, for hooks over all workers. Without workers: the trainer's
/// number.
///
/// Reading it waits for the workers. Workers without a number are ignored, such as the loss of a worker that has taken
/// no step. A value that hooks compute must be computed by hooks of an earlier `in_each_worker`. Otherwise `add` throws
/// ArgumentError.
/// @param value  value to read: `loss`, `error`, `norm(parameters("*"))`, `value<"name">`, …
/// @return a value, updated when `value` is
///
/// @par Example
/// @code
/// trainer.add(every(1, epoch).then(report(mean_over_workers(error), maximum_over_workers(error))));
/// @endcode
///
/// @see in_each_worker
SIGMA_OVER_WORKERS(mean_over_workers, mean)
/// Returns the sum of a value over the workers of a run, for hooks over all workers. Without workers: the trainer's
/// number.
/// @param value  value to read: `loss`, `error`, `norm(parameters("*"))`, `value<"name">`, …
/// @return a value, updated when `value` is
///
/// @see mean_over_workers
SIGMA_OVER_WORKERS(sum_over_workers, sum)
/// Returns the largest number of a value among the workers of a run, for hooks over all workers. Without workers: the
/// trainer's number.
/// @param value  value to read: `loss`, `error`, `norm(parameters("*"))`, `value<"name">`, …
/// @return a value, updated when `value` is
///
/// @see mean_over_workers
SIGMA_OVER_WORKERS(maximum_over_workers, maximum)
/// Returns the smallest number of a value among the workers of a run, for hooks over all workers. Without workers: the
/// trainer's number.
/// @param value  value to read: `loss`, `error`, `norm(parameters("*"))`, `value<"name">`, …
/// @return a value, updated when `value` is
///
/// @see mean_over_workers
SIGMA_OVER_WORKERS(minimum_over_workers, minimum)
#undef SIGMA_OVER_WORKERS

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/over_workers.ipp>
#endif
