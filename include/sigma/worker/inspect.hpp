// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>

#include <array>

namespace sigma {

/// Looks into a network on one batch: the loss, the output of every layer and the gradient of every parameter, as
/// writable windows that stay valid until the next run. Nothing is trained, and dropout is off. Several threads
/// may each have one of their own on the same model.
template <AnyNetwork N, class T = float>
class Inspection {
public:
    static constexpr auto& records = Model<N, T>::records;
    static constexpr int layer_count = Model<N, T>::layer_count;
    static constexpr int parameter_count = Model<N, T>::parameter_count;

    using Inputs = typename Model<N, T>::InputPointers;
    using Targets = typename Model<N, T>::TargetPointers;

    explicit Inspection(const Model<N, T>& model) : model_(model) { model.bind(executor_); }

    /// On dense inputs and targets of `count` records. Returns the loss.
    double run(const Inputs& inputs, const Targets& targets, std::ptrdiff_t count) {
        count_ = count;
        for (std::size_t i = 0; i < inputs.size(); ++i) executor_.bind_input(static_cast<int>(i), inputs[i]);
        for (std::size_t i = 0; i < targets.size(); ++i)
            executor_.bind_input(N::input_count + static_cast<int>(i), targets[i]);
        executor_.bind_output(0, &loss_);
        for (int i = 0; i < layer_count; ++i) {
            outputs_[i].resize(static_cast<std::size_t>(resolve_count(records.layers[i].output)));
            executor_.bind_output(1 + i, outputs_[i].data());
        }
        for (int i = 0; i < parameter_count; ++i) {
            gradients_[i].resize(static_cast<std::size_t>(records.parameters[i].shape.count()));
            executor_.bind_output(1 + layer_count + i, gradients_[i].data());
        }
        if constexpr (N::cost_count > 1)
            for (int i = 0; i < N::cost_count; ++i)
                executor_.bind_output(1 + layer_count + parameter_count + i, &parts_[static_cast<std::size_t>(i)]);
        model_.read([&] {
            executor_.prepare(count);
            executor_.run();
        });
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

    double loss() const { return static_cast<double>(loss_); }
    /// The loss of one cost, without its importance.
    double loss(int cost) const {
        Model<N, T>::check_position(cost, N::cost_count, "cost");
        return static_cast<double>(N::cost_count == 1 ? loss_ : parts_[static_cast<std::size_t>(cost)]);
    }
    /// Output of a layer, by position or by name: `output<"1-dense">()`.
    ArrayView<T> output(int i) {
        Model<N, T>::check_position(i, layer_count, "layer");
        return window(outputs_[i].data(), records.layers[i].output, records.layers[i].output.last(), count_);
    }
    template <Text name>
    ArrayView<T> output() {
        constexpr int i = find_layer(name.view());
        static_assert(i >= 0, "the network has no layer of this name");
        return output(i);
    }
    /// Gradient of the loss in a parameter, by position or by name: `gradient<"1-dense.weights">()`.
    ArrayView<T> gradient(int i) {
        Model<N, T>::check_position(i, parameter_count, "parameter");
        return window(gradients_[i].data(), records.parameters[i].shape, records.parameters[i].shape.last());
    }
    template <Text name>
    ArrayView<T> gradient() {
        constexpr int i = Model<N, T>::find_parameter(name.view());
        static_assert(i >= 0, "the network has no parameter of this name");
        return gradient(i);
    }

private:
    const Model<N, T>& model_;
    Executor<T> executor_{simd::compiled_program<Planned<detail::InspectionProgram<N>, simd::lanes<T>>, T>};
    std::vector<T> outputs_[layer_count > 0 ? layer_count : 1], gradients_[parameter_count > 0 ? parameter_count : 1];
    T loss_ = 0;
    std::array<T, N::cost_count> parts_{};
    std::ptrdiff_t count_ = 0;

    template <std::size_t... x, std::size_t... y, class... E>
    double run_on(std::index_sequence<x...>, std::index_sequence<y...>, std::tuple<const E&...> arrays) {
        const std::size_t count = Model<N, T>::check_inputs_of(std::get<x>(arrays)...);
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
            throw ShapeError(Model<N, T>::target_text(cost), sentence(wanted, " numbers"), "shape " + shape_text(targets.shape()));
    }

    long long resolve_count(const Shape& s) const { return s.batched() ? s.count() * count_ : s.count(); }
    static constexpr int find_layer(std::string_view name) {
        for (int i = 0; i < layer_count; ++i)
            if (records.layers[i].name.view() == name) return i;
        return -1;
    }
};

}  // namespace sigma
