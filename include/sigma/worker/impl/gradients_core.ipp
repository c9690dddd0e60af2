// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <sigma/core/config.hpp>
#include <sigma/network/parameter_rows.hpp>
#include <sigma/worker/gradients_core.hpp>

namespace sigma::detail {

template <class T>
GradientsCore<T>::GradientsCore(const ModelStore<T>& model, const CompiledProgram<T>& program)
    : network_(model.network()), runner_(program, model), values_(static_cast<std::size_t>(network_.parameters.size())) {
    runner_.random.seed = model.seed();
    int output = 0;
    for (std::size_t p = 0; p < values_.size(); ++p) {
        const ParameterRecord& r = network_.parameters[static_cast<int>(p)];
        if (!r.trained) continue;
        values_[p].resize(static_cast<std::size_t>(r.shape.count()));
        runner_.bind_output(output++, values_[p].data());
    }
}
template <class T>
GradientsCore<T>::~GradientsCore() = default;

template <class T>
void GradientsCore<T>::run(std::uint64_t number, Rows<T> inputs, Rows<T> targets, std::ptrdiff_t count, simd::Pool* pool) {
    runner_.bind_records(inputs, targets);
    runner_.random.step = static_cast<std::uint32_t>(number);
    runner_.run_beside_others(count, pool);
}

template <class T>
std::span<const T> GradientsCore<T>::values(int parameter) const {
    check_position(parameter, network_.parameters.size(), "parameter");
    return values_[static_cast<std::size_t>(parameter)];
}

template <class T>
ArrayView<T> GradientsCore<T>::array_of(int parameter) {
    const Shape& shape = network_.parameters[parameter].shape;
    return window(values_[static_cast<std::size_t>(parameter)].data(), shape, shape.last());
}

}  // namespace sigma::detail

#ifdef SIGMA_COMPILED
template class sigma::detail::GradientsCore<float>;
template class sigma::detail::GradientsCore<double>;
#endif
