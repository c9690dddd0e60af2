// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <sigma/exchange/portable_model.hpp>

#include <string>

namespace sigma {

/// How a model is written as an ONNX file.
struct OnnxOptions {
    /// The weights in a file of their own beside it, "m.onnx.data", which ONNX calls external data. A file with weights
    /// inside has at most 2 GB.
    bool weights_beside = false;
};

namespace detail {

[[gnu::cold]] void export_onnx(const PortableModel& model, const std::string& file, const OnnxOptions& options);

}  // namespace detail

/// Writes what the model predicts as an ONNX file (operators of set 17), whole or not at all. Throws ArgumentError
/// where a layer has no words in ONNX, and DataError where the file cannot be written.
template <AnyNetwork N, class T>
void export_onnx(const Model<N, T>& model, const std::string& file, const OnnxOptions& options = {}) {
    detail::with_portable(model, [&](const detail::PortableModel& m) { detail::export_onnx(m, file, options); });
}

}  // namespace sigma
