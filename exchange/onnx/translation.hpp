// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <onnx/graph_writer.hpp>
#include <sigma/exchange/portable_model.hpp>

namespace sigma::detail::onnx {

/// Writes the prediction of a model as a graph: its inputs are the network's and then its states, its outputs what each
/// cost predicts and then the states after it. Throws ArgumentError where ONNX has no words for an operation.
void translate(const PortableModel& model, format::GraphProto& graph);

}  // namespace sigma::detail::onnx
