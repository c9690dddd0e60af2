// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/execution/step.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sigma::test {

/// A training step on rows of the caller, without a trainer: one session, which runs with the model's threads.
template <AnyNetwork N, AnyOptimizer O, class T = float>
class DirectStep : public detail::Step<N, O, T> {
    using M = Model<N, T>;
    using Core = detail::StepCore<T>;

public:
    explicit DirectStep(M& model)
        : detail::Step<N, O, T>(model), session_(Core::program(), model),
          scalars_(static_cast<std::size_t>(Core::scalar_count())), losses_(Core::plan().outputs.size()) {
        const detail::NetworkTable& network = model.network();
        session_.bind_states(Core::dual_buffer());
        int input = network.inputs.size() + network.costs.size(), output = 0;
        for (const T& scalar : scalars_) session_.bind_input(input++, &scalar);
        for (T& loss : losses_) session_.bind_output(output++, &loss);
    }

    /// Trains on dense inputs and targets of `count` records. `number` counts steps from 1. Returns the mean loss
    /// before the update.
    double operator()(const O& optimizer, std::uint64_t number, const typename M::InputPointers& inputs,
                      const typename M::TargetPointers& targets, std::ptrdiff_t count) {
        const auto values = detail::scalars_at(optimizer, number);
        for (std::size_t i = 0; i < scalars_.size(); ++i) scalars_[i] = static_cast<T>(values.data[i]);
        detail::check_numbers_of_pointers(session_.model().network(), inputs.size(), targets.size());
        session_.bind_records(inputs, targets);
        session_.random = {Core::seed(), static_cast<std::uint32_t>(number)};
        session_.run_with_threads(count);
        return static_cast<double>(losses_[0]);
    }
    double operator()(const O& optimizer, std::uint64_t number, const T* inputs, const T* targets, std::ptrdiff_t count)
        requires M::of_one_each
    {
        return (*this)(optimizer, number, typename M::InputPointers{inputs}, typename M::TargetPointers{targets},
                       count);
    }

    /// Returns the loss of one cost in the last step, without its weight.
    double loss(int cost) const {
        return static_cast<double>(losses_[losses_.size() == 1 ? 0 : static_cast<std::size_t>(1 + cost)]);
    }
    std::size_t arena_bytes() const { return session_.arena_bytes(); }
    std::size_t arena_bytes(std::size_t records) const { return on_cpu::arena_bytes<T>(Core::plan(), records); }

private:
    detail::ModelSession<T> session_;
    std::vector<T> scalars_, losses_;  ///< losses: the total and, if there are several, that of each cost
};

}  // namespace sigma::test
