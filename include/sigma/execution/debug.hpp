// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/debug/non_finite_origin.hpp>
#include <sigma/network/model_session.hpp>
#include <sigma/network/network_tape.hpp>

#include <cstdint>
#include <vector>

namespace sigma {

/// What the debug device throws: the first operation that left the finite numbers, where and from what.
/// "iteration 3, layer '2-exponential': exp of shape (4, 3) gave inf at record 2, element (1), from 710"
struct OperationError : NumericError {
    debugging::NonFiniteOrigin origin;

    OperationError(std::uint64_t iteration_, const std::string& layer_, const std::string& what,
                   debugging::NonFiniteOrigin origin_);
};

namespace detail {

/// What a program's first output is in prediction, each result checked. Throws OperationError. `layers` are those that
/// the program's nodes belong to.
template <class T>
std::vector<T> debug_prediction(const ModelStore<T>& model, const Program& program, ListView<LayerRecord> layers,
                                Rows<T> inputs, std::ptrdiff_t records);
/// What a network computes in prediction, unchecked: the value of each node.
template <class T>
std::vector<std::vector<T>> debug_values(const ModelStore<T>& model, const NetworkTape& network, Rows<T> inputs,
                                         Rows<T> targets, std::ptrdiff_t records);

/// Throws an OperationError that names the layer, or the parameter whose gradient or update it is. `layers` are those
/// that a program's nodes belong to; both outlive what is returned.
debugging::Report operation_error(const NetworkTable& network, ListView<LayerRecord> layers);

/// The layers that the nodes of a network's programs belong to; the network comes first in all of them.
template <class N>
List<LayerRecord> layers_of_programs([[maybe_unused]] const N& network, bool training) {
    if constexpr (MadeNetwork<N>) {
        return network.made().layers_of_programs(training);
    } else {
        return traced_layers(N::expression, N::input_count, training);
    }
}

}  // namespace detail
}  // namespace sigma

#ifndef SIGMA_COMPILED
#include <sigma/execution/impl/debug.ipp>
#endif
