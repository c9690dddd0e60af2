// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/network/model.hpp>

#include <vector>

namespace sigma {

/// What each layer of a network gives for `count` records, dense, as in prediction. Of several inputs each record's come
/// one after the other.
template <AnyNetwork N, class T>
std::vector<std::vector<T>> layer_outputs(const Model<N, T>& model, const T* inputs, std::ptrdiff_t count) {
    Executor<T> executor(simd::compiled_program<Planned<detail::LayersProgram<N>, simd::lanes<T>>, T>);
    model.bind(executor);
    executor.bind_input(0, inputs);
    std::vector<std::vector<T>> outputs(static_cast<std::size_t>(Model<N, T>::layer_count));
    for (int i = 0; i < Model<N, T>::layer_count; ++i) {
        auto& values = outputs[static_cast<std::size_t>(i)];
        values.resize(static_cast<std::size_t>(Model<N, T>::records.layers[i].output.count() * count));
        executor.bind_output(i, values.data());
    }
    model.read([&] {
        executor.prepare(count);
        executor.run();
    });
    return outputs;
}

}  // namespace sigma
