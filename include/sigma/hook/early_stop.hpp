// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/hook/look.hpp>

#include <concepts>
#include <cstdint>

namespace sigma {

struct EarlyStopping {
    std::int64_t patience = 5;  ///< looks in a row without improvement after which the run ends
    double min_change = 0;      ///< an improvement is at least that much
    bool restore_best = true;   ///< the parameters of the best look come back at the stop
    Best best = Best::usual;
};

namespace detail {
ActionHandle make_early_stop(const ValueHandle& v, const EarlyStopping& how);
}  // namespace detail

/// The action of `early_stop`, for sentences that say themselves when to look: every(5, epoch).then(EarlyStop(error)).
template <AnyValue V>
struct EarlyStop : detail::MadeAction<Types<V>> {
    static constexpr bool in_background = false;
    explicit EarlyStop(const V& v, const EarlyStopping& how = {})
        : detail::MadeAction<Types<V>>(detail::make_early_stop(detail::value_of(v), how)) {}
};

/// Ends the run when the value has not improved at `patience` looks in a row, and gives back the parameters of the best
/// look, bit by bit; states of the optimizer are left alone (Prechelt 1998, "Early stopping – but when?"). It looks
/// whenever the value is new, after the other hooks of the moment. A further run goes on with fresh patience.
///
///     trainer.add(every(1, epoch).then(score(validation)), early_stop(validation_error, {.patience = 5}));
template <AnyValue V>
auto early_stop(V v, EarlyStopping how = {}) {
    return EachLook<V>(v).then(EarlyStop<V>(v, how)).template priority<1000>();
}
/// early_stop(validation_error, 5): with that patience.
template <AnyValue V, std::integral Patience>
auto early_stop(V v, Patience patience) {
    return early_stop(v, {.patience = static_cast<std::int64_t>(detail::positive("patience of early_stop", patience))});
}

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/early_stop.ipp>
#endif
