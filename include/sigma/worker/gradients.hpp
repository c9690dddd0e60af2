// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>
#include <sigma/worker/observation.hpp>

namespace sigma {

/// The gradients of the loss in the parameters, on one batch, as a training step computes them. Several threads may
/// each have one of their own on the same model.
template <AnyNetwork N, class T>
class Gradients : detail::Observation<T> {
    using M = Model<N, T>;
    using Look = detail::Observation<T>;

public:
    using Look::run, Look::values;

    explicit Gradients(const M& model)
        : Look(model, detail::network_program<N, detail::to_find_gradients, T>(), detail::to_find_gradients) {}

    /// As an array: `of<"1-dense.weights">()`. Valid until the next run.
    template <Text name>
    ArrayView<T> of() {
        constexpr int i = M::find_parameter(name.view());
        static_assert(i >= 0, "the network has no parameter of this name");
        static_assert(i < 0 || M::records.parameters[i < 0 ? 0 : i].trained,
                      "this parameter is a statistic, which is not trained");
        return Look::gradient(i);
    }
};

}  // namespace sigma
