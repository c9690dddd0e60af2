// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/execution/observation.hpp>
#include <sigma/network/model.hpp>

#include <array>
#include <utility>
#include <vector>

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

/// What each layer of a network gives for `count` dense records, dense, as in prediction.
template <AnyNetwork N, class T>
std::vector<std::vector<T>> layer_outputs(const Model<N, T>& model, const typename Model<N, T>::InputPointers& inputs,
                                          std::ptrdiff_t count) {
    detail::Observation<T> look(model, detail::network_program<N, detail::to_see_layers, T>(), detail::to_see_layers);
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
    static constexpr auto& records = M::records;
    static constexpr int layer_count = M::layer_count;
    static constexpr int parameter_count = M::parameter_count;

    using Inputs = typename M::InputPointers;
    using Targets = typename M::TargetPointers;

    explicit Inspection(const Model<N, T>& model)
        : Look(model, detail::network_program<N, detail::to_inspect, T>(), detail::to_inspect) {}

    /// On dense inputs and targets of `count` records. Returns the loss.
    double run(const Inputs& inputs, const Targets& targets, std::ptrdiff_t count) {
        Look::run(inputs, targets, count);
        return loss();
    }
    double run(const T* inputs, const T* targets, std::ptrdiff_t count)
        requires(N::input_count == 1 && N::cost_count == 1)
    {
        return run(Inputs{inputs}, Targets{targets}, count);
    }
    /// On arrays of shape (records, …): all inputs, then the targets of each cost.
    template <class... E>
        requires(sizeof...(E) == N::input_count + N::cost_count && (AnyArray<E> && ...))
    double run(const E&... arrays) {
        return run_on(std::make_index_sequence<N::input_count>{}, std::make_index_sequence<N::cost_count>{},
                      std::forward_as_tuple(arrays...));
    }

    /// The total, or the loss of one cost, without its weight.
    using Look::loss;
    /// Output of a layer, by position or by name: `output<"1-dense">()`.
    using Look::output;
    template <Text name>
    ArrayView<T> output() {
        constexpr int i = find_layer(name.view());
        static_assert(i >= 0, "the network has no layer of this name");
        return output(i);
    }
    /// Gradient of the loss in a parameter, by position or by name: `gradient<"1-dense.weights">()`.
    using Look::gradient;
    template <Text name>
    ArrayView<T> gradient() {
        constexpr int i = M::find_parameter(name.view());
        static_assert(i >= 0, "the network has no parameter of this name");
        return gradient(i);
    }

private:
    template <std::size_t... x, std::size_t... y, class... E>
    double run_on(std::index_sequence<x...>, std::index_sequence<y...>, std::tuple<const E&...> arrays) {
        const std::size_t count = M::check_inputs_of(std::get<x>(arrays)...);
        (check_targets(std::get<N::input_count + y>(arrays), static_cast<int>(y), count), ...);
        const auto run_elements = [&](const auto&... e) {
            const std::array<const T*, sizeof...(E)> data{e.data()...};
            return run(Inputs{data[x]...}, Targets{data[N::input_count + y]...}, static_cast<std::ptrdiff_t>(count));
        };
        return std::apply([&](const E&... array) { return run_elements(detail::DenseElements<T>(array)...); }, arrays);
    }
    template <class Y>
    static void check_targets(const Y& targets, int cost, std::size_t records_given) {
        const auto wanted = N::targets[static_cast<std::size_t>(cost)].count() * static_cast<long long>(records_given);
        if (static_cast<long long>(targets.size()) != wanted)
            throw ShapeError(M::target_text(cost), sentence(wanted, " numbers"),
                             "shape " + detail::shape_text(targets.shape()));
    }

    static constexpr int find_layer(std::string_view name) {
        for (int i = 0; i < layer_count; ++i)
            if (records.layers[i].name.view() == name) return i;
        return -1;
    }
};

}  // namespace sigma
