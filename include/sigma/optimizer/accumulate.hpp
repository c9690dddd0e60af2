// SPDX-License-Identifier: BSL-1.0
#pragma once
/// @file
/// Gradient accumulation: accumulate. Include it yourself.
#include <sigma/core/error.hpp>
#include <sigma/core/words.hpp>
#include <sigma/optimizer/update.hpp>

#include <array>
#include <cstdint>

SIGMA_INCLUDED(sigma, include_sigma_optimizer_accumulate_hpp);

namespace sigma {

namespace detail {
/// Name of the state with the sum of a parameter's gradients since the last update.
inline constexpr Text gradient_sum_state = "gradient_sum";
}  // namespace detail

/// An optimizer that updates the parameters after every `batches` batches, with the mean of their gradients.
///
/// `accumulate` makes it. Between updates, parameters and states stay unchanged. The inner optimizer counts only its
/// own steps.
/// @tparam O  type of the inner optimizer
///
/// @see accumulate
template <AnyOptimizer O>
struct Accumulating : O {
    int batches = 1;  ///< Number of batches of an update, at least 1. Do not change it after a run has begun.

    /// @cond internal
    static constexpr bool accumulates = true;
    static constexpr bool wraps_groups = detail::has_groups<O>;

    /// Returns the number of updates after this many steps; a run counts each batch as a step.
    constexpr std::uint64_t updates_after(std::uint64_t steps) const {
        return batches < 1 ? 0 : steps / static_cast<std::uint64_t>(batches);
    }
    /// Returns the numbers of the inner optimizer for the update of this batch, and three more: 1 if the batch is the
    /// first of the update, 1 if it is the last, and the number of batches.
    constexpr auto scalars(std::uint64_t step) const {
        if (batches < 1) throw ArgumentError("batches of accumulate", "1 or more", sentence(batches));
        const std::uint64_t n = static_cast<std::uint64_t>(batches), before = (step - 1) % n;
        return detail::joined<detail::scalar_count<O>, 3>(
            O::scalars((step - 1) / n + 1),
            std::array<double, 3>{before == 0 ? 1.0 : 0.0, before + 1 == n ? 1.0 : 0.0, static_cast<double>(batches)});
    }
    /// Sums gradients before the inner optimizer reads them, so that it clips the mean.
    static constexpr detail::List<Variable> prepare(Update& u, const detail::List<Variable>& gradients) {
        detail::List<Variable> means;
        for (int i = 0; i < gradients.size(); ++i) {
            u.parameter = u.moved[i];
            const Variable g = gradients[i];
            const Variable sum = u.state(detail::gradient_sum_state, g.shape());
            const Variable more = sum + g;
            const Variable next = where(u.scalar(own_scalars), g, more);
            u.assign(sum, next);
            means.push(next / u.scalar(own_scalars + 2));
        }
        u.only_if(u.scalar(own_scalars + 1));
        const detail::List<Variable> ready = prepared<O>(u, means);
        u.always();
        return ready;
    }
    static constexpr void update(Update& u, Variable w, Variable g) {
        u.only_if(u.scalar(own_scalars + 1));
        O::update(u, w, g);
        u.always();
    }

private:
    static constexpr int own_scalars = detail::scalar_count<O>;
    /// @endcond
};

/// Makes an optimizer accumulate gradients over several batches.
///
/// Parameters change after each `batches`-th batch, by the mean gradient of these batches. If the loss is a mean over
/// records, this is the step of one batch that is `batches` times as large.
/// @tparam O  type of the optimizer
/// @param optimizer  the optimizer that takes the steps
/// @param batches  number of batches of an update, at least 1
/// @return the accumulating optimizer
/// @throws ArgumentError  if `batches` is less than 1
/// @par Example
/// @code
/// Trainer fitted("digits", Digits{}, accumulate(Momentum{.learning_rate = 0.1}, 4), minibatches(training, 25));
/// @endcode
///
/// @see Accumulating, docs/optimizers.md
template <AnyOptimizer O>
constexpr Accumulating<O> accumulate(O optimizer, int batches) {
    if (batches < 1) throw ArgumentError("batches of accumulate", "1 or more", sentence(batches));
    Accumulating<O> result{optimizer};
    result.batches = batches;
    return result;
}
template <AnyOptimizer O>
    requires requires { O::accumulates; }
error_gradients_are_accumulated_already<optimizer_is<O>> accumulate(O, int);

}  // namespace sigma
