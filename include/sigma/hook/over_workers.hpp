// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/owners.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/words.hpp>

namespace sigma {

/// mean_over_workers(average(loss, 10)): what each worker has a number of is what its trainer keeps, `loss`, `error`,
/// `iteration`, what is read of its parameters, `norm(parameters("*"))`, and what hooks in it compute; what needs
/// earlier moments is of all workers.
template <class Value>
struct error_value_is_not_known_in_each_worker;

namespace detail {

enum class OverWorkers : unsigned char { mean, sum, maximum, minimum };

detail::SharedOwner<Derived> make_over_workers(const ValueHandle& source, OverWorkers how);

/// Does each worker have a number of it at any time?
template <class V>
constexpr bool is_known_in_each_worker() {
    if constexpr (is_derived<V>) {
        if constexpr (requires { V::wants; }) return V::Sources::count == 0 && V::Parts::count == 0 && !V::wants.any();
        else return false;
    } else return V::computed || is_read_of_values<V>;
}

/// What the numbers that the workers have of V become.
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

/// What the numbers that the workers of a run have of a value become, in a sentence over all workers:
/// `every(1, epoch).then(report(maximum_over_workers(error)))`. Reading it waits for the workers. Those that have none,
/// as the loss of one that has taken no step, are left out; without workers it is the trainer's value. What hooks
/// compute is what those of an earlier `in_each_worker` do: ArgumentError where none does.
#define SIGMA_OVER_WORKERS(name, how)                                    \
    template <AnyValue V>                                                \
        requires(detail::is_known_in_each_worker<V>())                   \
    auto name(const V& v) {                                              \
        return detail::ValueOverWorkers<V, detail::OverWorkers::how>(v); \
    }                                                                    \
    template <AnyValue V>                                                \
        requires(!detail::is_known_in_each_worker<V>())                  \
    error_value_is_not_known_in_each_worker<V> name(const V&);
SIGMA_OVER_WORKERS(mean_over_workers, mean)
SIGMA_OVER_WORKERS(sum_over_workers, sum)
SIGMA_OVER_WORKERS(maximum_over_workers, maximum)
SIGMA_OVER_WORKERS(minimum_over_workers, minimum)
#undef SIGMA_OVER_WORKERS

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/over_workers.ipp>
#endif
