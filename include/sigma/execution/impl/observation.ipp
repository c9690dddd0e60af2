// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/execution/observation.hpp>
#include <sigma/network/parameter_rows.hpp>

namespace sigma::detail {

/// Constructs an observation. All outputs are bound here, except those of layers, which depend on the batch.
template <class T>
Observation<T>::Observation(const ModelStore<T>& model, const CompiledProgram<T>& program, Purpose purpose)
    : network_(model.network()), session_(program, model),
      losses_(purpose.losses ? static_cast<std::size_t>(network_.costs.size()) + (network_.costs.size() > 1) : 0),
      outputs_(purpose.layers ? static_cast<std::size_t>(network_.layers.size()) : 0),
      gradients_(static_cast<std::size_t>(network_.parameters.size())) {
    session_.random.seed = model.seed();
    int output = 0;
    for (T& loss : losses_) session_.bind_output(output++, &loss);
    output += static_cast<int>(outputs_.size());
    for (std::size_t p = 0; p < gradients_.size() && purpose.gradients != GradientsIn::nothing; ++p) {
        const ParameterRecord& r = network_.parameters[static_cast<int>(p)];
        if (purpose.gradients == GradientsIn::trained && !r.trained) continue;
        gradients_[p].resize(static_cast<std::size_t>(r.shape.count()));
        session_.bind_output(output++, gradients_[p].data());
    }
}
template <class T>
Observation<T>::~Observation() = default;

template <class T>
void Observation<T>::run(Rows<T> inputs, Rows<T> targets, std::ptrdiff_t count, std::uint64_t number) {
    count_ = count;
    if (!targets.empty()) check_numbers_of_pointers(network_, inputs.size(), targets.size());
    session_.bind_records(inputs, targets);
    int output = static_cast<int>(losses_.size());
    for (int i = 0; i < static_cast<int>(outputs_.size()); ++i) {
        std::vector<T>& values = outputs_[static_cast<std::size_t>(i)];
        const Shape& shape = network_.layers[i].output;
        values.resize(static_cast<std::size_t>(shape.count() * (shape.batched() ? count : 1)));
        session_.bind_output(output++, values.data());
    }
    session_.random.step = static_cast<std::uint32_t>(number);
    session_.run_beside_others(count);
}

template <class T>
double Observation<T>::loss(int cost) const {
    check_position(cost, network_.costs.size(), "cost");
    return static_cast<double>(losses_[losses_.size() == 1 ? 0 : static_cast<std::size_t>(1 + cost)]);
}

template <class T>
std::span<const T> Observation<T>::values(int parameter) const {
    check_position(parameter, network_.parameters.size(), "parameter");
    return gradients_[static_cast<std::size_t>(parameter)];
}

template <class T>
ArrayView<T> Observation<T>::output(int layer) {
    check_position(layer, network_.layers.size(), "layer");
    const Shape& shape = network_.layers[layer].output;
    return window(outputs_[static_cast<std::size_t>(layer)].data(), shape, shape.last(), count_);
}

template <class T>
ArrayView<T> Observation<T>::gradient(int parameter) {
    check_position(parameter, network_.parameters.size(), "parameter");
    const Shape& shape = network_.parameters[parameter].shape;
    return window(gradients_[static_cast<std::size_t>(parameter)].data(), shape, shape.last());
}

template <class T>
ArrayView<T> Observation<T>::output(std::string_view layer) {
    const int i = network_.find_layer(layer);
    if (i < 0) throw ArgumentError("layer", "the name of a layer", sentence("'", layer.substr(0, 60), "'"));
    return output(i);
}
template <class T>
ArrayView<T> Observation<T>::gradient(std::string_view parameter) {
    const int i = parameter_at(network_, parameter);
    if (values(i).empty())
        throw ArgumentError("gradient", "a parameter that is trained", sentence("'", parameter.substr(0, 60), "'"));
    return gradient(i);
}

}  // namespace sigma::detail

SIGMA_INSTANTIATE(class sigma::detail::Observation);
