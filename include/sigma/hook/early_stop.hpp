// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/words.hpp>
#include <sigma/hook/criterion.hpp>
#include <sigma/hook/hook.hpp>
#include <sigma/hook/optimizer_actions.hpp>

#include <concepts>
#include <cstdint>

namespace sigma {

/// Which of two values is the better one.
enum class Best {
    usual,  ///< the smaller error or loss, the larger of what should be large: what `improves` means
    largest,
    smallest,
};

struct EarlyStopping {
    std::int64_t patience = 5;  ///< looks in a row without improvement after which the run ends
    double min_change = 0;      ///< an improvement is at least that much
    bool restore_best = true;   ///< the parameters of the best look come back at the stop
    Best best = Best::usual;
};

namespace detail {

struct Plateau {
    double factor = 0.5;        ///< of the learning rate, above 0 and below 1
    std::int64_t patience = 3;  ///< looks in a row without improvement after which it is reduced
    double min_rate = 0;        ///< it never gets smaller than this
    std::int64_t cooldown = 0;  ///< looks after a reduction that do not count
    double min_change = 0;      ///< an improvement is at least that much
    Best best = Best::usual;
};

CriterionHandle make_each_look(const ValueHandle& v);
ActionHandle make_early_stop(const ValueHandle& v, const EarlyStopping& how);
ActionHandle make_reduce_on_plateau(const ValueHandle& v, const Plateau& how);

}  // namespace detail

/// A pulse whenever the value is new, also when it is NaN.
template <AnyValue V>
struct EachLook : detail::ValueCriterion<EachLook<V>, V> {
    using detail::ValueCriterion<EachLook, V>::ValueCriterion;
    explicit EachLook(const V& v) : EachLook(detail::make_each_look(detail::value_of(v))) {}
};

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
error_looks_begin_with_a_value<write_early_stop_validation_error_5> early_stop(const EarlyStopping&);
error_looks_begin_with_a_value<write_early_stop_validation_error_5> early_stop(std::integral auto);

/// The action of `reduce_on_plateau`, for sentences that say themselves when to look.
template <AnyValue V>
struct ReduceOnPlateau : detail::MadeAction<Types<V>> {
    static constexpr bool in_background = false, in_worker = false;
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
error_looks_begin_with_a_value<write_reduce_on_plateau_validation_error> reduce_on_plateau(const detail::Plateau&);

struct write_early_stop_of_error_and_patience;
struct write_when_after_20_epoch_then_stop;
error_word_is_written_otherwise<write_early_stop_of_error_and_patience> EarlyStopper(...);
error_word_is_written_otherwise<write_when_after_20_epoch_then_stop> StopAfterEpoch(...);

}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/hook/impl/early_stop.ipp>
#endif
