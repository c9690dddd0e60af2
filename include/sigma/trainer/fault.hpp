// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>
#include <sigma/optimizer/update.hpp>
#include <sigma/trainer/last_sound.hpp>
#include <sigma/worker/layer_outputs.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sigma {

/// What it takes to say afterwards where a run first left the finite numbers: the state at the beginning of the epoch, or
/// where the run began within it, and the hyper-parameters of each step since.
template <AnyNetwork N, AnyOptimizer O, class T>
class Fault : public detail::LastSound<T> {
    using Place = detail::LastSound<T>;

public:
    void reserve(std::size_t steps) { optimizers_.reserve(steps); }
    /// Before the step on this batch, the first after so many iterations.
    void begin(std::uint64_t first_batch, std::uint64_t iterations, std::span<const T> parameters, std::span<const T> states) {
        Place::begin(first_batch, iterations, parameters, states);
        optimizers_.clear();
    }
    void note(const O& optimizer) { optimizers_.push_back(optimizer); }
    const O& optimizer(std::uint64_t of_batch) const {
        return optimizers_[static_cast<std::size_t>(of_batch - Place::first_batch())];
    }
    /// The first layer whose parameters or output are not finite on this batch; empty where all are, so that only the
    /// loss is to blame.
    static std::string find(const Model<N, T>& model, const T* inputs, std::ptrdiff_t count) {
        return Place::find_layer(model, layer_outputs(model, inputs, count));
    }

private:
    std::vector<O> optimizers_;
};

}  // namespace sigma
