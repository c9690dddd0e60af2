// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/core/error.hpp>
#include <sigma/core/words.hpp>
#include <sigma/optimizer/update.hpp>

#include <array>
#include <cstdint>

SIGMA_INCLUDED(sigma, include_sigma_optimizer_accumulate_hpp);

namespace sigma {

namespace detail {
/// The state that is the sum of a parameter's gradients since the last update.
inline constexpr Text gradient_sum_state = "gradient_sum";
}  // namespace detail

/// The optimizer O, which takes a step after every `batches` batches only, with the mean of their gradients. All that
/// it assigns, states too, stays as it is after the others, and its steps are counted by themselves.
template <AnyOptimizer O>
struct Accumulating : O {
    int batches = 1;  ///< is to stay as it is while a run has begun

    static constexpr bool accumulates = true;
    static constexpr bool wraps_groups = detail::has_groups<O>;

    /// How many steps O has taken after so many batches, which a run counts as steps.
    constexpr std::uint64_t updates_after(std::uint64_t steps) const {
        return batches < 1 ? 0 : steps / static_cast<std::uint64_t>(batches);
    }
    /// Those of O in the step that this batch belongs to; is it the first of that step, is it the last, and of how
    /// many.
    constexpr auto scalars(std::uint64_t step) const {
        if (batches < 1) throw ArgumentError("batches of accumulate", "1 or more", sentence(batches));
        const std::uint64_t n = static_cast<std::uint64_t>(batches), before = (step - 1) % n;
        return detail::joined<detail::scalar_count<O>, 3>(
            O::scalars((step - 1) / n + 1),
            std::array<double, 3>{before == 0 ? 1.0 : 0.0, before + 1 == n ? 1.0 : 0.0, static_cast<double>(batches)});
    }
    /// Sums of gradients are kept here, before O sees them, so that it clips the mean.
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
};

/// `accumulate(Momentum{.learning_rate = 0.1}, 4)`: parameters change after each 4th batch, by the mean gradient of the
/// four, so that for losses that are means over records the step is that of one batch which is four times as large.
/// Throws ArgumentError unless there are 1 or more.
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
