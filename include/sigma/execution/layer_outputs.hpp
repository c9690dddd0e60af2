// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/execution/observation.hpp>
#include <sigma/network/model.hpp>

#include <utility>
#include <vector>

namespace sigma {

/// What each layer of a network gives for `count` dense records, dense, as in prediction.
template <AnyNetwork N, class T>
std::vector<std::vector<T>> layer_outputs(const Model<N, T>& model, const typename Model<N, T>::InputPointers& inputs,
                                          std::ptrdiff_t count) {
    detail::Observation<T> look(model, detail::network_program<N, detail::to_see_layers, T>(), detail::to_see_layers);
    look.run(inputs, {}, count);
    return std::move(look.outputs());
}

}  // namespace sigma
