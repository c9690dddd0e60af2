// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/execution/observation.hpp>
#include <sigma/network/model.hpp>

namespace sigma {

/// The gradients of the loss in the parameters, on one batch, as a training step computes them. Several threads may
/// each have one of their own on the same model.
template <AnyNetwork N, class T>
class Gradients : detail::Observation<T> {
    using M = Model<N, T>;
    using Look = detail::Observation<T>;
    static constexpr bool is_trained(int i) { return i >= 0 && M::records.parameters[i].trained; }

public:
    using Look::run, Look::values;

    explicit Gradients(const M& model)
        : Look(model, detail::network_program<N, detail::to_find_gradients, T>(), detail::to_find_gradients) {}

    /// As an array: `of<"1-dense.weights">()`. Valid until the next run.
    template <Text name>
        requires(is_trained(M::find_parameter(name.view())))
    ArrayView<T> of() {
        return Look::gradient(M::find_parameter(name.view()));
    }
    template <Text name>
        requires(M::find_parameter(name.view()) < 0)
    auto of() -> decltype(detail::plainly(std::type_identity<typename detail::NoParameter<name, M>::type>{}));
    template <Text name>
        requires(M::find_parameter(name.view()) >= 0 && !is_trained(M::find_parameter(name.view())))
    error_parameter_is_a_statistic_which_is_not_trained<detail::NameGiven<name>> of();
};

}  // namespace sigma
