// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <onnx/graph_writer.hpp>
#include <sigma/exchange/portable_model.hpp>

namespace sigma::detail::onnx {

/// Writes the prediction of a model as a graph. The inputs are those of the network, then the states before. The
/// outputs are the predictions, then the states after. Throws ArgumentError for an operation that ONNX cannot express.
void translate(const PortableModel& model, format::GraphProto& graph);

}  // namespace sigma::detail::onnx
