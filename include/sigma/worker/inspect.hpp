// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>

namespace sigma {

/// Looks into a network on one batch: the loss, the output of every layer and the gradient of every parameter, as
/// writable xtensor views that stay valid until the next run. Nothing is trained, and dropout is off.
template <AnyNetwork N, class T = float>
class Inspection {
public:
    static constexpr auto& records = Model<N, T>::records;
    static constexpr int layer_count = Model<N, T>::layer_count;
    static constexpr int parameter_count = Model<N, T>::parameter_count;

    explicit Inspection(Model<N, T>& model) { model.bind(executor_); }

    /// On dense inputs and targets of `count` records.
    double run(const T* inputs, const T* targets, std::ptrdiff_t count) {
        count_ = count;
        executor_.bind_input(0, inputs);
        executor_.bind_input(1, targets);
        executor_.bind_output(0, &loss_);
        for (int i = 0; i < layer_count; ++i) {
            outputs_[i].resize(static_cast<std::size_t>(resolve_count(records.layers[i].output)));
            executor_.bind_output(1 + i, outputs_[i].data());
        }
        for (int i = 0; i < parameter_count; ++i) {
            gradients_[i].resize(static_cast<std::size_t>(records.parameters[i].shape.count()));
            executor_.bind_output(1 + layer_count + i, gradients_[i].data());
        }
        executor_.prepare(count);
        executor_.run();
        return loss();
    }
    /// On xtensor arrays or expressions of shape (records, …).
    template <class X, class Y>
    double run(const X& inputs, const Y& targets) {
        Model<N, T>::check_inputs(inputs.shape());
        const auto count = static_cast<std::ptrdiff_t>(inputs.shape()[0]);
        if (static_cast<std::ptrdiff_t>(targets.size()) != N::target.count() * count)
            throw ShapeError("targets of the network", sentence(N::target.count() * count, " numbers"), "shape " + shape_text(targets.shape()));
        const detail::Elements<X, T> x(inputs);
        const detail::Elements<Y, T> y(targets);
        return run(x.data(), y.data(), count);
    }

    double loss() const { return static_cast<double>(loss_); }
    /// Output of a layer, by position or by name: `output<"1-dense">()`.
    auto output(int i) {
        Model<N, T>::check_position(i, layer_count, "layer");
        return window(outputs_[i].data(), records.layers[i].output, records.layers[i].output.last(), count_);
    }
    template <Text name>
    auto output() {
        constexpr int i = find_layer(name.view());
        static_assert(i >= 0, "the network has no layer of this name");
        return output(i);
    }
    /// Gradient of the loss in a parameter, by position or by name: `gradient<"1-dense.weights">()`.
    auto gradient(int i) {
        Model<N, T>::check_position(i, parameter_count, "parameter");
        return window(gradients_[i].data(), records.parameters[i].shape, records.parameters[i].shape.last());
    }
    template <Text name>
    auto gradient() {
        constexpr int i = Model<N, T>::find_parameter(name.view());
        static_assert(i >= 0, "the network has no parameter of this name");
        return gradient(i);
    }

private:
    simd::Executor<Planned<detail::InspectionProgram<N>, simd::lanes<T>>, T> executor_;
    std::vector<T> outputs_[layer_count > 0 ? layer_count : 1], gradients_[parameter_count > 0 ? parameter_count : 1];
    T loss_ = 0;
    std::ptrdiff_t count_ = 0;

    long long resolve_count(const Shape& s) const { return s.batched() ? s.count() * count_ : s.count(); }
    static constexpr int find_layer(std::string_view name) {
        for (int i = 0; i < layer_count; ++i)
            if (records.layers[i].name.view() == name) return i;
        return -1;
    }
};

}  // namespace sigma
