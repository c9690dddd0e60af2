// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/execution/observation.hpp>
#include <sigma/network/model.hpp>

#include <utility>
#include <vector>

namespace sigma {

/// The gradients of the loss in the parameters, on one batch, as a training step computes them. Several threads may
/// each have one of their own on the same model.
template <AnyNetwork N, class T>
class SIGMA_BY_INSTRUCTIONS Gradients : detail::Observation<T> {
    using M = Model<N, T>;
    using Look = detail::Observation<T>;
    static constexpr bool is_trained(std::string_view name) {
        const int i = detail::network_table<N>.find_parameter(name);
        return i >= 0 && detail::network_table<N>.parameters[i].trained;
    }

public:
    using Look::run, Look::values;

    explicit Gradients(const M& model)
        : Look(model, model.template program<detail::to_find_gradients>(), detail::to_find_gradients) {}

    /// As an array: `of<"1-dense.weights">()`. Valid until the next run.
    template <Text name>
        requires(MadeNetwork<N> || is_trained(name.view()))
    ArrayView<T> of() {
        return of(name.view());
    }
    /// By a name that is known when the program runs. Throws ArgumentError where there is none.
    ArrayView<T> of(std::string_view name) { return Look::gradient(name); }
    template <Text name>
        requires(!detail::may_have_parameter<N>(name.view()))
    auto of() -> decltype(detail::plainly(std::type_identity<typename detail::NoParameter<name, M>::type>{}));
    template <Text name>
        requires(ConstantNetwork<N> && detail::may_have_parameter<N>(name.view()) && !is_trained(name.view()))
    error_parameter_is_a_statistic_which_is_not_trained<detail::NameGiven<name>> of();
};

/// What each layer of a network gives for `count` dense records, dense, as in prediction.
template <AnyNetwork N, class T>
std::vector<std::vector<T>> layer_outputs(const Model<N, T>& model, const typename Model<N, T>::InputPointers& inputs,
                                          std::ptrdiff_t count) {
    detail::Observation<T> look(model, model.template program<detail::to_see_layers>(), detail::to_see_layers);
    look.run(inputs, {}, count);
    return std::move(look.outputs());
}

/// Looks into a network on one batch: the loss, the output of every layer and the gradient of every parameter, as
/// writable windows that stay valid until the next run. Nothing is trained, and dropout is off. Several threads
/// may each have one of their own on the same model.
template <AnyNetwork N, class T = float>
class Inspection : detail::Observation<T> {
    using M = Model<N, T>;
    using Look = detail::Observation<T>;

public:
    using Inputs = typename M::InputPointers;
    using Targets = typename M::TargetPointers;

    explicit Inspection(const Model<N, T>& model)
        : Look(model, model.template program<detail::to_inspect>(), detail::to_inspect), model_(model) {}

    /// On dense inputs and targets of `count` records. Returns the loss.
    double run(const Inputs& inputs, const Targets& targets, std::ptrdiff_t count) {
        Look::run(inputs, targets, count);
        return loss();
    }
    double run(const T* inputs, const T* targets, std::ptrdiff_t count)
        requires M::of_one_each
    {
        return run(Inputs{inputs}, Targets{targets}, count);
    }
    /// On arrays of shape (records, …): all inputs, then the targets of each cost.
    template <class... E>
        requires(detail::may_take_records<N, sizeof...(E)> && (AnyArray<E> && ...))
    double run(const E&... arrays) {
        const detail::NetworkTable& network = model_.network();
        if constexpr (MadeNetwork<N>) detail::check_number_of_arrays(network, sizeof...(E));
        std::size_t count = 0;
        int number = 0;
        (examine(arrays, number++, count), ...);
        const auto run_elements = [&](const auto&... e) {
            const T* const data[] = {e.data()...};
            const std::span all(data);
            const auto inputs = static_cast<std::size_t>(network.inputs.size());
            Look::run(all.first(inputs), all.subspan(inputs), static_cast<std::ptrdiff_t>(count));
            return loss();
        };
        return run_elements(detail::DenseElements<T>(arrays)...);
    }

    /// The total, or the loss of one cost, without its weight.
    using Look::loss;
    /// Output of a layer, by position or by name: `output("1-dense")`, `output<"1-dense">()`.
    using Look::output;
    template <Text name>
    ArrayView<T> output() {
        if constexpr (ConstantNetwork<N>)
            static_assert(detail::network_table<N>.find_layer(name.view()) >= 0,
                          "the network has no layer of this name");
        return output(name.view());
    }
    /// Gradient of the loss in a parameter, by position or by name: `gradient<"1-dense.weights">()`.
    using Look::gradient;
    template <Text name>
    ArrayView<T> gradient() {
        if constexpr (ConstantNetwork<N>)
            static_assert(detail::network_table<N>.find_parameter(name.view()) >= 0,
                          "the network has no parameter of this name");
        return gradient(name.view());
    }

private:
    const M& model_;

    /// An input, the first of which says how many records there are, or targets.
    template <class E>
    void examine(const E& array, int number, std::size_t& count) {
        const int target = number - model_.records.inputs.size();
        if (target < 0) {
            model_.check_inputs(array.shape(), number);
            const auto found = static_cast<std::size_t>(array.shape()[0]);
            if (number == 0) count = found;
            if (found != count)
                throw ShapeError(model_.input_text(number), sentence(count, " records, as the first input"),
                                 sentence(found));
            return;
        }
        const auto wanted = model_.records.costs[target].target.count() * static_cast<long long>(count);
        if (static_cast<long long>(array.size()) != wanted)
            throw ShapeError(model_.target_text(target), sentence(wanted, " numbers"),
                             "shape " + detail::shape_text(array.shape()));
    }
};

}  // namespace sigma
