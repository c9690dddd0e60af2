// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/device/debug/non_finite_origin.hpp>
#include <sigma/network/model_session.hpp>
#include <sigma/network/network_tape.hpp>

#include <cstdint>
#include <vector>

namespace sigma {

/// The error of the debug device: the first operation with a result that is infinite or NaN, its place and its
/// operands.
///
/// An example of the text is "iteration 3, layer '2-exponential': exp of shape (4, 3) gave inf at record 2, element
/// (1), from 710".
///
/// @see debug
struct OperationError : NumericError {
    debugging::NonFiniteOrigin origin;  ///< the operation and the first element that is not finite

    /// @cond internal
    OperationError(std::uint64_t iteration_, const std::string& layer_, const std::string& what,
                   debugging::NonFiniteOrigin origin_);
    /// @endcond
};

namespace detail {

/// Returns the first output of a program in prediction, with each result checked. Throws OperationError. `layers` are
/// those of the program's nodes.
template <class T>
std::vector<T> debug_prediction(const ModelStore<T>& model, const Program& program, ListView<LayerRecord> layers,
                                Rows<T> inputs, std::ptrdiff_t records);
/// Returns the value of each node of a network in prediction, unchecked.
template <class T>
std::vector<std::vector<T>> debug_values(const ModelStore<T>& model, const NetworkTape& network, Rows<T> inputs,
                                         Rows<T> targets, std::ptrdiff_t records);

/// Returns a function that throws an OperationError. It names the layer, or the parameter of the gradient or update.
/// `layers` are those of a program's nodes. Both arguments must outlive the result.
debugging::Report operation_error(const NetworkTable& network, ListView<LayerRecord> layers);

/// Returns the layers of the nodes of a network's programs. The network comes first in all programs.
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
