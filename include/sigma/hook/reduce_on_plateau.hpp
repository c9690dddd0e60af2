// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/look.hpp>
#include <sigma/hook/optimizer_check.hpp>

namespace sigma {

namespace detail {

struct Plateau {
    double factor = 0.5;        ///< of the learning rate, above 0 and below 1
    std::int64_t patience = 3;  ///< looks in a row without improvement after which it is reduced
    double min_rate = 0;        ///< it never gets smaller than this
    std::int64_t cooldown = 0;  ///< looks after a reduction that do not count
    double min_change = 0;      ///< an improvement is at least that much
    Best best = Best::usual;
};

ActionHandle make_reduce_on_plateau(const ValueHandle& v, const Plateau& how);

}  // namespace detail

/// The action of `reduce_on_plateau`, for sentences that say themselves when to look.
template <AnyValue V>
struct ReduceOnPlateau : detail::MadeAction<Types<V>> {
    static constexpr bool in_background = false;
    template <class O>
    static constexpr auto check_optimizer() {
        return detail::check_learning_rate<O>();
    }
    explicit ReduceOnPlateau(const V& v, const detail::Plateau& how = {})
        : detail::MadeAction<Types<V>>(detail::make_reduce_on_plateau(detail::value_of(v), how)) {}
};

/// Multiplies the learning rate by `factor` when the value has not improved at `patience` looks in a row. It looks
/// whenever the value is new: reduce_on_plateau(validation_error, {.factor = 0.5, .patience = 3, .min_rate = 1e-6}).
template <AnyValue V>
auto reduce_on_plateau(V v, detail::Plateau how = {}) {
    return EachLook<V>(v).then(ReduceOnPlateau<V>(v, how)).template priority<500>();
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/reduce_on_plateau.ipp>
#endif
